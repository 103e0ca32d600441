"""Content blocks from JSON, by the names that they commonly have."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Iterator
from typing import Any

from sessiond.model.messages import MAX_DEPTH, Block, Image, Role, Text, Thinking, ToolCall, ToolResult, is_too_deep

Fields = dict[str, Any]


class Unreadable(ValueError):  # noqa: N818 - says what is so
    """Why a line is no message, as the end of a sentence about it."""


def blocks_of(role: Role, message: Fields) -> tuple[Block, ...]:
    """The content of a message; a bare string is one text."""
    blocks = tuple(_blocks(message.get("content")))
    call_id = text_at(message, "toolCallId", "tool_call_id")
    if role is not Role.TOOL_RESULT or not call_id:
        return blocks
    # The common form has the call on the message, and what the tool said as plain blocks.
    is_error = message.get("isError", message.get("is_error")) is True
    result = ToolResult(call_id, text_at(message, "toolName", "tool_name", "name"), _words(blocks), is_error)
    return (result, *(block for block in blocks if not isinstance(block, Text)))


def text_at(fields: Fields, *names: str) -> str:
    """The first of these fields that holds a text; empty when none does. One that can't be stored is refused."""
    found = next((fields[name] for name in names if isinstance(fields.get(name), str)), "")
    try:
        found.encode()
    except UnicodeEncodeError:
        raise Unreadable("holds half of a surrogate pair, which is no text") from None
    return found


def _blocks(content: Any) -> Iterator[Block]:
    if isinstance(content, str):
        content = [{"type": "text", "text": content}] if content else []
    if not isinstance(content, list):
        raise Unreadable("has no `content` that is a string or a list")
    for number, block in enumerate(content, 1):
        kind = block.get("type") if isinstance(block, dict) else None
        read = _READERS.get(str(kind).lower().replace("_", ""))
        if read is None:
            raise Unreadable(f"has a block {number} of type {str(kind)[:40]!r}, which is not known")
        yield read(block)


def _words(blocks: tuple[Block, ...]) -> str:
    return "\n".join(block.text for block in blocks if isinstance(block, Text))


def _tool_call(block: Fields) -> ToolCall:
    arguments = block.get("arguments", block.get("input", {}))
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments or "{}")
        except (ValueError, RecursionError):
            arguments = None
    if not isinstance(arguments, dict):
        raise Unreadable("has a tool call whose arguments are not a JSON object")
    if is_too_deep(arguments):
        raise Unreadable(f"has a tool call whose arguments are nested more than {MAX_DEPTH} levels deep")
    return ToolCall(text_at(block, "id"), text_at(block, "name"), arguments)


def _tool_result(block: Fields) -> ToolResult:
    said = text_at(block, "text") or _words(tuple(_blocks(block.get("content", ""))))
    is_error = block.get("is_error", block.get("isError")) is True
    return ToolResult(
        text_at(block, "tool_call_id", "toolCallId", "tool_use_id"), text_at(block, "name"), said, is_error
    )


def _image(block: Fields) -> Image:
    source = block["source"] if isinstance(block.get("source"), dict) else block
    try:
        data = base64.b64decode(text_at(source, "data"), validate=True)
    except (binascii.Error, ValueError):
        data = b""
    if not data:
        raise Unreadable("has an image without base64 data")
    return Image(text_at(source, "mime_type", "mimeType", "media_type"), data)


_READERS: dict[str, Callable[[Fields], Block]] = {
    "text": lambda block: Text(text_at(block, "text")),
    "thinking": lambda block: Thinking(
        text_at(block, "thinking", "text"), text_at(block, "signature", "thinkingSignature")
    ),
    "toolcall": _tool_call,
    "tooluse": _tool_call,
    "toolresult": _tool_result,
    "image": _image,
}
