"""Lines that other programs wrote: what they mean, and why some mean nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sessiond.model.messages import Block, Image, Role, Text, Thinking, ToolCall, ToolResult, Usage
from sessiond.transcripts.reading import Entry, Header, Unreadable, parse_line


def _entry(message: Any, **line: Any) -> Entry:
    found = parse_line(json.dumps({"type": "message", "message": message, **line}).encode())
    assert isinstance(found, Entry)
    return found


def _content(*blocks: Any, role: str = "assistant", **fields: Any) -> tuple[Block, ...]:
    return _entry({"role": role, "content": list(blocks), **fields}).draft.content


def test_a_bare_string_is_a_text() -> None:
    entry = _entry({"role": "user", "content": "hello"})

    assert (entry.draft.role, entry.draft.content) == (Role.USER, (Text("hello"),))


def test_a_session_line_names_the_session() -> None:
    assert parse_line(b'{"type":"session","id":"s-1","key":"agent:main:main"}') == Header("s-1", "agent:main:main")
    assert parse_line(b'{"type":"session","version":3,"cwd":"/"}') == Header()


def test_a_byte_order_mark_is_no_part_of_the_line() -> None:
    assert parse_line(b'\xef\xbb\xbf{"type":"session","id":"s-1"}') == Header("s-1")


@pytest.mark.parametrize(
    ("block", "meant"),
    [
        ({"type": "text", "text": "a"}, Text("a")),
        ({"type": "thinking", "thinking": "a", "thinkingSignature": "b"}, Thinking("a", "b")),
        ({"type": "toolCall", "id": "1", "name": "n", "arguments": {"a": 1}}, ToolCall("1", "n", {"a": 1})),
        ({"type": "toolCall", "id": "1", "name": "n", "arguments": '{"a": 1}'}, ToolCall("1", "n", {"a": 1})),
        ({"type": "tool_use", "id": "1", "name": "n", "input": {}}, ToolCall("1", "n", {})),
        (
            {"type": "tool_result", "tool_use_id": "1", "content": [{"type": "text", "text": "a"}], "is_error": True},
            ToolResult("1", "", "a", is_error=True),
        ),
        ({"type": "image", "data": "AP8=", "mimeType": "image/png"}, Image("image/png", b"\x00\xff")),
        (
            {"type": "image", "source": {"type": "base64", "media_type": "image/gif", "data": "AA=="}},
            Image("image/gif", b"\x00"),
        ),
    ],
)
def test_blocks_are_known_by_their_common_names(block: dict[str, Any], meant: Block) -> None:
    assert _content(block) == (meant,)


def test_a_tool_s_answer_may_have_its_call_on_the_message() -> None:
    said = {"type": "text", "text": "line"}
    picture = {"type": "image", "data": "AA==", "mimeType": "image/png"}

    content = _content(said, picture, said, role="toolResult", toolCallId="c", toolName="grep", isError=True)

    assert content == (ToolResult("c", "grep", "line\nline", is_error=True), Image("image/png", b"\x00"))


@pytest.mark.parametrize(
    ("told", "millis"),
    [
        ("2025-06-15T15:06:40.123Z", 1_750_000_000_123),
        ("2025-06-15T17:06:40.123+02:00", 1_750_000_000_123),
        ("2025-06-15T15:06:40", 1_750_000_000_000),
        (1_750_000_000_123, 1_750_000_000_123),
        (1_750_000_000, 1_750_000_000_000),
        (1_750_000_000.5, 1_750_000_000_500),
    ],
)
def test_times_come_as_text_milliseconds_or_seconds(told: Any, millis: int) -> None:
    assert _entry({"role": "user", "content": "a"}, timestamp=told).created_ms == millis
    assert _entry({"role": "user", "content": "a", "timestamp": told}).created_ms == millis


def test_a_message_without_a_time_has_none() -> None:
    assert _entry({"role": "user", "content": "a"}).created_ms is None


@pytest.mark.parametrize(
    ("usage", "meant"),
    [
        ({"input": 1, "output": 2, "totalTokens": 3, "cost": {"total": 0.5}}, Usage(1, 2, 3, 0.5)),
        ({"input_tokens": 1, "output_tokens": 2}, Usage(1, 2, 0)),
        ({"input": -1, "output": "x", "total": True, "cost": -3}, Usage()),
        ("much", None),
    ],
)
def test_usage_is_taken_where_it_makes_sense(usage: Any, meant: Usage | None) -> None:
    assert _entry({"role": "user", "content": "a", "usage": usage}).draft.usage == meant


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "is not JSON"),
        (b"\xff\xfe{}", "is not UTF-8"),
        (b"[]", "is not a JSON object"),
        (b"[" * 100_000, "is not JSON"),
        (b'{"role":"user","content":"a","x":NaN}', "is not JSON: NaN is no JSON"),
        (b'{"type":"compaction"}', "is of type 'compaction', not a message"),
        (b'{"type":"message","message":"hi"}', "`message` is not an object"),
        (b'{"role":"robot","content":"a"}', "has the role 'robot'"),
        (b'{"content":"a"}', "has the role 'None'"),
        (b'{"role":"user"}', "has no `content`"),
        (b'{"role":"user","content":[]}', "has no content"),
        (b'{"role":"user","content":""}', "has no content"),
        (b'{"role":"user","content":["a"]}', "has a block 1 of type 'None', which is not known"),
        (b'{"role":"user","content":[{"type":"video"}]}', "has a block 1 of type 'video', which is not known"),
        (b'{"role":"user","content":[{"type":"image","data":"?"}]}', "has an image without base64 data"),
        (b'{"role":"user","content":[{"type":"toolCall","arguments":[]}]}', "has a tool call whose arguments"),
        (b'{"role":"user","content":[{"type":"toolCall","arguments":"{"}]}', "has a tool call whose arguments"),
        (b'{"role":"user","content":"\\ud800"}', "holds half of a surrogate pair"),
        (b'{"role":"user","content":"a","time":"yesterday"}', "has the time 'yesterday'"),
        (b'{"role":"user","content":"a","time":-1}', "has the time '-1'"),
        (b'{"role":"user","content":"a","time":1e300}', "has the time '1e+300'"),
        (b'{"role":"user","content":"a","time":true}', "has the time 'True'"),
    ],
)
def test_what_can_not_be_read_says_why(line: bytes, reason: str) -> None:
    with pytest.raises(Unreadable) as caught:
        parse_line(line)

    assert str(caught.value).startswith(reason)
