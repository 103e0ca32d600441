"""The openai runtime against an endpoint: words, tools, usage, and every way in which it goes wrong."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import pytest

from sessiond.model.exchanges import REPLY_SKIP
from sessiond.model.messages import MAX_MESSAGE_BYTES, Role, Text, ToolCall, ToolResult, Usage
from sessiond.model.problems import Problem
from sessiond.model.runs import Failure, RunKind
from sessiond.runtime.assignments import StepContext
from sessiond.worker.builtin import deltas
from sessiond.worker.builtin.backoff import Backoff
from sessiond.worker.builtin.openai import OpenAi
from sessiond.worker.execution import Outcome, ToolAnswer, ToolSpec
from tests.fakes.execution import FakeExecution, a_message, asked, soon
from tests.fakes.openai_server import (
    FakeOpenAi,
    Hangup,
    Reaction,
    Silence,
    Status,
    Streams,
    asks_for,
    chunk,
    says,
    usage,
)

KEY = "very-secret-0123456789"
LONG_S = 60.0
SEND = ToolSpec("sessions_send", "Sends.", {"type": "object", "properties": {"message": {"type": "string"}}})


@dataclass
class Model:
    """A model at the fake endpoint, whose pauses are noted instead of waited for."""

    server: FakeOpenAi
    pauses: list[float] = field(default_factory=list)
    made: list[OpenAi] = field(default_factory=list)

    def provider(self, timeout_s: float = LONG_S, rounds: int = 4) -> OpenAi:
        backoff = Backoff(draw=lambda low, high: high, sleep=self._pause)
        self.made.append(OpenAi("gpt-fake", self.server.url, KEY, timeout_s, rounds, backoff))
        return self.made[-1]

    async def _pause(self, seconds: float) -> None:
        self.pauses.append(seconds)

    async def outcome(self, execution: FakeExecution, *reactions: Reaction, **options: Any) -> Outcome:
        self.server.will(*reactions)
        return await self.provider(**options).execute(execution)

    async def failure(self, *reactions: Reaction, **options: Any) -> Failure:
        result = (await self.outcome(asked("hello"), *reactions, **options)).result
        assert isinstance(result, Failure)
        assert not self.server.reactions
        return result


@pytest.fixture
async def model() -> AsyncIterator[Model]:
    """An endpoint and a model there; afterwards nobody is left waiting."""
    before = asyncio.all_tasks()
    async with FakeOpenAi() as server:
        model = Model(server)
        yield model
        for provider in model.made:
            await provider.close()
    current = asyncio.current_task()
    assert asyncio.all_tasks() - before <= {current}


def sent(model: Model, request: int = 0) -> list[dict[str, Any]]:
    """The messages of a request."""
    messages: list[dict[str, Any]] = model.server.requests[request].body["messages"]
    return messages


async def test_words_are_shown_as_they_come_and_are_the_reply(model: Model) -> None:
    execution = asked("grüß dich 👋")

    outcome = await model.outcome(execution, says("Hal", "lo", " 👋", " und tschüß", tokens=(11, 5)))

    assert outcome == Outcome("Hallo 👋 und tschüß", Usage(11, 5, 16))
    assert "".join(execution.deltas) == "Hallo 👋 und tschüß"
    assert execution.written == []
    [request] = model.server.requests
    assert request.path == "/v1/chat/completions"
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body == {
        "model": "gpt-fake",
        "messages": [{"role": "user", "content": "grüß dich 👋"}],
        "stream": True,
        "stream_options": {"include_usage": True},
    }


async def test_small_pieces_are_shown_together(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deltas, "PAUSE_S", 3600.0)  # only their length counts
    execution = asked("count")
    pieces = [f"{number} " for number in range(500)]

    outcome = await model.outcome(execution, says(*pieces))

    assert outcome == Outcome("".join(pieces))
    assert "".join(execution.deltas) == "".join(pieces)
    first, *middle, last = execution.deltas
    assert first == "0 "  # at once: somebody is waiting for a sign of life
    assert {len(piece) for piece in middle} <= set(range(40, 45))
    assert len(last) < 45


async def test_what_came_is_shown_while_the_rest_is_awaited(model: Model) -> None:
    execution = asked("hello")
    model.server.will(says("first", "second", ending="hang"))
    task = asyncio.create_task(model.provider().execute(execution))

    async with asyncio.timeout(30):
        while "".join(execution.deltas) != "firstsecond":
            execution.has_shown.clear()
            await execution.has_shown.wait()
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task

    assert task.cancelled()


async def test_an_endpoint_that_tells_no_usage_leaves_it_unknown(model: Model) -> None:
    assert await model.outcome(asked("hello"), says("hi")) == Outcome("hi", None)


@pytest.mark.parametrize("pieces", [(), ("",)])
async def test_a_reply_may_be_empty(model: Model, pieces: tuple[str, ...]) -> None:
    execution = asked("hello")

    assert (await model.outcome(execution, says(*pieces))).result == ""
    assert execution.deltas == []


async def test_a_character_that_comes_in_halves_is_whole(model: Model) -> None:
    execution = asked("hello")

    outcome = await model.outcome(execution, says("x" * 39 + "\ud83d", "\ude00 ok", " \ud83d"))

    assert outcome.result == "x" * 39 + "😀 ok \ufffd"
    assert "".join(execution.deltas) == outcome.result


async def test_tools_are_offered_called_and_written_down(model: Model) -> None:
    execution = asked(
        "tell main", tools=[SEND], answers=[ToolAnswer('{"status":"OK"}'), ToolAnswer("no", is_error=True)]
    )
    two = asks_for(("sessions_send", '{"message": "hä?"}'), ("sessions_send", ""), text="Let me ask.", tokens=(10, 4))

    outcome = await model.outcome(execution, two, says("Done.", tokens=(20, 2)))

    assert outcome == Outcome("Done.", Usage(30, 6, 36))
    assert execution.called == [("sessions_send", {"message": "hä?"}), ("sessions_send", {})]
    assert execution.record == [
        *("delta", "write assistant"),
        *("call sessions_send", "write toolResult", "call sessions_send", "write toolResult"),
        "delta",
    ]
    words, first, second = execution.written[0].content
    assert words == Text("Let me ask.")
    assert execution.written[0].usage == Usage(10, 4, 14)
    assert isinstance(first, ToolCall)
    assert isinstance(second, ToolCall)
    assert first.id != second.id
    assert execution.written[1].content == (ToolResult(first.id, "sessions_send", '{"status":"OK"}'),)
    assert execution.written[2].content == (ToolResult(second.id, "sessions_send", "no", is_error=True),)
    assert model.server.requests[0].body["tools"] == [
        {
            "type": "function",
            "function": {"name": "sessions_send", "description": "Sends.", "parameters": SEND.parameters},
        }
    ]
    assert sent(model, 1) == [
        {"role": "user", "content": "tell main"},
        {
            "role": "assistant",
            "content": "Let me ask.",
            "tool_calls": [
                _call("call00001", "sessions_send", '{"message": "hä?"}'),
                _call("call00002", "sessions_send", "{}"),
            ],
        },
        {"role": "tool", "tool_call_id": "call00001", "content": '{"status":"OK"}'},
        {"role": "tool", "tool_call_id": "call00002", "content": "Error: no"},
    ]


def _call(call_id: str, name: str, arguments: str) -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


@pytest.mark.parametrize(
    ("name", "arguments", "answer"),
    [
        ("sessions_send", '{"message": ', "the arguments can't be read: not JSON"),
        ("sessions_send", "[]", "the arguments can't be read: not a JSON object"),
        ("rm_rf", "{}", "there is no tool 'rm_rf'; there are sessions_send"),
    ],
)
async def test_a_call_that_makes_no_sense_is_told_to_the_model(
    model: Model, name: str, arguments: str, answer: str
) -> None:
    execution = asked("go", tools=[SEND])

    outcome = await model.outcome(execution, asks_for((name, arguments)), says("sorry"))

    assert outcome.result == "sorry"
    assert execution.called == []
    [result] = execution.written[1].content
    assert isinstance(result, ToolResult)
    assert result.is_error
    assert result.text.startswith(answer)
    assert sent(model, 1)[-1]["content"] == f"Error: {result.text}"


async def test_calls_that_share_an_index_are_told_apart_by_their_ids(model: Model) -> None:
    execution = asked("go", tools=[SEND])
    both = [
        {"index": 0, "id": name, "function": {"name": "sessions_send", "arguments": f'{{"message": "{name}"}}'}}
        for name in ("a", "b")
    ]

    await model.outcome(execution, Streams([chunk({"tool_calls": both}, "tool_calls")]), says("ok"))

    assert [arguments["message"] for _, arguments in execution.called] == ["a", "b"]


async def test_rounds_of_tools_are_bounded(model: Model) -> None:
    execution = asked("go", tools=[SEND])
    again = asks_for(("sessions_send", "{}"), tokens=(5, 1))

    outcome = await model.outcome(execution, again, again, again, rounds=2)

    text = "the model asked for tools in more than 2 rounds (maxToolRounds)"
    assert outcome == Outcome(Failure("TOOL_ROUNDS", text), Usage(15, 3, 18))
    assert len(execution.called) == 2
    ids = [block.id for draft in execution.written for block in draft.content if isinstance(block, ToolCall)]
    assert len(set(ids)) == 2


async def test_without_rounds_no_tools_are_offered(model: Model) -> None:
    await model.outcome(asked("go", tools=[SEND]), says("ok"), rounds=0)

    assert "tools" not in model.server.requests[0].body


async def test_a_failure_in_a_later_round_keeps_the_usage_before_it(model: Model) -> None:
    first = asks_for(("sessions_send", "{}"), tokens=(5, 1))

    outcome = await model.outcome(asked("go", tools=[SEND]), first, Status(401))

    assert isinstance(outcome.result, Failure)
    assert outcome.usage == Usage(5, 1, 6)


OVERFLOW = {"message": "Too long.", "code": "context_length_exceeded"}
MAXIMUM = {"message": "This model's maximum context length is 8192 tokens.", "code": None}
FILTERED = {"message": "Not this.", "code": "content_filter"}


@pytest.mark.parametrize(
    ("reaction", "reason", "said"),
    [
        (Status(401, {"message": f"Incorrect API key provided: {KEY}"}), "UNAUTHORIZED", "(HTTP 401)"),
        (Status(403), "UNAUTHORIZED", "(HTTP 403)"),
        (Status(400, OVERFLOW), "CONTEXT_OVERFLOW", "HTTP 400: Too long."),
        (Status(400, MAXIMUM), "CONTEXT_OVERFLOW", "maximum context length"),
        (Status(413), "CONTEXT_OVERFLOW", "HTTP 413"),
        (
            Status(400, {"message": f"bad\nkey {KEY} sk-ab***yz Bearer abc"}),
            "BAD_REQUEST",
            "HTTP 400: bad key *** *** ***",
        ),
        (Status(400, FILTERED), "MODEL_REFUSED", "HTTP 400: Not this."),
        (Status(404, {"message": "no such model"}), "BAD_REQUEST", "HTTP 404: no such model"),
        (Status(422), "BAD_REQUEST", "HTTP 422"),
        (Status(418), "MODEL_ERROR", "HTTP 418"),
        (Status(429, {"message": "no money", "code": "insufficient_quota"}), "RATE_LIMITED", "HTTP 429: no money"),
        (Streams([{"error": OVERFLOW}]), "CONTEXT_OVERFLOW", "Too long."),
        (Streams([{"error": FILTERED}]), "MODEL_REFUSED", "Not this."),
        (Streams([{"error": {"message": "odd"}}]), "MODEL_ERROR", "odd"),
        (Streams(["{no json"]), "MODEL_ERROR", "can't be read"),
        (says("bad", finish="content_filter"), "MODEL_REFUSED", "content filter"),
        (
            Streams([chunk({"refusal": "I can"}), chunk({"refusal": "'t."}, "stop")]),
            "MODEL_REFUSED",
            "refused: I can't.",
        ),
        (says(finish="length"), "MODEL_ERROR", "output limit"),
    ],
)
async def test_what_no_waiting_helps_fails_at_once(model: Model, reaction: Reaction, reason: str, said: str) -> None:
    failure = await model.failure(reaction)

    assert failure.reason == reason
    assert said in failure.message
    assert not failure.is_retryable
    assert KEY not in failure.message
    assert len(model.server.requests) == 1


@pytest.mark.parametrize(
    ("reaction", "reason"),
    [
        (Status(429), "RATE_LIMITED"),
        (Status(500), "MODEL_UNAVAILABLE"),
        (Status(503), "MODEL_UNAVAILABLE"),
        (Status(409), "MODEL_UNAVAILABLE"),
        (Status(408), "MODEL_TIMEOUT"),
        (Hangup(), "MODEL_UNAVAILABLE"),
        (says(ending="cut"), "MODEL_UNAVAILABLE"),
        (says(ending="without finish"), "MODEL_UNAVAILABLE"),
        (Streams([{"error": {"message": "busy", "type": "server_error"}}]), "MODEL_UNAVAILABLE"),
        (Streams([{"error": {"message": "slow down", "code": 429}}]), "RATE_LIMITED"),
    ],
)
async def test_what_may_pass_is_tried_again_a_few_times(model: Model, reaction: Reaction, reason: str) -> None:
    failure = await model.failure(reaction, reaction, reaction)

    assert failure.reason == reason
    assert failure.is_retryable
    assert len(model.server.requests) == 3
    assert model.pauses == [0.5, 1.0]


async def test_after_a_passing_trouble_the_answer_counts(model: Model) -> None:
    execution = asked("hello")

    outcome = await model.outcome(execution, Status(503), Hangup(), says("here I am"))

    assert outcome.result == "here I am"
    assert execution.deltas == ["here I am"]


async def test_the_endpoint_says_when_to_come_back(model: Model) -> None:
    first = Status(429, headers={"retry-after": "7"})
    second = Status(503, headers={"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"})

    outcome = await model.outcome(asked("hello"), first, second, says("now"))

    assert outcome.result == "now"
    assert model.pauses == [7.0, 0.0]


async def test_what_can_not_be_read_as_a_time_is_no_time(model: Model) -> None:
    await model.outcome(asked("hello"), Status(429, headers={"retry-after": "later"}), says("now"))

    assert model.pauses == [0.5]


@pytest.mark.parametrize(("wanted", "timeout_s"), [("61", LONG_S * 10), ("40", 30.0)])
async def test_a_wait_that_is_too_long_is_not_begun(model: Model, wanted: str, timeout_s: float) -> None:
    failure = await model.failure(Status(429, headers={"retry-after": wanted}), timeout_s=timeout_s)

    assert failure.reason == "RATE_LIMITED"
    assert model.pauses == []


@pytest.mark.parametrize("ending", ["cut", "without finish"])
async def test_what_was_shown_is_never_begun_again(model: Model, ending: Any) -> None:
    execution = asked("hello")

    outcome = await model.outcome(execution, says("half of", ending=ending), says("another"))

    assert isinstance(outcome.result, Failure)
    assert (outcome.result.reason, outcome.result.is_retryable) == ("MODEL_UNAVAILABLE", True)
    assert execution.deltas == ["half of"]
    assert len(model.server.requests) == 1


@pytest.mark.parametrize("reaction", [Silence(), says("begun", ending="hang")])
async def test_an_answer_that_does_not_come_is_a_timeout(model: Model, reaction: Reaction) -> None:
    failure = await model.failure(reaction, timeout_s=0.2)

    assert (failure.reason, failure.is_retryable) == ("MODEL_TIMEOUT", True)
    assert len(model.server.requests) == 1
    await soon(model.server.was_left)


async def test_an_endpoint_that_is_not_there_is_unavailable() -> None:
    async with FakeOpenAi() as server:
        url = server.url
    model = Model(server)
    provider = OpenAi("gpt-fake", url, KEY, LONG_S, 1, Backoff(sleep=model._pause))

    outcome = await provider.execute(asked("hello"))
    await provider.close()

    assert isinstance(outcome.result, Failure)
    assert outcome.result.reason == "MODEL_UNAVAILABLE"
    assert "can't be reached" in outcome.result.message
    assert len(model.pauses) == 2


async def test_an_answer_without_end_is_given_up(model: Model) -> None:
    failure = await model.failure(says(*["x" * 10_000] * 110))

    assert failure == Failure("OUTPUT_TOO_LARGE", f"the model wrote more than {MAX_MESSAGE_BYTES} characters")


async def test_an_answer_that_was_cut_at_the_models_limit_is_kept(model: Model) -> None:
    assert (await model.outcome(asked("hello"), says("as far as", finish="length"))).result == "as far as"


async def test_usage_that_grows_with_each_chunk_is_counted_once(model: Model) -> None:
    events = [chunk({"content": "a"}) | usage(5, 1) | {"choices": chunk({"content": "a"})["choices"]}]

    outcome = await model.outcome(asked("hello"), Streams([*events, chunk({}, "stop"), usage(5, 2)]))

    assert outcome == Outcome("a", Usage(5, 2, 7))


@pytest.mark.parametrize("reaction", [Silence(), says("begun", ending="hang")])
async def test_a_cancel_lets_go_of_the_endpoint(model: Model, reaction: Reaction) -> None:  # R6
    model.server.will(reaction)
    task = asyncio.create_task(model.provider().execute(asked("hello")))
    await soon(model.server.was_asked)

    task.cancel()
    with suppress(asyncio.CancelledError):
        await task

    assert task.cancelled()
    await soon(model.server.was_left)


async def test_a_cancel_in_a_tool_stops_there(model: Model) -> None:  # R6
    execution = asked("go", tools=[SEND], is_stuck_in_tools=True)
    model.server.will(asks_for(("sessions_send", "{}"), ("sessions_send", "{}")))
    task = asyncio.create_task(model.provider().execute(execution))
    await soon(execution.has_called)

    task.cancel()
    with suppress(asyncio.CancelledError):
        await task

    assert task.cancelled()
    assert [draft.role for draft in execution.written] == [Role.ASSISTANT]


async def test_a_fault_of_ours_is_not_taken_for_the_models(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    execution = asked("hello")

    async def broken(text: str) -> None:
        raise TimeoutError("the store is slow")

    monkeypatch.setattr(execution, "delta", broken)

    with pytest.raises(TimeoutError, match="the store is slow"):
        await model.outcome(execution, says("hi"))


async def test_the_model_is_told_of_the_exchange_and_it_is_not_stored(model: Model) -> None:  # S7
    step = StepContext("agent:other:main", "chat", "agent:main:main", "what?", "", "", 0, 5, REPLY_SKIP)
    execution = asked("what?", RunKind.SEND, step, history=[a_message("before")])

    await model.outcome(execution, says("that"))

    first, *rest = sent(model)
    assert first["role"] == "system"
    assert "agent:other:main (channel chat)" in first["content"]
    assert "answer exactly REPLY_SKIP" in first["content"]
    assert rest == [{"role": "user", "content": "before"}, {"role": "user", "content": "what?"}]
    assert execution.written == []


async def test_the_key_of_openai_is_not_shown_to_another_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    async with FakeOpenAi() as server:
        server.will(says("hi"))
        provider = OpenAi("local", server.url, None, LONG_S, 1)
        await provider.execute(asked("none of it"))
        await provider.close()

    assert KEY not in str(server.requests[0].headers)


@pytest.mark.parametrize(("key", "said"), [("", "needs apiKey"), ("schlüssel", "no header"), ("a\nb", "no header")])
def test_a_key_that_can_not_work_stops_the_start(monkeypatch: pytest.MonkeyPatch, key: str, said: str) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)

    with pytest.raises(Problem, match=said) as caught:
        OpenAi("gpt", None, key, LONG_S, 1)

    assert not key or key not in str(caught.value)


def test_without_the_package_the_start_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    monkeypatch.delitem(sys.modules, "sessiond.worker.builtin.openai_endpoint", raising=False)
    monkeypatch.delitem(sys.modules, "sessiond.worker.builtin.openai_failures", raising=False)

    with pytest.raises(Problem, match=r"pip install 'sessiontools\[openai\]'"):
        OpenAi("gpt", None, KEY, LONG_S, 1)
