"""Who sees which sessions: one scope, worked out once, that every query carries (V3, V4)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase

from sessiond.model.agents import Roster


class VisibilitySetting(StrEnum):
    """`tools.sessions.visibility`."""

    SELF = "self"
    TREE = "tree"
    AGENT = "agent"
    ALL = "all"


class RedactSetting(StrEnum):
    """`tools.sessions.redact`."""

    CROSS_SESSION = "cross-session"
    ALWAYS = "always"
    OFF = "off"


@dataclass(frozen=True)
class VisibilityRules:
    """The configuration that visibility depends on."""

    setting: VisibilitySetting = VisibilitySetting.ALL
    agent_to_agent: bool = False
    agent_to_agent_allow: tuple[str, ...] = ()
    sandbox_clamps: bool = True


@dataclass(frozen=True)
class ActingSession:
    """The session a caller acts from, as far as visibility asks; id 0 while it has no row yet."""

    id: int
    key: str
    agent_id: str
    spawn_path: str = ""
    sandboxed: bool = False

    @property
    def children_path(self) -> str:
        """What the spawn path of everything spawned below this session starts with."""
        return f"{self.spawn_path or '/'}{self.id}/"


@dataclass(frozen=True)
class Scope:
    """What a caller may see; the store turns it into one predicate.

    A session is visible when `own` is it, or its agent is among `agents` (None = any agent),
    or, with `sees_spawned`, when it was spawned below `own`, however deep.
    """

    name: str
    agents: frozenset[str] | None = None
    own: ActingSession | None = None
    sees_spawned: bool = False
    sandbox_clamped: bool = False
    agent_to_agent: bool = False

    @property
    def is_restricted(self) -> bool:
        """Whether policy can hide anything from this caller."""
        return self.agents is not None


EVERYTHING = Scope("all")
NO_AGENT: frozenset[str] = frozenset()


def scope_of(acting: ActingSession | None, rules: VisibilityRules, roster: Roster) -> Scope:
    """What a caller acting from this session may see; without one, everything.

    What a session spawned stays visible to it under another agent too: allowAgents granted that spawn,
    and a requester that can't see its own child could neither wait for it nor cancel it.
    """
    if acting is None:
        return EVERYTHING
    is_clamped = acting.sandboxed and rules.sandbox_clamps
    if rules.setting is VisibilitySetting.SELF:  # narrower than the clamp, which never widens
        return Scope("self", NO_AGENT, acting, sandbox_clamped=is_clamped)
    if is_clamped:
        return Scope("spawned", NO_AGENT, acting, sees_spawned=True, sandbox_clamped=True)
    if rules.setting is VisibilitySetting.TREE:
        return Scope("tree", NO_AGENT, acting, sees_spawned=True)
    if rules.setting is VisibilitySetting.AGENT:
        return Scope("agent", frozenset({acting.agent_id}), acting, sees_spawned=True)
    reachable = _reachable(acting.agent_id, rules, roster)
    return Scope("all", reachable, acting, sees_spawned=True, agent_to_agent=rules.agent_to_agent)


def masks(setting: RedactSetting, acting: ActingSession | None, session: int) -> bool:
    """Whether credentials are masked when this session's texts are read from another one, or from none (H7)."""
    if acting is None or setting is RedactSetting.OFF:
        return False
    return setting is RedactSetting.ALWAYS or acting.id != session


def masks_words(
    setting: RedactSetting, acting: ActingSession | None, session: int, parties: Collection[int | None]
) -> bool:
    """As masks, for what a run said; to the sessions of its exchange it was said as it is."""
    return acting is not None and acting.id not in parties and masks(setting, acting, session)


def may_reach(sender: str, target: str, rules: VisibilityRules) -> bool:
    """Whether agent-to-agent rules let one agent reach another; its own sessions it always reaches."""
    if sender == target:
        return True
    return rules.agent_to_agent and _is_listed(sender, rules) and _is_listed(target, rules)


def _reachable(agent_id: str, rules: VisibilityRules, roster: Roster) -> frozenset[str] | None:
    """The agents whose sessions this one may see; None = all, configured or not."""
    if rules.agent_to_agent and _is_listed(agent_id, rules):
        if _is_listed_all(rules):
            return None
        named = {pattern.lower() for pattern in rules.agent_to_agent_allow if not set(pattern) & set("*?[")}
        return frozenset({agent_id} | named | {each for each in roster.agents if _is_listed(each, rules)})
    return frozenset({agent_id})


def _is_listed(agent_id: str, rules: VisibilityRules) -> bool:
    return not rules.agent_to_agent_allow or any(
        fnmatchcase(agent_id, pattern.lower()) for pattern in rules.agent_to_agent_allow
    )


def _is_listed_all(rules: VisibilityRules) -> bool:
    return not rules.agent_to_agent_allow or "*" in rules.agent_to_agent_allow
