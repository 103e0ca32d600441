"""The configured agents and who may spawn whom (A1, P4)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class SandboxMode(StrEnum):
    """Which sessions of an agent run sandboxed."""

    OFF = "off"
    NON_MAIN = "non-main"
    ALL = "all"


class AllowedBy(StrEnum):
    """Why an agent may be asked to run a sub-agent."""

    REQUESTER = "requester"
    LISTED = "listed"
    WILDCARD = "wildcard"


@dataclass(frozen=True)
class Agent:
    """One entry of agents.list with the defaults worked in."""

    id: str
    name: str = ""
    model: str = ""
    is_external: bool = False
    sandbox: SandboxMode = SandboxMode.OFF
    allow_agents: frozenset[str] = frozenset()
    subagent_model: str = ""
    requeue_on_loss: bool = False
    max_attempts: int = 2


@dataclass(frozen=True)
class Roster:
    """Every configured agent, and which is the default."""

    agents: dict[str, Agent] = field(default_factory=lambda: {"main": Agent("main")})
    default_id: str = "main"


@dataclass(frozen=True)
class AllowedAgent:
    """An agent that a requester may spawn under, and why."""

    id: str
    name: str
    is_configured: bool
    is_default: bool
    allowed_by: AllowedBy


def allowed_agents(roster: Roster, requester_id: str) -> tuple[bool, list[AllowedAgent]]:
    """Whether any configured agent is allowed, and the allowed ones: requester first, then by id."""
    requester = roster.agents.get(requester_id)
    listed = requester.allow_agents if requester else frozenset()
    allow_any = "*" in listed
    others = set(roster.agents) | (listed - {"*"}) if allow_any else set(listed)
    first = _allowed(roster, requester_id, AllowedBy.REQUESTER)
    rest = (
        _allowed(roster, each, AllowedBy.LISTED if each in listed else AllowedBy.WILDCARD)
        for each in sorted(others - {requester_id})
    )
    return allow_any, [first, *rest]


def _allowed(roster: Roster, agent_id: str, why: AllowedBy) -> AllowedAgent:
    agent = roster.agents.get(agent_id)
    name = agent.name if agent else ""
    return AllowedAgent(agent_id, name, agent is not None, agent_id == roster.default_id, why)


def is_sandboxed(agent: Agent | None, is_main: bool) -> bool:
    """Whether a session of this agent runs sandboxed."""
    if agent is None or agent.sandbox is SandboxMode.OFF:
        return False
    return agent.sandbox is SandboxMode.ALL or not is_main
