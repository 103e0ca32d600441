"""A run's events as they come, on one stream after the other, and as lines to read."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from typing import Any

import grpc

from sessiontools.v1 import delivery_pb2, message_pb2, run_pb2
from sessiontools.v1 import session_tools_service_pb2 as pb
from sessiontools.v1.session_tools_service_pb2_grpc import SessionToolsServiceStub

Metadata = Sequence[tuple[str, str]]

# How long to look for a server that went away, and how often.
PATIENCE_S = 60.0
RETRY_S = 0.2
_CUT = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED, grpc.StatusCode.INTERNAL)
_OVER = (run_pb2.END_REASON_RUN_TERMINAL, run_pb2.END_REASON_SETTLED, run_pb2.END_REASON_MAX_WAIT)


def follow(
    stub: SessionToolsServiceStub, request: pb.WaitRunRequest, metadata: Metadata = ()
) -> Iterator[pb.WaitRunResponse]:
    """Every event of a run up to its end; a stream that is cut, or ends early, is resumed where it stopped (W1, W2)."""
    give_up = time.monotonic() + PATIENCE_S
    until = time.monotonic() + request.max_wait_seconds
    is_resumed = False
    while True:
        try:
            for event in stub.WaitRun(request, metadata=tuple(metadata)):
                give_up = time.monotonic() + PATIENCE_S
                request.cursor = event.cursor
                if _is_news(event, is_resumed):
                    yield event
                if event.HasField("ended") and event.ended.reason in _OVER:
                    return
        except grpc.RpcError as problem:
            if _code(problem) not in _CUT or time.monotonic() > give_up:
                raise
        is_resumed = True
        time.sleep(RETRY_S)
        if request.HasField("max_wait_seconds"):
            request.max_wait_seconds = max(0, math.ceil(until - time.monotonic()))


def _is_news(event: pb.WaitRunResponse, is_resumed: bool) -> bool:
    kind = event.WhichOneof("event")
    if kind == "ended":
        return event.ended.reason in _OVER
    return kind != "heartbeat" and not (kind == "snapshot" and is_resumed)


def _code(problem: Any) -> grpc.StatusCode:
    code: grpc.StatusCode = problem.code()
    return code


def line_of(event: pb.WaitRunResponse) -> str:
    """The event in one line."""
    match event.WhichOneof("event"):
        case "snapshot":
            return _snapshot(event.snapshot.run)
        case "state_changed":
            change = event.state_changed
            why = f" ({change.reason})" if change.reason else ""
            before = f"{_state(change.from_state)} -> " if change.from_state else ""
            return f"state     {before}{_state(change.to_state)}{why}, by {change.actor}"
        case "message_appended":
            return f"message   {_message(event.message_appended.message)}"
        case "output_delta":
            return f"delta     {one_line(event.output_delta.text)}"
        case "turn_changed":
            turn = event.turn_changed
            return f"turn      {turn.turn} in {turn.session_key}" if turn.turn else f"announce  in {turn.session_key}"
        case "delivery_changed":
            return f"delivery  {_delivery(event.delivery_changed.delivery)}"
        case "replay_gap":
            return f"gap       {event.replay_gap.cause}"
        case _:
            return f"ended     {_ending(event.ended)}"


def one_line(text: str) -> str:
    """A text without its line breaks, nor anything else that would move a terminal's cursor."""
    words = " / ".join(part.strip() for part in text.splitlines() if part.strip())
    return "".join(each if each.isprintable() else "?" for each in words)


def _snapshot(run: run_pb2.Run) -> str:
    place = f", {run.queue_position} before it" if run.queue_position else ""
    return f"run       {run.id} in {run.session_key}: {_state(run.state)}{place}"


def _message(message: message_pb2.Message) -> str:
    role = message_pb2.Role.Name(message.role).removeprefix("ROLE_").lower()
    return f"{role}: {one_line(' / '.join(_block(block) for block in message.content))}"


def _block(block: message_pb2.ContentBlock) -> str:
    match block.WhichOneof("block"):
        case "text":
            return block.text.text
        case "thinking":
            return f"(thinking) {block.thinking.text}"
        case "tool_call":
            return f"(calls {block.tool_call.name})"
        case "tool_result":
            return f"({block.tool_result.name} says) {block.tool_result.text}"
        case _:
            return "(a picture)"


def _delivery(delivery: delivery_pb2.Delivery) -> str:
    word = delivery_pb2.DeliveryState.Name(delivery.state).removeprefix("DELIVERY_STATE_").lower()
    where = f" to {delivery.route.channel} {delivery.route.to}" if delivery.route.channel else ""
    why = f" ({delivery.suppressed_reason})" if delivery.suppressed_reason else ""
    return f"{word}{why}{where}"


def _ending(ended: run_pb2.WaitEnded) -> str:
    if ended.reason == run_pb2.END_REASON_MAX_WAIT:
        return f"not waited for any longer; the run is {_state(ended.run.state)} and goes on"
    failure = (
        f": {ended.run.failure.reason} {one_line(ended.run.failure.message)}" if ended.run.HasField("failure") else ""
    )
    return f"{_state(ended.run.state)}{failure}"


def _state(state: run_pb2.RunState.ValueType) -> str:
    return run_pb2.RunState.Name(state).removeprefix("RUN_STATE_").lower()
