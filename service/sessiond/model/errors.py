"""Everything the service refuses, each with one reason that callers can rely on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class FieldProblem:
    """One field of a request and what is wrong with it."""

    field: str
    problem: str


class Refusal(Exception):  # noqa: N818 - a refusal is an answer, not a malfunction
    """A request that is answered with a reason instead of a result; `facts` become the error's metadata."""

    reason: ClassVar[str]

    def __init__(
        self, text: str, *, fields: tuple[FieldProblem, ...] = (), retry_after_ms: int | None = None, **facts: str
    ) -> None:
        super().__init__(text)
        self.text = text
        self.fields = fields
        self.retry_after_ms = retry_after_ms
        self.facts = facts


class InvalidField(Refusal):
    """One or more fields of the request are not valid."""

    reason = "INVALID_FIELD"

    def __init__(self, *problems: FieldProblem) -> None:
        text = "; ".join(f"{each.field}: {each.problem}" for each in problems)
        super().__init__(text, fields=problems)


def invalid(field: str, problem: str) -> InvalidField:
    """The usual case: one field, one problem."""
    return InvalidField(FieldProblem(field, problem))


class InvalidKey(Refusal):
    """A session reference that can't be a key in any form."""

    reason = "INVALID_KEY"

    def __init__(self, problem: str, field: str = "session_key") -> None:
        super().__init__(f"{field}: {problem}", fields=(FieldProblem(field, problem),))


class PageTokenInvalid(Refusal):
    """A page token that this request did not give out."""

    reason = "PAGE_TOKEN_INVALID"

    def __init__(self) -> None:
        problem = "not a token of this request; repeat the request that gave it, unchanged, or start without a token"
        super().__init__(f"page_token: {problem}", fields=(FieldProblem("page_token", problem),))


class CursorMismatch(Refusal):
    """A cursor of another run, or of nothing."""

    reason = "CURSOR_MISMATCH"

    def __init__(self) -> None:
        problem = "not a cursor of this run; use one that a wait on this run gave, or none to begin at its first event"
        super().__init__(f"cursor: {problem}", fields=(FieldProblem("cursor", problem),))


class MessageTooLarge(Refusal):
    """A message above the stored size limit."""

    reason = "MESSAGE_TOO_LARGE"

    def __init__(self, field: str, size: int, limit: int) -> None:
        problem = f"{size} bytes are more than the limit of {limit}; split the message"
        super().__init__(
            f"{field}: {problem}", fields=(FieldProblem(field, problem),), size=str(size), limit=str(limit)
        )


class SessionNotFound(Refusal):
    """No such session, or none that this caller may see: the same answer for both."""

    reason = "SESSION_NOT_FOUND"

    def __init__(self, field: str = "session_key") -> None:
        super().__init__(f"{field}: no such session is visible to this caller", field=field)


class AgentNotFound(Refusal):
    """An agent that is not configured."""

    reason = "AGENT_NOT_FOUND"

    def __init__(self, agent_id: str) -> None:
        super().__init__(f"agent {agent_id!r} is not configured; add it to agents.list", agent_id=agent_id)


class ModelUnknown(Refusal):
    """A model that is not configured."""

    reason = "MODEL_UNKNOWN"

    def __init__(self, field: str, model: str, known: list[str]) -> None:
        problem = f"model {model!r} is not configured; known: {', '.join(known)}"
        super().__init__(f"{field}: {problem}", fields=(FieldProblem(field, problem),), model=model)


class LabelAmbiguous(Refusal):
    """A label that names several sessions the caller may see."""

    reason = "LABEL_AMBIGUOUS"

    def __init__(self, label: str, keys: list[str]) -> None:
        matches = ", ".join(keys)
        super().__init__(f"label {label!r} names several sessions: {matches}; use session_key", matches=matches)


class RequestIdReused(Refusal):
    """A request id that stood for another request before."""

    reason = "REQUEST_ID_REUSED"

    def __init__(self, request_id: str) -> None:
        super().__init__("request_id was used before for a different request; use a new one", request_id=request_id)


class EtagMismatch(Refusal):
    """The session's settings changed since the etag was read."""

    reason = "ETAG_MISMATCH"

    def __init__(self, current: str) -> None:
        super().__init__("the session was changed since this etag was read; read it again and retry", etag=current)


class SessionBusy(Refusal):
    """Something that needs an idle session was asked while a run is unfinished."""

    reason = "SESSION_BUSY"

    def __init__(self, run_id: str) -> None:
        what = f"run {run_id}" if run_id else "an exchange or a delivery of this session"
        super().__init__(f"{what} is unfinished; cancel it or wait for its end", run_id=run_id)


class SessionProtected(Refusal):
    """A session that can be reset but not deleted."""

    reason = "SESSION_PROTECTED"

    def __init__(self) -> None:
        super().__init__("an agent's main session can't be deleted; use SessionsReset")


class RunNotFound(Refusal):
    """No such run, or none that this caller may see: the same answer for both."""

    reason = "RUN_NOT_FOUND"

    def __init__(self) -> None:
        super().__init__("run_id: no such run is visible to this caller", field="run_id")


class LeaseLost(Refusal):
    """A write under a lease that is not, or no longer, the writer's; it changed nothing."""

    reason = "LEASE_LOST"

    def __init__(self) -> None:
        super().__init__("the lease is not, or no longer, yours; stop this work without a further call")


class EventGap(Refusal):
    """Appended events that leave out some before them."""

    reason = "EVENT_GAP"

    def __init__(self, first: int, expected: int) -> None:
        problem = f"{first} leaves a gap; the next event of this attempt is {expected}"
        fields = (FieldProblem("first_sequence", problem),)
        super().__init__(f"first_sequence: {problem}", fields=fields, next_sequence=str(expected))


class WaitCycle(Refusal):
    """A wait that could never end, because what it waits for waits for the waiter."""

    reason = "WAIT_CYCLE"

    def __init__(self, path: list[str]) -> None:
        text = " -> ".join(path)
        super().__init__(f"this wait would never end: {text}; send with timeout_seconds 0 instead", path=text)


class AgentToAgentDenied(Refusal):
    """One agent may not talk to another."""

    reason = "AGENT_TO_AGENT_DENIED"

    def __init__(self, config_key: str) -> None:
        super().__init__(f"{config_key} does not let these two agents talk", config_key=config_key)


class SendPolicyDenied(Refusal):
    """The send policy of the target denies the message."""

    reason = "SEND_POLICY_DENIED"

    def __init__(self, session_key: str, rule: str) -> None:
        super().__init__(f"{rule} denies sending to {session_key}", session_key=session_key, rule=rule)


class TraceBudget(Refusal):
    """The chain of runs behind this call has used up its budget."""

    reason = "TRACE_BUDGET"

    def __init__(self, limit: int) -> None:
        text = f"this trace has had its {limit} runs (session.agentToAgent.maxRunsPerTrace); start a new one"
        super().__init__(text, subject="trace", limit=str(limit), config_key="session.agentToAgent.maxRunsPerTrace")


class QueueFull(Refusal):
    """The session has as many queued runs as it may."""

    reason = "QUEUE_FULL"

    def __init__(self, limit: int) -> None:
        text = f"the session has {limit} unfinished runs (limits.queueDepth); wait for some to end"
        super().__init__(text, retry_after_ms=1000, subject="session", limit=str(limit), config_key="limits.queueDepth")


class WaitLimit(Refusal):
    """The caller, or the server, holds as many waits as it may."""

    reason = "WAIT_LIMIT"

    def __init__(self, subject: str, limit: int, config_key: str) -> None:
        text = f"the {subject} holds {limit} waits ({config_key}); end some, or follow several runs with WaitRuns"
        super().__init__(text, retry_after_ms=2000, subject=subject, limit=str(limit), config_key=config_key)


class RateLimited(Refusal):
    """The caller makes calls faster than it may."""

    reason = "RATE_LIMITED"

    def __init__(self, limit: float, retry_after_ms: int) -> None:
        text = f"more than {limit:g} requests a second from one caller (limits.requestsPerSecond); wait and go on"
        key = "limits.requestsPerSecond"
        super().__init__(text, retry_after_ms=retry_after_ms, subject="caller", limit=f"{limit:g}", config_key=key)


class RequestTooLarge(Refusal):
    """A request, or its metadata, that is larger than the server reads."""

    reason = "REQUEST_TOO_LARGE"

    def __init__(self, what: str, size: int, limit: int, config_key: str) -> None:
        text = f"the {what} has {size} bytes, more than {limit} ({config_key}); make it smaller"
        super().__init__(text, subject=what, limit=str(limit), config_key=config_key)


class Unauthenticated(Refusal):
    """No credential, or one that is not known."""

    reason = "UNAUTHENTICATED"

    def __init__(self) -> None:
        super().__init__("send metadata 'authorization: Bearer <token>' with a token from auth.tokens")


class RoleDenied(Refusal):
    """A right credential without the authority for this call."""

    reason = "ROLE_DENIED"

    def __init__(self, role: str, method: str) -> None:
        super().__init__(f"role {role} may not call {method}", role=role)


class ToolDenied(Refusal):
    """The session's tool policy does not allow this tool."""

    reason = "TOOL_DENIED"

    def __init__(self, tool: str) -> None:
        text = f"this session may not use {tool}; tools.subagents.tools.allow lifts it for sub-agents"
        super().__init__(text, tool=tool, config_key="tools.subagents.tools.allow")


class SubagentSpawn(Refusal):
    """A sub-agent at the configured depth may not spawn."""

    reason = "SUBAGENT_SPAWN"

    def __init__(self, max_depth: int) -> None:
        key = "agents.defaults.subagents.maxSpawnDepth"
        super().__init__(f"sub-agents of this depth may not spawn ({key} is {max_depth})", config_key=key)


class AgentNotAllowed(Refusal):
    """The requester may not spawn under this agent."""

    reason = "AGENT_NOT_ALLOWED"

    def __init__(self, agent_id: str, requester_id: str, allowed: list[str]) -> None:
        names = ", ".join(allowed)
        key = f"agents.list[{requester_id}].subagents.allowAgents"
        super().__init__(f"{requester_id} may not spawn under {agent_id}; allowed: {names} ({key})", allowed=names)


class ChildLimit(Refusal):
    """The requester has as many unfinished sub-agents as it may."""

    reason = "CHILD_LIMIT"

    def __init__(self, limit: int) -> None:
        key = "agents.defaults.subagents.maxChildren"
        text = f"this session has {limit} unfinished sub-agents ({key}); wait for one to end"
        super().__init__(text, retry_after_ms=2000, subject="session", limit=str(limit), config_key=key)


class DeliveryNotFound(Refusal):
    """No such delivery."""

    reason = "DELIVERY_NOT_FOUND"

    def __init__(self) -> None:
        super().__init__("delivery_id: no such delivery", field="delivery_id")


class DeliveryStateRefused(Refusal):
    """The delivery's state does not allow this step."""

    reason = "DELIVERY_STATE"

    def __init__(self, state: str, allowed: str) -> None:
        super().__init__(f"the delivery is {state}; this takes one that is {allowed}", state=state)


class StoreUnavailable(Refusal):
    """The database is away; the call changed nothing or, if a write was under way, may be repeated by request_id."""

    reason = "STORE_UNAVAILABLE"

    def __init__(self, retry_after_ms: int = 1000) -> None:
        super().__init__("the store is not reachable at the moment; retry", retry_after_ms=retry_after_ms)


class Draining(Refusal):
    """This server is about to stop; nothing was done."""

    reason = "DRAINING"

    def __init__(self) -> None:
        text = "this server is shutting down; repeat the call, with its request_id, on another replica or in a moment"
        super().__init__(text, retry_after_ms=1000)


class NotImplementedYet(Refusal):
    """A call of the contract that this version does not serve."""

    reason = "NOT_IMPLEMENTED"

    def __init__(self, method: str) -> None:
        super().__init__(f"this version of the server does not serve {method}; its reflection lists what it serves")
