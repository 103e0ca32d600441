"""The Python client's wait_run: one stream for the caller, however many it takes."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from typing import Any

import pytest
from grpc import StatusCode

from sessiontools import Client, DeadlineError, SessionToolsError
from sessiontools.pauses import Clock, longest
from sessiontools.v1 import run_pb2
from sessiontools.v1.session_tools_service_pb2 import WaitRunRequest, WaitRunResponse
from tests.clients.python_serving import InstantClock, Refusal, connected, reason, retry_in

Script = Callable[[Any], AsyncIterator[WaitRunResponse]]
CUT = Refusal(StatusCode.UNAVAILABLE, "cut")
REQUEST = WaitRunRequest(run_id="run")


class FakeWaits:
    """Plays one script for each stream that is opened, the last one for ever, and notes the requests."""

    def __init__(self, *scripts: Script) -> None:
        self.scripts = [*scripts]
        self.requests: list[WaitRunRequest] = []

    async def WaitRun(self, request: WaitRunRequest, context: Any) -> AsyncIterator[WaitRunResponse]:  # noqa: N802
        self.requests.append(request)
        script = self.scripts.pop(0) if len(self.scripts) > 1 else self.scripts[0]
        async for message in script(context):
            yield message

    @property
    def cursors(self) -> list[str]:
        return [request.cursor for request in self.requests]


def snapshot(cursor: str) -> WaitRunResponse:
    return WaitRunResponse(cursor=cursor, snapshot=run_pb2.RunSnapshot())


def delta(cursor: str) -> WaitRunResponse:
    return WaitRunResponse(cursor=cursor, output_delta=run_pb2.OutputDelta(text=cursor))


def ended(cursor: str, why: Any) -> WaitRunResponse:
    return WaitRunResponse(cursor=cursor, ended=run_pb2.WaitEnded(reason=why))


def sends(*messages: WaitRunResponse, then: Refusal | None = None) -> Script:
    """A stream with these messages, and this end."""

    async def script(context: Any) -> AsyncIterator[WaitRunResponse]:
        for message in messages:
            yield message
        if then:
            await then.abort(context)

    return script


def finishes(cursor: str) -> Script:
    return sends(snapshot(cursor), ended(cursor, run_pb2.END_REASON_RUN_TERMINAL))


class Hanging:
    """A stream that goes silent after one message, a snapshot by default, and tells when its client has left."""

    def __init__(self, message: WaitRunResponse | None = None) -> None:
        self._message = message or snapshot("0")
        self.has_left = asyncio.Event()

    async def __call__(self, context: Any) -> AsyncIterator[WaitRunResponse]:
        try:
            yield self._message
            await asyncio.Event().wait()
        finally:
            self.has_left.set()


@asynccontextmanager
async def waiting(*scripts: Script, clock: Clock | None = None) -> AsyncIterator[tuple[Client, FakeWaits]]:
    fake = FakeWaits(*scripts)
    async with connected(fake, clock) as client:
        yield client, fake


async def told(client: Client, request: WaitRunRequest = REQUEST, **options: Any) -> list[str]:
    """The cursors of what a wait yields."""
    return [message.cursor async for message in client.wait_run(request, **options)]


async def test_a_cut_wait_resumes_after_the_last_cursor_and_looks_like_one_stream() -> None:  # W1, W2
    async with waiting(
        sends(snapshot("0"), delta("1"), delta("2"), then=CUT),
        sends(snapshot("2"), then=CUT),
        sends(snapshot("2"), delta("3"), ended("4", run_pb2.END_REASON_RUN_TERMINAL)),
    ) as (client, fake):
        assert await told(client) == ["0", "1", "2", "3", "4"]

    assert fake.cursors == ["", "2", "2"]


async def test_a_wait_begins_at_the_callers_cursor_and_leaves_the_request_alone() -> None:
    request = WaitRunRequest(run_id="run", cursor="7", max_wait_seconds=9)
    async with waiting(sends(snapshot("7"), delta("8")), finishes("8")) as (client, fake):
        await told(client, request)

    assert fake.cursors == ["7", "8"]
    assert request == WaitRunRequest(run_id="run", cursor="7", max_wait_seconds=9)


@pytest.mark.parametrize(
    "cut",
    [
        pytest.param(None, id="the end without a last word"),
        pytest.param(Refusal(StatusCode.UNAVAILABLE), id="unavailable"),
        pytest.param(Refusal(StatusCode.CANCELLED), id="a cancellation nobody asked for"),
        pytest.param(Refusal(StatusCode.DEADLINE_EXCEEDED), id="a deadline that is not the caller's"),
        pytest.param(Refusal(StatusCode.INTERNAL, "RST_STREAM"), id="a reset"),
        pytest.param(Refusal(StatusCode.RESOURCE_EXHAUSTED, "", (retry_in(3),)), id="exhausted, with a time"),
    ],
)
async def test_what_cuts_a_stream_is_resumed(cut: Refusal | None) -> None:
    async with waiting(sends(snapshot("0"), delta("1"), then=cut), finishes("2")) as (client, fake):
        assert await told(client) == ["0", "1", "2"]

    assert fake.cursors == ["", "1"]


@pytest.mark.parametrize(
    "refusal",
    [
        pytest.param(Refusal(StatusCode.RESOURCE_EXHAUSTED), id="exhausted, without a time"),
        pytest.param(Refusal(StatusCode.INTERNAL, "", (reason("INTERNAL"),)), id="a fault of the server"),
        pytest.param(Refusal(StatusCode.UNKNOWN), id="a fault of something between"),
        pytest.param(Refusal(StatusCode.NOT_FOUND), id="no such run"),
        pytest.param(Refusal(StatusCode.PERMISSION_DENIED), id="permission denied"),
        pytest.param(Refusal(StatusCode.INVALID_ARGUMENT), id="a cursor of another run"),
        pytest.param(Refusal(StatusCode.FAILED_PRECONDITION), id="a wait that could never end"),
        pytest.param(Refusal(StatusCode.UNAUTHENTICATED), id="an unknown or expired token"),
        pytest.param(Refusal(StatusCode.UNIMPLEMENTED), id="a method the server has not"),
    ],
)
async def test_what_refuses_a_stream_ends_the_wait(refusal: Refusal) -> None:
    async with waiting(sends(snapshot("0"), delta("1"), then=refusal), finishes("2")) as (client, fake):
        with pytest.raises(SessionToolsError) as caught:
            await told(client)

    assert caught.value.code is refusal.code
    assert len(fake.requests) == 1


async def test_ends_of_the_stream_that_are_not_the_end_of_the_wait_are_not_told() -> None:  # W6
    async with waiting(
        sends(snapshot("0"), delta("1"), ended("1", run_pb2.END_REASON_STREAM_AGE)),
        sends(snapshot("1"), ended("1", run_pb2.END_REASON_DRAINING)),
        sends(snapshot("1"), delta("2"), ended("2", run_pb2.END_REASON_DEADLINE)),
        sends(snapshot("2"), ended("2", 99)),
        sends(snapshot("2"), ended("3", run_pb2.END_REASON_SETTLED)),
    ) as (client, fake):
        assert await told(client) == ["0", "1", "2", "3"]

    assert fake.cursors == ["", "1", "1", "2", "2"]


async def test_a_stream_that_is_left_open_after_its_end_is_closed() -> None:
    draining = Hanging(ended("1", run_pb2.END_REASON_DRAINING))
    async with waiting(draining, finishes("2")) as (client, fake):
        assert await told(client) == ["2", "2"]
        await draining.has_left.wait()

    assert fake.cursors == ["", "1"]


async def test_the_end_of_max_wait_ends_the_wait() -> None:  # W6
    async with waiting(sends(snapshot("0"), ended("0", run_pb2.END_REASON_MAX_WAIT))) as (client, fake):
        assert await told(client, WaitRunRequest(run_id="run", max_wait_seconds=9)) == ["0", "0"]

    assert [request.max_wait_seconds for request in fake.requests] == [9]


async def test_max_wait_is_spent_over_all_streams(monkeypatch: pytest.MonkeyPatch) -> None:
    later = Refusal(StatusCode.UNAVAILABLE, "", (retry_in(4),))
    monkeypatch.setattr(random, "random", lambda: 0.5)
    scripts = [sends(then=later)] * 3
    async with waiting(*scripts, finishes("0"), clock=InstantClock().as_clock()) as (client, fake):
        await told(client, WaitRunRequest(run_id="run", max_wait_seconds=10))

    # After 4.1, 8.3 and 12.7 s.
    assert [request.max_wait_seconds for request in fake.requests] == [10, 6, 2, 0]
    assert fake.requests[-1].HasField("max_wait_seconds")


async def test_a_wait_without_limit_stays_so() -> None:
    async with waiting(sends(then=CUT), finishes("0")) as (client, fake):
        await told(client)

    assert not any(request.HasField("max_wait_seconds") for request in fake.requests)


async def test_heartbeats_and_events_of_a_later_contract_are_passed_on() -> None:
    heartbeat = WaitRunResponse(cursor="1", heartbeat=run_pb2.Heartbeat())
    async with waiting(sends(snapshot("0"), heartbeat, WaitRunResponse(cursor="2")), finishes("3")) as (client, fake):
        assert await told(client) == ["0", "1", "2", "3"]

    assert fake.cursors == ["", "2"]


async def test_pauses_double_until_there_is_news(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random, "random", lambda: 0.5)
    clock = InstantClock()
    silent = sends(snapshot("0"))
    news = sends(snapshot("0"), delta("1"))
    async with waiting(silent, silent, silent, news, finishes("1"), clock=clock.as_clock()) as (client, _):
        await told(client)

    assert clock.pauses == [0.1, 0.2, 0.4, 0.1]


async def test_a_retry_info_is_added_to_the_pause(monkeypatch: pytest.MonkeyPatch) -> None:  # W10
    monkeypatch.setattr(random, "random", lambda: 0.5)
    clock = InstantClock()
    later = Refusal(StatusCode.RESOURCE_EXHAUSTED, "too many waits", (retry_in(30),))
    async with waiting(sends(then=later), finishes("0"), clock=clock.as_clock()) as (client, _):
        await told(client)

    assert clock.pauses == [30.1]


@pytest.mark.parametrize(("failures", "bound"), [(0, 0.2), (1, 0.4), (5, 6.4), (6, 10), (1000, 10)])
def test_pauses_have_an_upper_bound(failures: int, bound: float) -> None:
    assert longest(failures) == bound


async def test_a_timeout_ends_a_wait_on_a_server_that_is_away() -> None:
    clock = InstantClock()
    async with waiting(sends(then=CUT), clock=clock.as_clock()) as (client, fake):
        with pytest.raises(DeadlineError) as caught:
            await told(client, timeout=60)

    assert caught.value.code is StatusCode.DEADLINE_EXCEEDED
    assert len(fake.requests) == len(clock.pauses) > 6
    assert sum(clock.pauses) == pytest.approx(60)


async def test_a_timeout_ends_a_silent_stream() -> None:
    async with waiting(Hanging(), clock=Clock()) as (client, _):
        with pytest.raises(DeadlineError):
            await told(client, timeout=0.05)


async def test_a_wait_with_time_left_ends_as_any_other() -> None:
    async with waiting(sends(snapshot("0"), then=CUT), finishes("0"), clock=InstantClock().as_clock()) as (client, _):
        assert await told(client, timeout=60) == ["0", "0"]


async def test_asyncio_timeout_ends_a_wait() -> None:
    async def wait(client: Client) -> None:
        async with asyncio.timeout(None) as limit:
            async for _ in client.wait_run(REQUEST):
                limit.reschedule(asyncio.get_running_loop().time())

    hanging = Hanging()
    async with waiting(hanging) as (client, fake):
        with pytest.raises(TimeoutError):
            await wait(client)
        await hanging.has_left.wait()

    assert len(fake.requests) == 1


async def test_a_cancelled_task_ends_its_wait() -> None:
    hanging, has_begun = Hanging(), asyncio.Event()

    async def wait(client: Client) -> None:
        async for _ in client.wait_run(REQUEST):
            has_begun.set()

    async with waiting(hanging) as (client, fake):
        task = asyncio.create_task(wait(client))
        await has_begun.wait()
        task.cancel()

        with pytest.raises(asyncio.CancelledError):
            await task
        await hanging.has_left.wait()

    assert len(fake.requests) == 1


async def test_a_cancelled_task_ends_its_wait_also_during_a_pause() -> None:
    has_begun = asyncio.Event()

    async def sleep(pause: float) -> None:
        has_begun.set()
        await asyncio.Event().wait()

    async with waiting(sends(then=CUT), clock=Clock(sleep=sleep)) as (client, fake):
        task = asyncio.create_task(told(client))
        await has_begun.wait()
        task.cancel()

        with pytest.raises(asyncio.CancelledError):
            await task

    assert len(fake.requests) == 1


async def test_leaving_the_loop_closes_the_stream() -> None:
    hanging = Hanging()
    async with waiting(hanging) as (client, _):
        async for _message in client.wait_run(REQUEST):
            break

        await hanging.has_left.wait()


async def test_closing_the_wait_closes_the_stream() -> None:
    hanging = Hanging()
    async with waiting(hanging) as (client, _):
        async with aclosing(client.wait_run(REQUEST)) as events:
            await anext(events)

        await hanging.has_left.wait()
        assert [event async for event in events] == []


async def test_a_message_that_cannot_be_decoded_ends_the_wait() -> None:
    async with waiting(sends(snapshot("0")), finishes("0")) as (client, fake):
        # The same bytes, as a message that they are not: field 1 is a text in one, and another message in the other.
        client.WaitRun._method._response_deserializer = run_pb2.RunSnapshot.FromString  # type: ignore[attr-defined]
        with pytest.raises(SessionToolsError, match="INTERNAL: the answer cannot be decoded"):
            await told(client)

    assert len(fake.requests) == 1
