"""The echo runtime: plain text comes back, a script is done step by step."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest

from sessiond.model.exchanges import ANNOUNCE_SKIP, REPLY_SKIP
from sessiond.model.messages import Role, ToolCall, ToolResult
from sessiond.model.runs import Failure, RunKind
from sessiond.runtime.assignments import StepContext
from sessiond.worker.builtin.echo import Echo
from sessiond.worker.builtin.tool_messages import MAX_RESULT_BYTES
from sessiond.worker.execution import Outcome, ToolAnswer
from tests.fakes.execution import RUN_ID, FakeExecution, a_message, a_run, asked, soon

FIRST_KINDS = [RunKind.CHAT, RunKind.SEND, RunKind.SPAWN]
ANNOUNCES = [RunKind.ANNOUNCE, RunKind.SPAWN_ANNOUNCE]


async def result(execution: FakeExecution) -> str | Failure:
    return (await Echo().execute(execution)).result


async def step_result(kind: RunKind, original: str, turn: int = 0, **step: str) -> str | Failure:
    """What echo answers in a later step of the exchange that this message began."""
    token = REPLY_SKIP if kind is RunKind.REPLY else ANNOUNCE_SKIP
    told = StepContext(original_request=original, turn=turn, skip_token=token, **step)  # type: ignore[arg-type]
    return await result(asked("the input of a later step", kind, told))


@pytest.mark.parametrize("kind", FIRST_KINDS)
async def test_plain_text_comes_back(kind: RunKind) -> None:
    assert await Echo().execute(asked("grüß dich 👋\nzwei", kind)) == Outcome("echo: grüß dich 👋\nzwei")


@pytest.mark.parametrize("text", ["#!/bin/sh\nreply no", "#! reply no", " #!\nreply no", "say\n#!\nreply no", ""])
async def test_only_the_mark_alone_on_the_first_line_makes_a_script(text: str) -> None:
    assert await result(asked(text)) == f"echo: {text}"


@pytest.mark.parametrize("text", ["#!\nreply yes", "#! \t\r\nreply yes\r\n", "#!\n\n  \n  reply yes\nreply no"])
async def test_a_script_is_done_up_to_its_first_end(text: str) -> None:
    assert await result(asked(text)) == "yes"


@pytest.mark.parametrize("text", ["#!", "#!\n", "#!\ndelta x", "#!\nreply", "#!\nreply ", "#!\n@announce\nreply no"])
async def test_a_script_without_a_reply_replies_nothing(text: str) -> None:
    assert await result(asked(text)) == ""


async def test_steps_are_done_in_their_order() -> None:
    execution = asked(
        "#!\ndelta Hello \nsleep 0\ndelta  wor\\nld\n"
        'tool search {"q": "a -> b", "n": [1, 2.5, null]} -> found\\n3 things\n'
        'call sessions_send {"session_key": "main", "message": "hä?", "timeout_seconds": 0}\n'
        "delta bye\nreply done: C:\\\\new"
    )
    execution.answers = [ToolAnswer('{"status": "ACCEPTED"}')]

    assert await result(execution) == "done: C:\\new"

    assert execution.deltas == ["Hello ", " wor\nld", "bye"]
    assert execution.record == [
        *("delta", "delta", "write assistant", "write toolResult"),
        *("write assistant", "call sessions_send", "write toolResult", "delta"),
    ]
    arguments = {"session_key": "main", "message": "hä?", "timeout_seconds": 0}
    assert execution.called == [("sessions_send", arguments)]
    [search] = execution.written[0].content
    [found] = execution.written[1].content
    assert isinstance(search, ToolCall)
    assert (search.name, search.arguments) == ("search", {"q": "a -> b", "n": [1, 2.5, None]})
    assert found == ToolResult(search.id, "search", "found\n3 things")
    [send] = execution.written[2].content
    assert isinstance(send, ToolCall)
    assert (send.name, send.arguments) == ("sessions_send", arguments)
    assert execution.written[3].content == (ToolResult(send.id, "sessions_send", '{"status": "ACCEPTED"}'),)
    assert send.id != search.id
    assert {draft.run_id for draft in execution.written} == {RUN_ID}
    assert {draft.model for draft in execution.written} == {"the-model"}


async def test_a_refused_call_is_written_as_an_error_and_the_script_goes_on() -> None:
    execution = asked("#!\ncall agents_list\nreply still here", answers=[ToolAnswer("no such tool", is_error=True)])

    assert await result(execution) == "still here"

    [refused] = execution.written[1].content
    assert isinstance(refused, ToolResult)
    assert (refused.text, refused.is_error) == ("no such tool", True)
    assert execution.called == [("agents_list", {})]


async def test_a_second_attempt_writes_calls_of_its_own() -> None:  # R4
    text = "#!\ntool a {} -> b"
    first, second = (FakeExecution(a_message(text), a_run(attempt=attempt)) for attempt in (1, 2))

    await result(first)
    await result(second)

    assert first.written[0].content != second.written[0].content


async def test_an_answer_that_no_message_could_hold_is_shortened() -> None:  # H6
    execution = asked("#!\ncall sessions_history {}", answers=[ToolAnswer("ä" * 2_000_000)])

    await result(execution)

    [answer] = execution.written[1].content
    assert isinstance(answer, ToolResult)
    assert len(answer.text.encode()) < MAX_RESULT_BYTES + 100
    assert answer.text.endswith(f"ä\n[{4_000_000 - MAX_RESULT_BYTES} bytes more were left out]")


@pytest.mark.parametrize(
    ("line", "failure"),
    [
        ("fail BROKEN", Failure("BROKEN", "BROKEN")),
        ("fail BROKEN it is  so\\nbad ", Failure("BROKEN", "it is  so\nbad")),
    ],
)
async def test_fail_ends_with_its_reason(line: str, failure: Failure) -> None:
    assert await result(asked(f"#!\n{line}\nreply no")) == failure


@pytest.mark.parametrize(
    ("kind", "token", "answer"),
    [
        (RunKind.CHAT, None, REPLY_SKIP),
        (RunKind.SEND, REPLY_SKIP, REPLY_SKIP),
        (RunKind.SPAWN, "", REPLY_SKIP),
    ],
)
async def test_skip_answers_the_token_of_the_step(kind: RunKind, token: str | None, answer: str) -> None:  # S11
    step = None if token is None else StepContext(skip_token=token)

    assert await result(asked("#!\nskip", kind, step)) == answer


@pytest.mark.parametrize(
    ("kind", "token"), [(RunKind.REPLY, REPLY_SKIP), *((kind, ANNOUNCE_SKIP) for kind in ANNOUNCES)]
)
async def test_skip_in_a_later_step_answers_its_token(kind: RunKind, token: str) -> None:  # S11, S12
    assert await step_result(kind, "#!\n@reply\nskip\n@announce\nskip", turn=1) == token


@pytest.mark.parametrize("line", ["hang", "sleep 86400"])
async def test_a_run_that_waits_can_be_cancelled(line: str) -> None:  # R6
    execution = asked(f"#!\ndelta here\n{line}\ndelta never")
    task = asyncio.create_task(Echo().execute(execution))
    await soon(execution.has_shown)

    task.cancel()
    with suppress(asyncio.CancelledError):
        await task

    assert task.cancelled()
    assert execution.deltas == ["here"]


async def test_a_call_that_waits_can_be_cancelled() -> None:  # R6
    execution = asked("#!\ncall sessions_send {}\nreply never", is_stuck_in_tools=True)
    task = asyncio.create_task(Echo().execute(execution))
    await soon(execution.has_called)

    task.cancel()
    with suppress(asyncio.CancelledError):
        await task

    assert task.cancelled()
    assert [draft.role for draft in execution.written] == [Role.ASSISTANT]


@pytest.mark.parametrize("original", ["plain", "#!\nreply main", "#!\nreply main\n@announce\nreply told", ""])
async def test_without_a_reply_section_a_reply_turn_is_skipped(original: str) -> None:  # S11
    assert await step_result(RunKind.REPLY, original, turn=1) == REPLY_SKIP


@pytest.mark.parametrize(("turn", "answer"), [(0, "one"), (1, "one"), (2, "two"), (3, "two"), (5, "two")])
async def test_each_turn_has_its_reply_section_and_the_last_one_repeats(turn: int, answer: str) -> None:  # S10
    original = "#!\nreply main\n@reply\nreply one\n@announce\nreply told\n@reply\nreply two"

    assert await step_result(RunKind.REPLY, original, turn) == answer


@pytest.mark.parametrize("kind", FIRST_KINDS)
async def test_the_run_that_begins_does_only_the_lines_before_the_sections(kind: RunKind) -> None:
    assert await result(asked("#!\n@reply\nfail NO\n@announce\nfail NO", kind)) == ""
    assert await result(asked("#!\nreply main\n@reply\nfail NO", kind, StepContext(original_request="x"))) == "main"


@pytest.mark.parametrize("kind", ANNOUNCES)
async def test_an_announce_does_its_own_section(kind: RunKind) -> None:  # S12, P7
    original = "#!\nreply main\n@reply\nreply one\n@announce\nreply told you"

    assert await step_result(kind, original, first_reply="main") == "told you"
    assert await step_result(kind, "#!\n@announce") == ""


@pytest.mark.parametrize("kind", ANNOUNCES)
@pytest.mark.parametrize("original", ["plain", "#!\nreply main\n@reply\nskip"])
async def test_without_its_section_an_announce_is_one_short_line(kind: RunKind, original: str) -> None:
    said = await step_result(kind, original, first_reply="first", latest_reply="la\ntest " + "x" * 500)

    assert said == "echo: announced la test " + "x" * 192
    assert await step_result(kind, original, first_reply="first") == "echo: announced first"
    assert await step_result(kind, original) == "echo: announced (no reply)"
    assert await step_result(kind, original, first_reply=f"a {REPLY_SKIP} b {ANNOUNCE_SKIP}") == "echo: announced a b"


async def test_a_script_with_a_mistake_fails_before_its_first_step() -> None:
    execution = asked("#!\ndelta x\n@announce\nreply ok\n\nshout loud")

    failure = await result(execution)

    assert isinstance(failure, Failure)
    assert failure.reason == "SCRIPT_ERROR"
    assert failure.message.startswith("line 6: unknown step 'shout'; there are sleep, delta, tool, call, reply")
    assert execution.record == []
