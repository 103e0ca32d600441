"""Messages and run events as stored: the contract's own serialised form, so that reading history copies bytes.

The one place of the store that knows protobuf; a storage format here, not a wire protocol.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from google.protobuf import json_format
from google.protobuf.timestamp_pb2 import Timestamp

from sessiond.model.deliveries import Delivery, DeliveryState
from sessiond.model.events import DeliveryMoved, Delta, Event, MessageWritten, StateChanged, TurnTaken
from sessiond.model.messages import (
    Block,
    Draft,
    Image,
    Message,
    Provenance,
    ProvenanceKind,
    Role,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
    shallow,
)
from sessiontools.v1 import delivery_pb2, run_pb2, session_tools_service_pb2
from sessiontools.v1 import message_pb2 as pb

_ROLES = {
    Role.USER: pb.ROLE_USER,
    Role.ASSISTANT: pb.ROLE_ASSISTANT,
    Role.TOOL_RESULT: pb.ROLE_TOOL_RESULT,
    Role.SYSTEM: pb.ROLE_SYSTEM,
}
_KINDS = {kind: pb.ProvenanceKind.Value(f"PROVENANCE_KIND_{kind.name}") for kind in ProvenanceKind}
_ROLE_OF = {number: role for role, number in _ROLES.items()}
_KIND_OF = {number: kind for kind, number in _KINDS.items()}


def encode(message: Message) -> bytes:
    """The stored form of a message."""
    draft = message.draft
    body = pb.Message(
        id=message.id, sequence=message.sequence, role=_ROLES[draft.role], run_id=draft.run_id, model=draft.model
    )
    # Filled where they are: parts that are made first and then taken over cost twice as much.
    for block in draft.content:
        _put_block(body.content.add(), block)
    if draft.provenance is not None:
        _put_provenance(body.provenance, draft.provenance)
    if draft.usage is not None:
        _put_usage(body.usage, draft.usage)
    put_time(body.create_time, message.created_ms)
    return body.SerializeToString()


def parse(body: bytes) -> pb.Message:
    """A stored message in the contract's form."""
    return pb.Message.FromString(body)


def decode(body: bytes) -> Message:
    """A message back from its stored form."""
    stored = parse(body)
    draft = Draft(
        role=_ROLE_OF[stored.role],
        content=tuple(decode_block(block) for block in stored.content),
        provenance=_decode_provenance(stored.provenance) if stored.HasField("provenance") else None,
        run_id=stored.run_id,
        model=stored.model,
        usage=_decode_usage(stored.usage) if stored.HasField("usage") else None,
    )
    return Message(stored.id, stored.sequence, stored.create_time.ToMilliseconds(), draft)


def text_of(body: bytes) -> str:
    """The words of a stored message, as `Message.text` has them."""
    return "\n".join(block.text.text for block in parse(body).content if block.WhichOneof("block") in ("text", None))


def _put_block(body: pb.ContentBlock, block: Block) -> None:
    match block:
        case Text(text):
            body.text.text = text
        case Thinking(text, signature):
            body.thinking.text, body.thinking.signature = text, signature
        case ToolCall(call_id, name, arguments):
            body.tool_call.id, body.tool_call.name = call_id, name
            body.tool_call.arguments.update(shallow(arguments))
        case ToolResult(call_id, name, text, is_error):
            result = body.tool_result
            result.tool_call_id, result.name, result.text, result.is_error = call_id, name, text, is_error
        case Image(mime_type, data):
            body.image.mime_type, body.image.data = mime_type, data


def decode_block(block: pb.ContentBlock) -> Block:
    """One content block in the model's form; one that this version does not know reads as empty text."""
    kind = block.WhichOneof("block")
    return _DECODERS[kind](getattr(block, kind)) if kind else Text("")


_DECODERS: dict[str, Callable[[Any], Block]] = {
    "text": lambda block: Text(block.text),
    "thinking": lambda block: Thinking(block.text, block.signature),
    "tool_call": lambda block: ToolCall(block.id, block.name, json_format.MessageToDict(block.arguments)),
    "tool_result": lambda block: ToolResult(block.tool_call_id, block.name, block.text, block.is_error),
    "image": lambda block: Image(block.mime_type, block.data),
}


def _put_provenance(body: pb.Provenance, source: Provenance) -> None:
    body.kind, body.tool = _KINDS[source.kind], source.tool
    body.source_session_key, body.source_run_id = source.source_session_key, source.source_run_id


def _decode_provenance(source: pb.Provenance) -> Provenance:
    return Provenance(_KIND_OF[source.kind], source.source_session_key, source.source_run_id, source.tool)


def _put_usage(body: pb.Usage, usage: Usage) -> None:
    body.input_tokens, body.output_tokens, body.total_tokens = (
        usage.input_tokens,
        usage.output_tokens,
        usage.total_tokens,
    )
    if usage.cost_usd is not None:
        body.cost_usd = usage.cost_usd


def _decode_usage(usage: pb.Usage) -> Usage:
    cost = usage.cost_usd if usage.HasField("cost_usd") else None
    return Usage(usage.input_tokens, usage.output_tokens, usage.total_tokens, cost)


@lru_cache(256)
def _encode_change(from_state: str | None, to_state: str, actor: str, reason: str) -> bytes:
    """Kept, because most runs go through the same few changes."""
    stored = session_tools_service_pb2.WaitRunResponse()
    stored.state_changed.from_state = run_state(from_state)
    stored.state_changed.to_state = run_state(to_state)
    stored.state_changed.actor = actor
    stored.state_changed.reason = reason
    return stored.SerializeToString()


def encode_event(event: Event) -> bytes:
    """The stored form of a run's event: the contract's message but for cursor, sequence and time."""
    if isinstance(event, StateChanged):
        return _encode_change(event.from_state, event.to_state, event.actor, event.reason)
    stored = session_tools_service_pb2.WaitRunResponse()
    match event:
        case Delta(text):
            stored.output_delta.text = text
        case TurnTaken(exchange_id, turn, session_key, run_id):
            stored.turn_changed.exchange_id = exchange_id
            stored.turn_changed.turn = turn
            stored.turn_changed.session_key = session_key
            stored.turn_changed.run_id = run_id
        case DeliveryMoved(delivery, session_key):
            stored.delivery_changed.delivery.CopyFrom(encode_delivery(delivery, session_key))
        case MessageWritten():  # the message itself is stored in messages
            return b""
    return stored.SerializeToString()


def run_state(word: str | None) -> Any:
    """A state in the contract's form."""
    return run_pb2.RunState.Value(f"RUN_STATE_{word.upper()}") if word else run_pb2.RUN_STATE_UNSPECIFIED


def encode_delivery(delivery: Delivery, session_key: str) -> delivery_pb2.Delivery:
    """A delivery in the contract's form, without what only its holder may know."""
    shown = delivery_pb2.Delivery(
        id=delivery.id,
        exchange_id=delivery.exchange_id,
        run_id=delivery.run_id,
        session_key=session_key,
        text=delivery.text,
        state=delivery_pb2.DeliveryState.Value(f"DELIVERY_STATE_{delivery.state.upper()}"),
        suppressed_reason=delivery.suppressed_reason,
        policy_rule=delivery.policy_rule,
        attempts=delivery.attempts,
        last_failure=delivery.last_failure,
        receipt=delivery.receipt,
        possibly_delivered=bool(delivery.possibly_delivered),
    )
    if delivery.route is not None:
        shown.route.channel, shown.route.to = delivery.route.channel, delivery.route.to
        shown.route.account_id, shown.route.thread_id = delivery.route.account_id, delivery.route.thread_id
    put_time(shown.create_time, delivery.created_ms)
    if delivery.next_attempt_ms is not None and delivery.attempts and delivery.state == DeliveryState.PENDING:
        put_time(shown.next_attempt_time, delivery.next_attempt_ms)
    if delivery.end_ms is not None:
        put_time(shown.end_time, delivery.end_ms)
    return shown


def put_time(body: Timestamp, millis: int) -> None:
    """An instant of the database's clock into its place."""
    body.seconds, body.nanos = millis // 1000, millis % 1000 * 1_000_000
