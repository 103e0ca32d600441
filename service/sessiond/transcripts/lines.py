"""A message as one line of JSON, as the mirror holds it; what is not set is left out."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any

from sessiond.model.messages import Block, Image, Message, Provenance, Text, Thinking, ToolCall, ToolResult, Usage

_JSON = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def line_of(message: Message, session_key: str) -> bytes:
    """The message as a line with its end; the key is on every line, so that one alone says where it belongs."""
    draft = message.draft
    fields: dict[str, Any] = {
        "id": message.id,
        "session_key": session_key,
        "sequence": message.sequence,
        "time": time_of(message.created_ms),
        "role": draft.role.value,
        "content": [_block(block) for block in draft.content],
        "run_id": draft.run_id,
        "provenance": _provenance(draft.provenance),
        "model": draft.model,
        "usage": _usage(draft.usage),
    }
    told = {name: value for name, value in fields.items() if value not in ("", None)}
    return _JSON.encode(told).encode() + b"\n"


def time_of(millis: int) -> str:
    """A moment in ISO 8601, in UTC and to the millisecond."""
    return f"{_second(millis // 1000)}.{millis % 1000:03}Z"


@lru_cache(64)
def _second(seconds: int) -> str:
    """Kept, because messages that are written together are of the same few seconds."""
    return (_EPOCH + timedelta(seconds=seconds)).isoformat().removesuffix("+00:00")


def _block(block: Block) -> dict[str, Any]:
    match block:
        case Text(text):
            return {"type": "text", "text": text}
        case Thinking(text, signature):
            return {"type": "thinking", "text": text, **({"signature": signature} if signature else {})}
        case ToolCall(call_id, name, arguments):
            return {"type": "tool_call", "id": call_id, "name": name, "arguments": arguments}
        case ToolResult(call_id, name, text, is_error):
            return {"type": "tool_result", "tool_call_id": call_id, "name": name, "text": text, "is_error": is_error}
        case Image(mime_type, data):
            return {"type": "image", "mime_type": mime_type, "data": base64.b64encode(data).decode()}


def _provenance(source: Provenance | None) -> dict[str, str] | None:
    return None if source is None else {name: str(value) for name, value in vars(source).items() if value}


def _usage(usage: Usage | None) -> dict[str, Any] | None:
    return None if usage is None else {name: value for name, value in vars(usage).items() if value is not None}
