"""Runs and their events as the contract shows them."""

from __future__ import annotations

import math
from typing import Any

from sessiond.access import View
from sessiond.following import Ended, Followed, Following, Happened, Heartbeat, Snapshot, Told
from sessiond.model.errors import invalid
from sessiond.model.keys import shown
from sessiond.model.messages import Usage
from sessiond.model.rules import Rules
from sessiond.model.runs import Failure, Run, cursor_of
from sessiond.rpc.convert import redaction
from sessiond.rpc.convert.enums import END_REASON, RUN_KIND, RUN_STATE
from sessiond.rpc.convert.scalars import MAX_UINT32, count, timestamp
from sessiond.store.codec import put_time
from sessiond.store.run_events import StoredEvent
from sessiond.store.runs import PlacedRun
from sessiontools.v1 import message_pb2, run_pb2
from sessiontools.v1 import session_tools_service_pb2 as pb


def run(rules: Rules, view: View | None, placed: PlacedRun) -> run_pb2.Run:
    """A run as this caller sees it."""
    shown_run = run_pb2.Run()
    put_run(shown_run, rules, view, placed)
    return shown_run


def put_run(body: run_pb2.Run, rules: Rules, view: View | None, placed: PlacedRun) -> None:
    """The same into its place in an answer, which costs half of making it first and having it taken over."""
    stored = placed.run
    body.id, body.kind, body.state = stored.id, RUN_KIND.number(stored.kind), RUN_STATE.number(stored.state)
    body.session_key = shown(placed.session_key, rules.keys, _agent_of(view))
    body.session_id, body.agent_id, body.model = placed.session_id, stored.agent_id, stored.model
    body.exchange_id, body.turn = stored.exchange_id, stored.turn
    body.parent_run_id, body.root_run_id = stored.parent_run_id, stored.root_run_id
    body.trace_id, body.depth = stored.trace_id, stored.depth
    body.version, body.attempt, body.runtime_id = stored.version, stored.attempt, stored.runtime_id
    body.queue_position, body.blocking_run_id = count(placed.queue_position), placed.blocking_run_id
    body.run_timeout_seconds = count(stored.timeout_ms // 1000)
    body.input_message_id = placed.input_message_id
    if (told := stored.usage) is not None:
        body.usage.CopyFrom(usage(told))
    put_time(body.queue_time, stored.queue_ms)
    if stored.start_ms is not None:
        put_time(body.start_time, stored.start_ms)
    if stored.end_ms is not None:
        put_time(body.end_time, stored.end_ms)
        _put_end(body, stored, redaction.is_run_masked(rules, view, placed))


def _put_end(body: run_pb2.Run, stored: Run, masked: bool) -> None:
    """What is only told of a run that has ended."""
    body.end_actor, body.end_reason, body.skipped = stored.end_actor, stored.end_reason, bool(stored.is_skipped)
    reply = None if stored.reply is None else redaction.text(stored.reply, masked=masked)
    failure = redaction.text(stored.failure_message, masked=masked)
    body.redacted = reply is not stored.reply or failure is not stored.failure_message
    if reply is not None:
        body.reply = reply
    if stored.failure_reason is not None:
        body.failure.reason, body.failure.message = stored.failure_reason, failure
        body.failure.retryable = bool(stored.failure_retryable)


def _agent_of(view: View | None) -> str | None:
    return view.agent_id if view else None


def failure_of(given: run_pb2.RunFailure) -> Failure:
    """The model's failure."""
    return Failure(given.reason, given.message, given.retryable)


def usage(told: Usage) -> message_pb2.Usage:
    """Tokens and money in the contract's form."""
    return message_pb2.Usage(
        input_tokens=count(told.input_tokens),
        output_tokens=count(told.output_tokens),
        total_tokens=count(told.total_tokens),
        cost_usd=told.cost_usd,
    )


def usage_of(given: message_pb2.Usage) -> Usage:
    """The model's usage."""
    cost = given.cost_usd if given.HasField("cost_usd") else None
    if cost is not None and not 0 <= cost < math.inf:
        raise invalid("usage.cost_usd", "is not an amount of 0 or more")
    total = given.total_tokens or min(given.input_tokens + given.output_tokens, MAX_UINT32)
    return Usage(given.input_tokens, given.output_tokens, total, cost)


def wait_response(rules: Rules, following: Following, told: Told) -> pb.WaitRunResponse:
    """One message of a WaitRun stream; every one carries the cursor after it."""
    view, (followed,) = following.view, following.followed
    response: pb.WaitRunResponse = _response(rules, view, told, pb.WaitRunResponse)
    response.cursor = cursor_of(followed.run_id, followed.seen)
    response.sequence = followed.seen
    if isinstance(told, Ended) and followed.placed is not None:
        response.ended.run.CopyFrom(run(rules, view, followed.placed))
    return response


def waits_response(rules: Rules, following: Following, told: Told) -> pb.WaitRunsResponse:
    """One message of a WaitRuns stream; what belongs to one run carries its id and cursor."""
    view = following.view
    response: pb.WaitRunsResponse = _response(rules, view, told, pb.WaitRunsResponse)
    followed = None if isinstance(told, Heartbeat) else told.followed
    if followed is not None:
        response.run_id = followed.run_id
        response.cursor = cursor_of(followed.run_id, followed.seen)
        response.sequence = followed.seen
        if isinstance(told, Ended) and followed.placed is not None:
            response.ended.run.CopyFrom(run(rules, view, followed.placed))
    return response


def _response(rules: Rules, view: View | None, told: Told, message: Any) -> Any:
    match told:
        case Happened(followed, event):
            return _happened(rules, view, followed, event, message)
        case Snapshot(_, placed, at_ms):
            return message(event_time=timestamp(at_ms), snapshot=run_pb2.RunSnapshot(run=run(rules, view, placed)))
        case Heartbeat(at_ms):
            return message(event_time=timestamp(at_ms), heartbeat=run_pb2.Heartbeat())
        case Ended(reason, at_ms):
            ended = run_pb2.WaitEnded(reason=END_REASON.number(reason))
            return message(event_time=timestamp(at_ms), ended=ended)


def _happened(rules: Rules, view: View | None, followed: Followed, event: StoredEvent, message: Any) -> Any:
    stored = pb.WaitRunResponse.FromString(event.body)
    placed = followed.placed
    if event.message is not None:
        masked = placed is None or redaction.is_masked(rules, view, placed.run.session)
        stored.message_appended.message.CopyFrom(redaction.message(event.message, masked=masked))
    elif event.kind == "delivery":
        delivery = stored.delivery_changed.delivery
        masked = placed is None or redaction.is_run_masked(rules, view, placed)
        delivery.text = redaction.text(delivery.text, masked=masked)
    if followed.hides_others:
        _hide_others(stored, placed)
    _show_keys(rules, view, stored)
    kind = stored.WhichOneof("event")
    response = message(event_time=timestamp(event.at_ms))
    if kind is not None:
        getattr(response, kind).CopyFrom(getattr(stored, kind))
    return response


def _hide_others(stored: pb.WaitRunResponse, placed: PlacedRun | None) -> None:
    """That something happened is told; where, only if it was in the run's own session."""
    own = placed.session_key if placed else ""
    delivery = stored.delivery_changed.delivery if stored.HasField("delivery_changed") else None
    if delivery is not None and delivery.session_key != own:
        for field in ("session_key", "route", "text", "receipt", "last_failure"):
            delivery.ClearField(field)
    if stored.HasField("turn_changed") and stored.turn_changed.session_key != own:
        stored.turn_changed.ClearField("session_key")


def _show_keys(rules: Rules, view: View | None, stored: pb.WaitRunResponse) -> None:
    """Keys are stored in full and shown as the caller knows them (K6)."""
    kind = stored.WhichOneof("event")
    if kind == "turn_changed":
        stored.turn_changed.session_key = _shown(stored.turn_changed.session_key, rules, view)
    elif kind == "delivery_changed":
        delivery = stored.delivery_changed.delivery
        delivery.session_key = _shown(delivery.session_key, rules, view)


def _shown(key: str, rules: Rules, view: View | None) -> str:
    return shown(key, rules.keys, _agent_of(view)) if key else ""
