"""A message as a line of the mirror, and back (L9)."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

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
)
from sessiond.store.codec import encode, parse
from sessiond.transcripts.lines import line_of, time_of
from sessiond.transcripts.reading import Entry, Header, parse_line
from sessiontools.v1 import message_pb2 as pb

KEY = "agent:main:main"


def _raw(message: Message) -> bytes:
    return line_of(parse(encode(message)), KEY)


def _line(draft: Draft, sequence: int = 1) -> dict[str, Any]:
    raw = _raw(Message(f"s-1:{sequence}", sequence, 1_750_000_000_123, draft))
    found: dict[str, Any] = json.loads(raw)
    return found


def test_a_line_says_everything_about_a_message() -> None:
    source = Provenance(ProvenanceKind.INTER_SESSION, "agent:ops:main", "r-1", "sessions_send")
    draft = Draft(Role.ASSISTANT, (Text("hi"),), source, "r-2", "echo", Usage(3, 4, 7, 0.5))

    assert _line(draft, 9) == {
        "id": "s-1:9",
        "session_key": KEY,
        "sequence": 9,
        "time": "2025-06-15T15:06:40.123Z",
        "role": "assistant",
        "content": [{"type": "text", "text": "hi"}],
        "run_id": "r-2",
        "provenance": {
            "kind": "inter_session",
            "source_session_key": "agent:ops:main",
            "source_run_id": "r-1",
            "tool": "sessions_send",
        },
        "model": "echo",
        "usage": {"input_tokens": 3, "output_tokens": 4, "total_tokens": 7, "cost_usd": 0.5},
    }


def test_what_is_not_set_is_left_out() -> None:
    line = _line(Draft(Role.USER, (Text("hi"),)))

    assert set(line) == {"id", "session_key", "sequence", "time", "role", "content"}


def test_every_block_has_its_form() -> None:
    blocks: tuple[Block, ...] = (
        Text(""),
        Thinking("hm", "sig"),
        ToolCall("c-1", "look", {"at": [1, None, {"deep": True}]}),
        ToolResult("c-1", "look", "seen", is_error=True),
        Image("image/png", b"\x00\xff"),
    )

    assert _line(Draft(Role.ASSISTANT, blocks))["content"] == [
        {"type": "text", "text": ""},
        {"type": "thinking", "text": "hm", "signature": "sig"},
        {"type": "tool_call", "id": "c-1", "name": "look", "arguments": {"at": [1, None, {"deep": True}]}},
        {"type": "tool_result", "tool_call_id": "c-1", "name": "look", "text": "seen", "is_error": True},
        {"type": "image", "mime_type": "image/png", "data": "AP8="},
    ]


def test_a_block_that_this_version_does_not_know_is_empty_text() -> None:
    message = pb.Message(role=pb.ROLE_USER, content=[pb.ContentBlock()])

    assert json.loads(line_of(message, KEY))["content"] == [{"type": "text", "text": ""}]


def test_a_message_is_one_line_whatever_it_says() -> None:
    said = "one\ntwo\r\nthree\u2028four\x85\x00\x1b[2J"
    raw = _raw(Message("s-1:1", 1, 0, Draft(Role.USER, (Text(said),))))

    assert raw.count(b"\n") == 1
    assert raw.endswith(b"}\n")
    assert json.loads(raw)["content"][0]["text"] == said


def test_times_are_exact_to_the_millisecond() -> None:
    assert time_of(1) == "1970-01-01T00:00:00.001Z"
    assert time_of(1_750_000_000_999) == "2025-06-15T15:06:40.999Z"


words = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
some_json = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False, allow_infinity=False) | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3),
    max_leaves=5,
)
blocks = st.one_of(
    st.builds(Text, words),
    st.builds(Thinking, words, words),
    st.builds(ToolCall, words, words, st.dictionaries(words, some_json, max_size=3)),
    st.builds(ToolResult, words, words, words, st.booleans()),
    st.builds(Image, words, st.binary(min_size=1, max_size=20)),
)
tokens = st.integers(0, 2**32 - 1)
drafts = st.builds(
    Draft,
    st.sampled_from(Role),
    st.lists(blocks, min_size=1, max_size=3).map(tuple),
    st.none() | st.builds(Provenance, st.sampled_from(ProvenanceKind), words, words, words),
    words,
    words,
    st.none() | st.builds(Usage, tokens, tokens, tokens, st.none() | st.floats(0, 1e6)),
)


@given(drafts, st.integers(0, 253_402_300_799_999))
def test_what_is_read_back_is_what_was_written(draft: Draft, created_ms: int) -> None:
    raw = _raw(Message("a-session:12", 12, created_ms, draft))

    assert parse_line(raw) == Entry(draft, created_ms, Header("a-session", KEY))
