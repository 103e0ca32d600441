"""What must be so, stated apart from the server: pure functions that know none of its code (V1-V6, S6, P3-P6)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.authority.cast import Caller, Place, Setting, Target

OK = "OK"
LISTED, UNLISTED = "listed", "not listed"
NOT_FOUND = {"session": "SESSION_NOT_FOUND", "run": "RUN_NOT_FOUND"}
OWNERS_ONLY = ("ListDeliveries", "RetryDelivery", "DiscardDelivery")  # D3


@dataclass(frozen=True)
class Asked:
    """A call as the rules look at it: which rpc, and how it names its target."""

    service: str
    rpc: str
    names: str = ""  # `session`, `run`, or nothing
    by_label: bool = False
    makes: bool = False  # a session that is not there is made
    lists: str = ""  # it only tells which sessions there are: `live`, or `all` with the archived ones
    otherwise: str = OK  # how the call ends once nothing of authority is in its way


def verdict(setting: Setting, caller: Caller, asked: Asked, target: Target) -> str:
    """OK, or the reason of the refusal; the first gate that stands in the way tells (S6)."""
    return admitted(setting, caller, asked) or _found(setting, caller, asked, target) or asked.otherwise


def admitted(setting: Setting, caller: Caller, asked: Asked) -> str:
    """Why the caller may not make this call at all, whatever it names; empty when it may."""
    if not caller.role:
        return "UNAUTHENTICATED"  # V1
    if not _has_role(caller.role, asked):
        return "ROLE_DENIED"  # V6
    is_subagent = caller.role == "agent" and caller.place is not None and caller.place.is_subagent
    if is_subagent and asked.rpc == "SessionsSpawn":
        return "SUBAGENT_SPAWN"  # P3
    if is_subagent and not setting.lifts_tools:
        return "TOOL_DENIED"  # P6
    return ""


def _has_role(role: str, asked: Asked) -> bool:
    """V6, role by role."""
    match role:
        case "owner":
            return True
        case "gateway":
            return asked.service != "RuntimeService" and asked.rpc not in OWNERS_ONLY
        case "runtime":
            return asked.service == "RuntimeService"
        case _:
            return asked.service == "SessionToolsService"


def _found(setting: Setting, caller: Caller, asked: Asked, target: Target) -> str:
    """What becomes of naming the target: hidden and absent are the same (K8)."""
    is_there = sees(setting, caller.place, target) and (target.exists or asked.makes)
    if asked.lists:
        return LISTED if is_there and (asked.lists == "all" or not target.is_archived) else UNLISTED
    if not asked.names:
        return ""
    if not is_there or (asked.by_label and target.is_archived):  # a label names live sessions
        return NOT_FOUND[asked.names]
    if asked.rpc == "SessionsSend" and caller.place and not may_talk(setting, caller.place.agent, target.agent):
        return "AGENT_TO_AGENT_DENIED"
    return ""


def sees(setting: Setting, place: Place | None, target: Target) -> bool:
    """Whether a caller in this place sees such a session; of one that is absent: whether it would (V3, V4)."""
    if place is None or target.is_own:
        return True
    if setting.visibility == "self":
        return False
    if target.is_spawned:  # also under another agent: decision 3
        return True
    if setting.visibility == "tree" or (place.is_sandboxed and setting.clamps_sandboxed):
        return False
    if target.agent == place.agent:
        return True
    return setting.visibility == "all" and may_talk(setting, place.agent, target.agent)


def may_talk(setting: Setting, one: str, other: str) -> bool:
    """Whether one agent reaches another: both must be among those allowed, or all are (V3)."""
    if one == other:
        return True
    return setting.agent_to_agent and all(not setting.allow or is_allowed(setting, each) for each in (one, other))


def is_allowed(setting: Setting, agent: str) -> bool:
    """Whether a pattern of the list fits, `*` for any part and without regard to case."""
    patterns = [".*".join(map(re.escape, each.split("*"))) for each in setting.allow]
    return any(re.fullmatch(pattern, agent, re.IGNORECASE) for pattern in patterns)


def spawn_verdict(setting: Setting, caller: Caller, asked: Asked, agent: str, allowed: dict[str, set[str]]) -> str:
    """Whether the caller may spawn under an agent; `allowed` is who may spawn under whom (P3, P4)."""
    if reason := admitted(setting, caller, asked):
        return reason
    requester = caller.place.agent if caller.place else "main"
    if agent not in allowed:
        return "AGENT_NOT_FOUND"
    return OK if agent in {requester, *allowed[requester]} else "AGENT_NOT_ALLOWED"
