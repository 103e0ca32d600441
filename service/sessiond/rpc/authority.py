"""Which role may call which method; a method that is not in the table is refused to everybody (V6)."""

from __future__ import annotations

from sessiond.model.callers import CallerRole

_OWNER = frozenset({CallerRole.OWNER})
_GATEWAYS = frozenset({CallerRole.OWNER, CallerRole.GATEWAY})
_RUNTIMES = frozenset({CallerRole.OWNER, CallerRole.RUNTIME})
_TOOLS = frozenset({CallerRole.OWNER, CallerRole.GATEWAY, CallerRole.AGENT})

_TOOL_METHODS = (
    *("SessionsList", "SessionsHistory", "SessionsSend", "SessionsSpawn", "AgentsList"),
    *("GetRun", "WaitRun", "WaitRuns", "CancelRun"),
)
_GATEWAY_METHODS = (
    *("ChatSend", "ChatAbort", "SessionsPatch", "SessionsReset", "SessionsDelete", "SessionsResolve"),
    *("AcquireDeliveries", "AckDelivery", "NackDelivery"),
)
_OWNER_METHODS = ("ListDeliveries", "RetryDelivery", "DiscardDelivery")
_RUNTIME_METHODS = ("AcquireRuns", "HeartbeatRuns", "AppendRunEvents", "CompleteRun", "ReleaseRun")

ALLOWED_ROLES = {
    **{f"/sessiontools.v1.SessionToolsService/{name}": _TOOLS for name in _TOOL_METHODS},
    **{f"/sessiontools.v1.GatewayService/{name}": _GATEWAYS for name in _GATEWAY_METHODS},
    **{f"/sessiontools.v1.GatewayService/{name}": _OWNER for name in _OWNER_METHODS},
    **{f"/sessiontools.v1.RuntimeService/{name}": _RUNTIMES for name in _RUNTIME_METHODS},
}


def may_call(role: CallerRole, method: str) -> bool:
    """Whether this role may call this method."""
    return role in ALLOWED_ROLES.get(method, frozenset())
