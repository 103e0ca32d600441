"""What each method asks of its caller; a method that is not in the table is refused to everybody (V6, P6)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from sessiond.model.callers import Caller, CallerRole, RunToken
from sessiond.model.errors import RoleDenied, ToolDenied, Unauthenticated
from sessiond.model.tools import ToolPolicy


@dataclass(frozen=True)
class Authority:
    """The roles that may call a method, and the tool that an agent's policy must allow for it."""

    roles: frozenset[CallerRole]
    tool: str = ""


# What a run token may use as long as its lease holds; None when the lease is over.
PolicyOf = Callable[[RunToken], Awaitable[ToolPolicy | None]]

_OWNER = frozenset({CallerRole.OWNER})
_GATEWAYS = frozenset({CallerRole.OWNER, CallerRole.GATEWAY})
_RUNTIMES = frozenset({CallerRole.OWNER, CallerRole.RUNTIME})
_TOOLS = frozenset({CallerRole.OWNER, CallerRole.GATEWAY, CallerRole.AGENT})

_TOOL_METHODS = {
    "SessionsList": "sessions_list",
    "SessionsHistory": "sessions_history",
    "SessionsSend": "sessions_send",
    "SessionsSpawn": "",  # every child's policy denies it; the depth of the acting session decides instead (P3)
    "AgentsList": "agents_list",
    "GetRun": "get_run",
    "WaitRun": "wait_run",
    "WaitRuns": "wait_runs",
    "CancelRun": "cancel_run",
}
_GATEWAY_METHODS = (
    *("ChatSend", "ChatAbort", "SessionsPatch", "SessionsReset", "SessionsDelete", "SessionsResolve"),
    *("AcquireDeliveries", "AckDelivery", "NackDelivery"),
)
_OWNER_METHODS = ("ListDeliveries", "RetryDelivery", "DiscardDelivery")
_RUNTIME_METHODS = ("AcquireRuns", "HeartbeatRuns", "AppendRunEvents", "CompleteRun", "ReleaseRun")

REQUIRED = {
    **{f"sessiontools.v1.SessionToolsService/{name}": Authority(_TOOLS, tool) for name, tool in _TOOL_METHODS.items()},
    **{f"sessiontools.v1.GatewayService/{name}": Authority(_GATEWAYS) for name in _GATEWAY_METHODS},
    **{f"sessiontools.v1.GatewayService/{name}": Authority(_OWNER) for name in _OWNER_METHODS},
    **{f"sessiontools.v1.RuntimeService/{name}": Authority(_RUNTIMES) for name in _RUNTIME_METHODS},
}
_NO_POLICY = ToolPolicy()  # whoever holds no run token has none, and may use what its role may
_NOBODY = Authority(frozenset())
# Every credential may read the contract.
_REFLECTION = "grpc.reflection."
_ANYBODY = Authority(frozenset(CallerRole))


async def authorize(caller: Caller, method: str, policy_of: PolicyOf) -> None:
    """Refuse who may not call this method (`sessiontools.v1.GatewayService/ChatSend`); a dead token is nobody's."""
    policy = _NO_POLICY
    if caller.run_token is not None:
        held = await policy_of(caller.run_token)
        if held is None:
            raise Unauthenticated
        policy = held
    required = REQUIRED.get(method) or (_ANYBODY if method.startswith(_REFLECTION) else _NOBODY)
    if caller.role not in required.roles:
        raise RoleDenied(caller.role, method)
    if policy is not _NO_POLICY and required.tool and not policy.allows(required.tool):
        raise ToolDenied(required.tool)
