"""A message as one line of JSON, as the mirror holds it; what is not set is left out.

Made from the stored form itself: by way of the model a line takes nearly twice as long, and each message gets one.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from google.protobuf.json_format import MessageToDict

from sessiond.model.messages import ProvenanceKind, Role
from sessiontools.v1 import message_pb2 as pb

_JSON = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_ROLES = {pb.Role.Value(f"ROLE_{role.name}"): role.value for role in Role}
_KINDS = {pb.ProvenanceKind.Value(f"PROVENANCE_KIND_{kind.name}"): kind.value for kind in ProvenanceKind}


def line_of(message: pb.Message, session_key: str) -> bytes:
    """The message as a line with its end; the key is on every line, so that one alone says where it belongs."""
    fields: dict[str, Any] = {
        "id": message.id,
        "session_key": session_key,
        "sequence": message.sequence,
        "time": time_of(message.create_time.ToMilliseconds()),
        "role": _ROLES[message.role],
        "content": [_block(block) for block in message.content],
    }
    if message.run_id:
        fields["run_id"] = message.run_id
    if message.HasField("provenance"):
        fields["provenance"] = _provenance(message.provenance)
    if message.model:
        fields["model"] = message.model
    if message.HasField("usage"):
        fields["usage"] = _usage(message.usage)
    return _JSON.encode(fields).encode() + b"\n"


def time_of(millis: int) -> str:
    """A moment in ISO 8601, in UTC and to the millisecond."""
    return f"{_second(millis // 1000)}.{millis % 1000:03}Z"


@lru_cache(64)
def _second(seconds: int) -> str:
    """Kept, because messages that are written together are of the same few seconds."""
    return (_EPOCH + timedelta(seconds=seconds)).isoformat().removesuffix("+00:00")


def _block(block: pb.ContentBlock) -> dict[str, Any]:
    """One that this version does not know is empty text, as it is everywhere."""
    kind = block.WhichOneof("block")
    return _BLOCKS[kind](getattr(block, kind)) if kind else {"type": "text", "text": ""}


def _thinking(block: pb.ThinkingBlock) -> dict[str, Any]:
    return {"type": "thinking", "text": block.text, **({"signature": block.signature} if block.signature else {})}


def _tool_call(block: pb.ToolCallBlock) -> dict[str, Any]:
    return {"type": "tool_call", "id": block.id, "name": block.name, "arguments": MessageToDict(block.arguments)}


def _tool_result(block: pb.ToolResultBlock) -> dict[str, Any]:
    told = {"tool_call_id": block.tool_call_id, "name": block.name, "text": block.text, "is_error": block.is_error}
    return {"type": "tool_result", **told}


def _image(block: pb.ImageBlock) -> dict[str, Any]:
    return {"type": "image", "mime_type": block.mime_type, "data": base64.b64encode(block.data).decode()}


_BLOCKS: dict[str, Callable[[Any], dict[str, Any]]] = {
    "text": lambda block: {"type": "text", "text": block.text},
    "thinking": _thinking,
    "tool_call": _tool_call,
    "tool_result": _tool_result,
    "image": _image,
}


def _provenance(source: pb.Provenance) -> dict[str, str]:
    told = {"source_session_key": source.source_session_key, "source_run_id": source.source_run_id, "tool": source.tool}
    return {"kind": _KINDS[source.kind], **{name: value for name, value in told.items() if value}}


def _usage(usage: pb.Usage) -> dict[str, Any]:
    tokens = {name: getattr(usage, name) for name in ("input_tokens", "output_tokens", "total_tokens")}
    return {**tokens, "cost_usd": usage.cost_usd} if usage.HasField("cost_usd") else tokens
