"""What a model is told of its exchange: who asks, how far it is, what was said, and how to say nothing."""

from __future__ import annotations

import pytest

from sessiond.model.exchanges import skip_token_of
from sessiond.model.runs import RunKind
from sessiond.runtime.assignments import StepContext
from sessiond.worker.builtin.openai_prompt import prompt_of
from tests.fakes.execution import asked

STEP = StepContext("agent:asker:main", "chat", "agent:target:main", "the request", "the first", "the latest", 2, 5)
LATER = [RunKind.REPLY, RunKind.ANNOUNCE, RunKind.SPAWN_ANNOUNCE]


def prompt(kind: RunKind, step: StepContext = STEP) -> str:
    return prompt_of(asked("the input", kind, step._replace(skip_token=skip_token_of(kind))))


def test_a_chat_has_no_prompt() -> None:
    assert prompt_of(asked("hello")) == ""


@pytest.mark.parametrize("kind", [RunKind.SEND, RunKind.SPAWN, *LATER])
def test_the_one_who_asks_is_named(kind: RunKind) -> None:  # S7
    assert "the agent of session agent:asker:main (channel chat)" in prompt(kind)
    assert "somebody outside of any session" in prompt(kind, STEP._replace(requester_session_key=""))


@pytest.mark.parametrize("kind", [RunKind.SEND, RunKind.REPLY, RunKind.ANNOUNCE])
def test_the_target_is_named(kind: RunKind) -> None:  # S7
    assert "session agent:target:main" in prompt(kind)


@pytest.mark.parametrize("kind", [RunKind.SEND, *LATER])
def test_the_way_to_say_nothing_is_told(kind: RunKind) -> None:  # S11, S12
    assert f"To say nothing, answer exactly {skip_token_of(kind)} " in prompt(kind)


def test_a_task_must_be_answered() -> None:
    assert "To say nothing" not in prompt(RunKind.SPAWN)


def test_a_reply_turn_knows_how_far_it_is() -> None:  # S10
    assert "turn 2 of at most 5" in prompt(RunKind.REPLY)


@pytest.mark.parametrize("kind", LATER)
def test_later_steps_are_told_what_was_said(kind: RunKind) -> None:  # S12
    text = prompt(kind)

    assert "The request that began it:\nthe request" in text
    assert "The first reply:\nthe first" in text
    assert "The latest reply:\nthe latest" in text


def test_what_was_said_once_is_quoted_once() -> None:
    assert "The latest reply" not in prompt(RunKind.ANNOUNCE, STEP._replace(latest_reply="the first"))
    assert "reply:" not in prompt(RunKind.ANNOUNCE, STEP._replace(first_reply="", latest_reply=" "))
    assert "The request" not in prompt(RunKind.SEND)


def test_long_quotes_are_cut() -> None:
    text = prompt(RunKind.ANNOUNCE, STEP._replace(original_request="x" * 1_000_000))

    assert "x" * 8_000 + "\n[the rest is left out]" in text
    assert len(text) < 10_000
