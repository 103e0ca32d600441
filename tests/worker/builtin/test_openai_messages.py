"""Transcripts as Chat Completions: tidy for the endpoint, and honest about who said what."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sessiond.model.messages import (
    Block,
    Draft,
    Image,
    Provenance,
    ProvenanceKind,
    Role,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from sessiond.worker.builtin.openai_messages import NO_RESULT, messages_as_json

USER, ASSISTANT, RESULT, SYSTEM = Role.USER, Role.ASSISTANT, Role.TOOL_RESULT, Role.SYSTEM
CALL = ToolCall("x", "look", {"at": "ä"})


def said(role: Role, *content: Block | str, provenance: Provenance | None = None) -> Draft:
    return Draft(role, tuple(Text(block) if isinstance(block, str) else block for block in content), provenance)


def answer(call_id: str, text: str = "seen") -> Draft:
    return said(RESULT, ToolResult(call_id, "look", text))


def asking(*call_ids: str, text: str | None = None) -> dict[str, Any]:
    function = {"name": "look", "arguments": '{"at": "ä"}'}
    calls = [{"id": call_id, "type": "function", "function": function} for call_id in call_ids]
    return {"role": "assistant", "content": text, "tool_calls": calls}


def tool(call_id: str, text: str = "seen") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": text}


def test_each_role_keeps_its_words() -> None:
    drafts = [said(SYSTEM, "be kind"), said(USER, "a", "b"), said(ASSISTANT, Thinking("hm"), "c"), said(USER, "d")]

    assert messages_as_json(drafts) == [
        {"role": "system", "content": "be kind"},
        {"role": "user", "content": "a\nb"},
        {"role": "assistant", "content": "c"},
        {"role": "user", "content": "d"},
    ]


def test_messages_without_words_are_left_out() -> None:
    assert (
        messages_as_json([said(ASSISTANT, Thinking("hm")), said(USER), said(RESULT, "stray"), said(SYSTEM, "")]) == []
    )


def test_pictures_are_data_urls() -> None:
    [message] = messages_as_json([said(USER, "what is this?", Image("image/png", b"\x89\xff"))])

    assert message["content"] == [
        {"type": "text", "text": "what is this?"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,if8="}},
    ]


@pytest.mark.parametrize("kind", [kind for kind in ProvenanceKind if kind is not ProvenanceKind.USER])
def test_words_that_are_not_the_users_are_marked(kind: ProvenanceKind) -> None:  # S7
    note, message = messages_as_json([said(USER, "do it", provenance=Provenance(kind, "agent:a{b}:main"))])

    assert note["role"] == "system"
    assert note["content"].startswith("The next message ")
    assert "not" in note["content"]
    assert message == {"role": "user", "content": "do it"}


def test_the_mark_names_the_session() -> None:  # S7
    source = Provenance(ProvenanceKind.INTER_SESSION, "agent:other:chat:group:{1}")

    note, _ = messages_as_json([said(USER, "do it", provenance=source)])

    text = "The next message was sent by the agent of session agent:other:chat:group:{1}, not by the user."
    assert note["content"] == text


@pytest.mark.parametrize("source", [None, Provenance(ProvenanceKind.USER, "agent:main:main")])
def test_the_users_words_need_no_mark(source: Provenance | None) -> None:
    assert messages_as_json([said(USER, "hi", provenance=source)]) == [{"role": "user", "content": "hi"}]


def test_results_follow_their_calls_at_once_whatever_came_between() -> None:  # P10
    drafts = [said(ASSISTANT, "wait", CALL, ToolCall("y", "look", {"at": "ä"})), said(USER, "news"), answer("y", "2")]

    assert messages_as_json([*drafts, answer("x", "1")]) == [
        asking("call00001", "call00002", text="wait"),
        tool("call00001", "1"),
        tool("call00002", "2"),
        {"role": "user", "content": "news"},
    ]


def test_a_call_that_was_never_answered_says_so() -> None:  # R6
    drafts = [said(ASSISTANT, CALL), said(USER, "again"), said(ASSISTANT, CALL), answer("x")]

    assert messages_as_json(drafts) == [
        asking("call00001"),
        tool("call00001", NO_RESULT),
        {"role": "user", "content": "again"},
        asking("call00002"),
        tool("call00002"),
    ]


def test_a_result_whose_call_was_cut_off_is_left_out() -> None:
    assert messages_as_json([answer("x"), said(USER, "hi"), answer("x")]) == [{"role": "user", "content": "hi"}]


@pytest.mark.parametrize(("name", "shown"), [("web.search ü", "web_search__"), ("", "_"), ("x" * 80, "x" * 64)])
def test_a_tools_name_is_one_that_every_endpoint_takes(name: str, shown: str) -> None:
    message, _ = messages_as_json([said(ASSISTANT, ToolCall("x", name))])

    assert message["tool_calls"][0]["function"]["name"] == shown


BLOCKS = st.one_of(
    st.builds(Text, st.text(max_size=3)),
    st.builds(ToolCall, st.sampled_from("abc"), st.just("look")),
    st.builds(ToolResult, st.sampled_from("abc"), st.just("look"), st.text(max_size=3)),
)
DRAFTS = st.builds(Draft, st.sampled_from(Role), st.lists(BLOCKS, max_size=4).map(tuple))


@given(st.lists(DRAFTS, max_size=12))
def test_in_any_transcript_calls_and_results_are_paired(drafts: list[Draft]) -> None:
    open_calls: list[str] = []
    seen: set[str] = set()
    for message in messages_as_json(drafts):
        if message["role"] == "tool":
            assert message["tool_call_id"] == open_calls.pop(0)
        else:
            assert not open_calls
            open_calls = [call["id"] for call in message.get("tool_calls", ())]
            assert seen.isdisjoint(open_calls)
            seen.update(open_calls)
    assert not open_calls
