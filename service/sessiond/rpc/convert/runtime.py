"""Requests and answers of RuntimeService."""

from __future__ import annotations

from collections.abc import Sequence

from sessiond.access import View
from sessiond.model.errors import invalid
from sessiond.model.events import Delta
from sessiond.model.rules import Rules
from sessiond.model.runs import Run
from sessiond.model.visibility import EVERYTHING
from sessiond.rpc.convert import runs, sessions, wire
from sessiond.rpc.convert.messages import draft_of
from sessiond.rpc.convert.scalars import at_most, before_deadline, count, given, timestamp
from sessiond.rpc.run_tokens import RunTokens
from sessiond.runtime.acquire_runs import AcquireQuery
from sessiond.runtime.append_run_events import MAX_EVENTS, AppendQuery, Brought
from sessiond.runtime.assignments import Assignment, StepContext
from sessiond.runtime.complete_run import Cancelled, CompleteQuery
from sessiond.runtime.heartbeat_runs import MAX_LEASES, LeaseStatus
from sessiontools.v1 import agent_pb2
from sessiontools.v1 import runtime_service_pb2 as pb

MAX_AGENTS = 100
_RUNS = wire.number_of(pb.AcquireRunsResponse, "runs")
_INPUT, _HISTORY = (wire.number_of(pb.RunAssignment, name) for name in ("input", "history"))
# A runtime acts from no session: it is shown keys in the default agent's way, as an owner is.
NOBODY = View(None, EVERYTHING)


def acquire_query(request: pb.AcquireRunsRequest, deadline_s: float | None) -> AcquireQuery:
    """Which runs a runtime can execute."""
    wait_s = before_deadline(given(request, "wait_seconds") or 0, deadline_s)
    at_most(MAX_AGENTS, request.agent_ids, "agent_ids")
    return AcquireQuery(request.runtime_id, tuple(request.agent_ids), request.max_runs, wait_s)


def acquired(rules: Rules, run_tokens: RunTokens, taken: Sequence[Assignment]) -> bytes:
    """Leased runs with all they need, a serialised AcquireRunsResponse."""
    return wire.with_entries(b"", _RUNS, [_assignment(rules, run_tokens, each) for each in taken])


def _assignment(rules: Rules, run_tokens: RunTokens, taken: Assignment) -> bytes:
    """One of them; messages are copied as they are stored."""
    run = taken.placed.run
    rest = pb.RunAssignment(
        run=runs.run(rules, NOBODY, taken.placed),
        lease_token=str(taken.lease_token),
        lease_expires=timestamp(run.lease_expires_ms or 0),
        run_token=run_tokens.sign(taken.run_token),
        session=sessions.session(rules, NOBODY, taken.session),
        context=_context(taken.context) if taken.context else None,
        tools=agent_pb2.ToolPolicy(allow=taken.tools.allow, deny=taken.tools.deny),
        traceparent=traceparent_of(run),
        history_omitted=count(taken.history_omitted),
        lease_seconds=max(1, taken.lease_ms // 1000),
    )
    return wire.with_entries(
        wire.with_entries(rest.SerializeToString(), _INPUT, [taken.input]), _HISTORY, taken.history
    )


def traceparent_of(run: Run) -> str:
    """The W3C trace context of a run: its trace, and the run as the parent of what it does."""
    return f"00-{run.trace_id}-{run.id.replace('-', '')[-16:]}-01"


def _context(step: StepContext) -> agent_pb2.AgentContext:
    return agent_pb2.AgentContext(
        requester_session_key=step.requester_session_key,
        requester_channel=step.requester_channel,
        target_session_key=step.target_session_key,
        original_request=step.original_request,
        first_reply=step.first_reply,
        latest_reply=step.latest_reply,
        turn=step.turn,
        max_turns=step.max_turns,
        skip_token=step.skip_token,
    )


def leases_of(request: pb.HeartbeatRunsRequest) -> list[str]:
    """The leases that a runtime renews."""
    at_most(MAX_LEASES, request.leases, "leases")
    return list(request.leases)


def lease_status(status: LeaseStatus) -> pb.LeaseStatus:
    """How one lease stands."""
    return pb.LeaseStatus(
        lease_token=status.lease_token,
        lease_expires=None if status.expires_ms is None else timestamp(status.expires_ms),
        cancel_requested=status.cancel_requested,
        cancel_reason=status.cancel_reason if status.cancel_requested else "",
        lost=status.is_lost,
    )


def append_query(request: pb.AppendRunEventsRequest) -> AppendQuery:
    """What a run brought forth."""
    at_most(MAX_EVENTS, request.events, "events")
    events = tuple(_brought(event, f"events[{at}]") for at, event in enumerate(request.events))
    return AppendQuery(request.lease_token, request.first_sequence, events)


def _brought(event: pb.RunEvent, field: str) -> Brought:
    match event.WhichOneof("event"):
        case "delta":
            return Delta(event.delta)
        case "message":
            return draft_of(event.message, f"{field}.message")
        case "usage":
            return runs.usage_of(event.usage)
    raise invalid(field, "has no event: give delta, message or usage")


def complete_query(request: pb.CompleteRunRequest) -> CompleteQuery:
    """How a run ended."""
    usage = runs.usage_of(request.usage) if request.HasField("usage") else None
    match request.WhichOneof("outcome"):
        case "reply":
            return CompleteQuery(request.lease_token, request.reply, usage)
        case "failure":
            return CompleteQuery(request.lease_token, runs.failure_of(request.failure), usage)
        case "cancelled":
            return CompleteQuery(request.lease_token, Cancelled(), usage)
    return CompleteQuery(request.lease_token, None, usage)
