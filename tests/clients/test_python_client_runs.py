"""The Python client's serve_runs: the loop of a runtime."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from math import inf

import pytest
from grpc import StatusCode

from sessiontools import Assignment, RunError, SessionToolsError, Stop, leases
from sessiontools.v1 import runtime_service_pb2 as pb
from tests.clients.python_runtimes import AGENT, FakeRuntimes, a_run, serving
from tests.clients.python_serving import InstantClock, Refusal, reason

RESTARTING = Refusal(StatusCode.UNAVAILABLE, "restarting")
LOST = Refusal(StatusCode.FAILED_PRECONDITION, "lost", (reason("LEASE_LOST"),))
DENIED = Refusal(StatusCode.PERMISSION_DENIED, "not a runtime", (reason("ROLE_DENIED"),))
TOO_MANY_BYTES = Refusal(StatusCode.RESOURCE_EXHAUSTED, "too large")
TOO_LARGE = Refusal(StatusCode.INVALID_ARGUMENT, "too large", (reason("MESSAGE_TOO_LARGE"),))


async def hello(run: Assignment) -> str:
    return f"you said {run.text}"


async def hang(run: Assignment) -> str:
    await asyncio.Event().wait()
    raise AssertionError


def fails(problem: BaseException) -> Callable[[Assignment], asyncio.Future[str]]:
    def execute(run: Assignment) -> asyncio.Future[str]:
        raise problem

    return execute


@pytest.mark.parametrize(
    ("problem", "end"),
    [
        pytest.param(ValueError("no model"), "RUNTIME_ERROR ValueError: no model False", id="any exception"),
        pytest.param(RuntimeError(), "RUNTIME_ERROR RuntimeError False", id="without a message"),
        pytest.param(RunError("BUSY", "later", retryable=True), "BUSY later True", id="one that tells how"),
        pytest.param(ValueError("a\ud800"), "RUNTIME_ERROR ValueError: a\ufffd False", id="not encodable"),
        pytest.param(asyncio.CancelledError(), "RUNTIME_ERROR CancelledError False", id="a cancellation of its own"),
    ],
)
async def test_an_exception_fails_the_run(problem: BaseException, end: str) -> None:
    async with serving(FakeRuntimes(a_run()), fails(problem)) as runtime:
        assert await runtime.next_end() == f"failure {end}"


async def test_what_is_not_a_text_fails_the_run() -> None:
    async def nothing(run: Assignment) -> str:
        return None  # type: ignore[return-value]

    async with serving(FakeRuntimes(a_run()), nothing) as runtime:
        assert (await runtime.next_end()).startswith("failure RUNTIME_ERROR TypeError: ")


@pytest.mark.parametrize(
    ("refusals", "end"),
    [
        pytest.param((), "reply you said hello", id="at once"),
        pytest.param((RESTARTING, RESTARTING), "reply you said hello", id="after a restart"),
        pytest.param((TOO_LARGE,), "failure MESSAGE_TOO_LARGE too large False", id="when refused"),
        pytest.param((TOO_MANY_BYTES,), "failure RESOURCE_EXHAUSTED too large False", id="when refused by gRPC"),
        pytest.param(
            (TOO_LARGE, RESTARTING), "failure MESSAGE_TOO_LARGE too large False", id="when refused, after a restart"
        ),
    ],
)
async def test_a_reply_is_told_until_it_is_stored(refusals: tuple[Refusal, ...], end: str) -> None:
    fake = FakeRuntimes(a_run())

    async def refused_after(run: Assignment) -> str:
        fake.refusals.extend(refusals)
        return await hello(run)

    async with serving(fake, refused_after, max_runs=1) as runtime:
        assert await runtime.next_end() == end


async def test_a_cancelled_run_is_stopped_and_ended_as_cancelled() -> None:  # R6
    stopped: list[Stop | None] = []

    async def tells_why(run: Assignment) -> str:
        try:
            return await hang(run)
        finally:
            stopped.append(run.stopped)

    fake = FakeRuntimes(a_run())
    fake.lease.cancel_requested = True
    async with serving(fake, tells_why) as runtime:
        assert await runtime.next_end() == "cancelled"

    assert stopped == [Stop.CANCELLED]


async def test_a_cancelled_run_that_has_its_reply_all_the_same_gives_it() -> None:  # R6
    async def stubborn(run: Assignment) -> str:
        try:
            return await hang(run)
        except asyncio.CancelledError:
            return "done"

    fake = FakeRuntimes(a_run())
    fake.lease.cancel_requested = True
    async with serving(fake, stubborn) as runtime:
        assert await runtime.next_end() == "reply done"


async def test_a_run_is_stopped_once_however_often_it_is_told() -> None:
    async def takes_its_time(run: Assignment) -> str:
        try:
            return await hang(run)
        except asyncio.CancelledError:
            await fake.three_heartbeats()
            raise

    fake = FakeRuntimes(a_run())
    fake.lease.cancel_requested = True
    async with serving(fake, takes_its_time) as runtime:
        assert await runtime.next_end() == "cancelled"


async def test_a_run_learns_of_its_cancellation_when_it_appends() -> None:  # R6
    async def writes(run: Assignment) -> str:
        await run.delta("a")
        return await hang(run)

    fake = FakeRuntimes(a_run())
    fake.cancels_at_append = True
    async with serving(fake, writes) as runtime:
        assert await runtime.next_end() == "cancelled"


async def test_a_run_whose_lease_is_lost_is_left_alone() -> None:  # R3
    stopped: asyncio.Future[Stop | None] = asyncio.get_running_loop().create_future()

    async def late(run: Assignment) -> str:
        try:
            return await hang(run)
        except asyncio.CancelledError:
            stopped.set_result(run.stopped)
            return "too late"

    fake = FakeRuntimes(a_run())
    fake.lease.lost = True
    async with serving(fake, late) as runtime:
        assert await stopped is Stop.LEASE_LOST
        await runtime.end()

    assert fake.ends.empty()


async def test_a_lease_that_is_lost_at_an_append_stops_the_run() -> None:  # R3
    fake = FakeRuntimes(a_run(1), a_run(2))

    async def writes(run: Assignment) -> str:
        if run.run_id == "run-1":
            fake.refusals.append(LOST)
            await run.delta("a")
        return run.run_id

    async with serving(fake, writes) as runtime:
        assert await runtime.next_end() == "reply run-2"


async def test_an_end_that_comes_too_late_does_not_stop_the_runtime() -> None:  # R3
    fake = FakeRuntimes(a_run(1), a_run(2))

    async def slow(run: Assignment) -> str:
        if run.run_id == "run-1":
            fake.refusals.append(LOST)
        return run.run_id

    async with serving(fake, slow) as runtime:
        assert await runtime.next_end() == "reply run-2"


async def test_an_end_that_cannot_be_told_while_the_lease_lasts_does_not_stop_the_runtime(
    caplog: pytest.LogCaptureFixture,
) -> None:
    fake = FakeRuntimes(a_run(1, lease_seconds=0), a_run(2))

    async def reply(run: Assignment) -> str:
        return run.run_id

    async with serving(fake, reply) as runtime:
        assert await runtime.next_end() == "reply run-2"

    assert "the end of run run-1 could not be stored in time" in caplog.messages


async def test_the_end_of_the_runtime_gives_its_runs_back() -> None:  # X4
    has_begun = asyncio.Event()

    async def begins(run: Assignment) -> str:
        has_begun.set()
        return await hang(run)

    async with serving(FakeRuntimes(a_run()), begins) as runtime:
        await has_begun.wait()
        await runtime.end()

        assert await runtime.next_end() == "released lease-1 shutdown"


async def test_a_run_that_the_last_poll_brings_is_given_back_without_being_begun() -> None:  # X4
    fake, begun = FakeRuntimes(), []

    async def begins(run: Assignment) -> str:
        begun.append(run)
        return await hang(run)

    async with serving(fake, begins) as runtime:
        await fake.polls.get()
        runtime.task.cancel()
        fake.runs.put(a_run())

        assert await runtime.next_end() == "released lease-1 shutdown"
        await asyncio.wait([runtime.task])

    assert runtime.task.cancelled()
    assert not begun


async def test_leases_are_renewed_while_a_run_takes_its_time_to_stop() -> None:
    has_begun, fake = asyncio.Event(), FakeRuntimes(a_run())

    async def takes_its_time(run: Assignment) -> str:
        has_begun.set()
        try:
            return await hang(run)
        finally:
            await fake.three_heartbeats()

    async with serving(fake, takes_its_time) as runtime:
        await has_begun.wait()
        await runtime.end()

        assert await runtime.next_end() == "released lease-1 shutdown"


async def test_one_heartbeat_renews_all_leases() -> None:
    all_begun, fake = asyncio.Barrier(4), FakeRuntimes(*map(a_run, (1, 2, 3)))

    async def begins(run: Assignment) -> str:
        await all_begun.wait()
        return await hang(run)

    async with serving(fake, begins, max_runs=3):
        await all_begun.wait()
        assert await fake.three_heartbeats() == ["lease-1", "lease-2", "lease-3"]


async def test_a_heartbeat_takes_no_more_leases_than_the_server_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "MAX_LEASES", 2)
    all_begun, fake = asyncio.Barrier(4), FakeRuntimes(*map(a_run, (1, 2, 3)))

    async def begins(run: Assignment) -> str:
        await all_begun.wait()
        return await hang(run)

    async with serving(fake, begins, max_runs=3):
        await all_begun.wait()
        last = await fake.three_heartbeats()

    assert last in (["lease-1", "lease-2"], ["lease-3"])


@pytest.mark.parametrize(("heartbeat_seconds", "pause"), [(inf, 10), (0.5, 0.5), (60, 10)])
async def test_a_heartbeat_comes_every_third_of_a_lease_or_sooner(heartbeat_seconds: float, pause: float) -> None:
    clock, fake = InstantClock(), FakeRuntimes(a_run())
    async with serving(fake, hang, clock.as_clock(), heartbeat_seconds=heartbeat_seconds):
        await fake.three_heartbeats()

    assert {*clock.pauses} == {pause}


async def test_it_asks_for_as_many_runs_as_it_has_places() -> None:
    fake = FakeRuntimes(a_run(1), a_run(2))
    async with serving(fake, hang, max_runs=3, agent_ids=["builder"]):
        polls = [await fake.polls.get() for _ in range(3)]

    assert [poll.max_runs for poll in polls] == [3, 2, 1]
    assert (polls[0].runtime_id, [*polls[0].agent_ids], polls[0].wait_seconds) == ("test", ["builder"], 5)


async def test_a_place_that_becomes_free_is_filled() -> None:
    fake = FakeRuntimes(*map(a_run, (1, 2, 3)))

    async def reply(run: Assignment) -> str:
        return run.run_id

    async with serving(fake, reply, max_runs=1) as runtime:
        assert [await runtime.next_end() for _ in range(3)] == ["reply run-1", "reply run-2", "reply run-3"]


async def test_it_goes_on_through_a_restart_of_the_server() -> None:
    fake = FakeRuntimes(a_run(), refusals=(RESTARTING,) * 3)
    async with serving(fake, hello) as runtime:
        assert await runtime.next_end() == "reply you said hello"


async def test_a_runtime_that_is_refused_stops() -> None:  # V6
    async with serving(FakeRuntimes(refusals=(DENIED,)), hang) as runtime:
        with pytest.raises(SessionToolsError, match="ROLE_DENIED"):
            await asyncio.shield(runtime.task)


async def test_a_runtime_whose_heartbeat_is_refused_stops_and_gives_its_runs_back() -> None:  # V6
    fake = FakeRuntimes(a_run())
    fake.heartbeat_refusal = DENIED
    async with serving(fake, hang) as runtime:
        assert await runtime.next_end() == "released lease-1 shutdown"
        fake.runs.end()
        with pytest.raises(SessionToolsError, match="ROLE_DENIED"):
            await asyncio.shield(runtime.task)


async def test_a_heartbeat_that_finds_no_server_is_made_again() -> None:
    fake = FakeRuntimes(a_run())
    fake.heartbeat_refusal = RESTARTING

    async def outlives(run: Assignment) -> str:
        await fake.three_heartbeats()
        return "alive"

    async with serving(fake, outlives) as runtime:
        assert await runtime.next_end() == "reply alive"


async def test_events_are_numbered_and_appended_once() -> None:
    fake = FakeRuntimes(a_run())

    async def writes(run: Assignment) -> str:
        fake.refusals.append(RESTARTING)
        await run.delta("a")
        await run.append(pb.RunEvent(delta="b"), pb.RunEvent(delta="c"))
        await run.delta("d\ud800")
        return "done"

    async with serving(fake, writes) as runtime:
        assert await runtime.next_end() == "reply done"

    assert fake.appended == ["1 a", "2 b", "3 c", "4 d\ufffd"]


async def test_an_append_after_one_without_an_answer_asks_where_it_stands() -> None:
    fake = FakeRuntimes(a_run())

    async def writes(run: Assignment) -> str:
        fake.appended.append("1 of which the answer was lost")
        fake.refusals.append(TOO_LARGE)
        with pytest.raises(SessionToolsError, match="MESSAGE_TOO_LARGE"):
            await run.delta("a")
        await run.delta("b")
        return "done"

    async with serving(fake, writes) as runtime:
        assert await runtime.next_end() == "reply done"

    assert fake.appended == ["1 of which the answer was lost", "2 b"]


async def test_a_run_calls_the_session_tools_as_its_agent() -> None:
    tokens = []

    async def looks(run: Assignment) -> str:
        tokens.append(run.agent._who.token)
        return "done"

    async with serving(FakeRuntimes(a_run()), looks) as runtime:
        await runtime.next_end()

    assert tokens == [AGENT]
