"""Who calls, from where, after what, and under which configuration: the four sides of the matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Place:
    """A session to act from; `name` is what its part of the house is called."""

    name: str
    agent: str = "main"
    is_sandboxed: bool = False
    is_subagent: bool = False


@dataclass(frozen=True)
class Caller:
    """A class of callers; one without a role shows a credential that opens nothing, or none."""

    name: str
    role: str = ""
    place: Place | None = None


@dataclass(frozen=True)
class Target:
    """A session as seen from a place; `made_as` is where the house keeps it."""

    name: str
    made_as: str
    agent: str
    is_own: bool = False
    is_spawned: bool = False  # by the place, or by what that spawned
    is_archived: bool = False
    exists: bool = True


@dataclass(frozen=True)
class Setting:
    """What an operator configured, as far as authority asks."""

    name: str
    visibility: str = "all"
    agent_to_agent: bool = False
    allow: tuple[str, ...] = ()
    clamps_sandboxed: bool = True
    lifts_tools: bool = False

    @property
    def sections(self) -> dict[str, Any]:
        """The part of the configuration that differs from setting to setting."""
        tools = {
            "sessions": {"visibility": self.visibility},
            "agentToAgent": {"enabled": self.agent_to_agent, "allow": [*self.allow]},
            "subagents": {"tools": {"allow": ["*"] if self.lifts_tools else []}},
        }
        seen = "spawned" if self.clamps_sandboxed else "all"
        return {"tools": tools, "agents": {"defaults": {"sandbox": {"sessionToolsVisibility": seen}}}}


ANN = Place("ann")
MAIN = Place("main")
GROUP = Place("group")
BOX = Place("box", agent="box", is_sandboxed=True)
SUB = Place("sub", is_subagent=True)
BOXED_SUB = Place("boxed sub", is_sandboxed=True, is_subagent=True)
PLACES = (ANN, MAIN, GROUP, BOX, SUB, BOXED_SUB)

CALLERS = (
    Caller("owner", "owner"),
    Caller("owner acting as", "owner", ANN),
    Caller("gateway", "gateway"),
    Caller("gateway acting as", "gateway", ANN),
    Caller("runtime", "runtime"),
    Caller("agent main", "agent", MAIN),
    Caller("agent in a group", "agent", GROUP),
    Caller("sandboxed agent", "agent", BOX),
    Caller("sub-agent", "agent", SUB),
    Caller("sandboxed sub-agent", "agent", BOXED_SUB),
    Caller("expired run token"),
    Caller("wrong token"),
    Caller("none"),
)
ACTING = tuple(caller for caller in CALLERS if caller.place is not None)

AGENTS = ("main", "box", "ops")
# Who spawned the two sub-agents, and of which agent that is; sandboxing is handed down, also to another agent's child.
REQUESTERS = {SUB: ("nightly", "main"), BOXED_SUB: ("boxed nightly", "box")}


def targets_of(caller: Caller) -> list[Target]:
    """What a caller may be after; who acts from no session goes after the same as one that does."""
    place = caller.place or ANN
    third = "main" if place.agent == "box" else "box"
    targets = [
        Target("own", f"{place.name}/own", place.agent, is_own=True),
        Target("spawned", f"{place.name}/spawned", place.agent, is_spawned=True),
        Target("spawned under another agent", f"{place.name}/elsewhere", "ops", is_spawned=True),
        Target("spawned by spawned", f"{place.name}/deep", place.agent, is_spawned=True),
        Target("same agent", f"{place.agent}/idle", place.agent),
        Target("archived", f"{place.agent}/archived", place.agent, is_archived=True),
        Target("other agent", "ops/idle", "ops"),
        Target("third agent", f"{third}/idle", third),
        Target("absent", "", place.agent, exists=False),
    ]
    if place in REQUESTERS:
        name, agent = REQUESTERS[place]
        targets.append(Target("requester", name, agent))
    return targets


SETTINGS = (
    Setting("as it comes"),
    Setting("sub-agents have tools", lifts_tools=True),
    Setting("agentToAgent", lifts_tools=True, agent_to_agent=True),
    Setting("agentToAgent among some", lifts_tools=True, agent_to_agent=True, allow=("MAIN", "o*s")),
    Setting("visibility agent", lifts_tools=True, agent_to_agent=True, visibility="agent"),
    Setting("visibility tree", lifts_tools=True, agent_to_agent=True, visibility="tree"),
    Setting("visibility self", lifts_tools=True, agent_to_agent=True, visibility="self"),
    Setting("sandboxes not clamped", lifts_tools=True, agent_to_agent=True, clamps_sandboxed=False),
)
