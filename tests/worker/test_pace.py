"""A share of the event loop's time: own work is counted, waiting is not, and rests are in proportion to work."""

from __future__ import annotations

import asyncio

import pytest

from sessiond.worker import pace as pacing
from sessiond.worker.pace import SLICE_S, Pace


class Time:
    """A clock that goes on when it is told to, and sleeps that take no time but their own."""

    def __init__(self) -> None:
        self.now_s = 100.0
        self.slept: list[float] = []

    def clock(self) -> float:
        return self.now_s

    def pass_by(self, seconds: float) -> None:
        self.now_s += seconds

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        asyncio.get_running_loop().call_soon(self.pass_by, seconds)
        await asyncio.sleep(0)

    def pace(self, rest_share: float) -> Pace:
        return Pace(rest_share, self.clock, self.sleep)


@pytest.fixture
def passing(monkeypatch: pytest.MonkeyPatch) -> Time:
    """The time of a test, in which none before a rest counts as one."""
    monkeypatch.setattr(pacing, "AHEAD_S", 0)
    return Time()


async def test_it_rests_in_proportion_to_its_work_once_a_slice_is_done(passing: Time) -> None:
    pace = passing.pace(19)

    async def work() -> None:
        for _ in range(10):
            passing.pass_by(SLICE_S * 0.4)
            await pace.breathe()

    await pace.keep(work())

    assert passing.slept == pytest.approx([19 * SLICE_S * 1.2] * 3)


async def test_one_long_step_is_rested_for_in_full(passing: Time) -> None:
    pace = passing.pace(19)

    async def work() -> None:
        passing.pass_by(0.2)
        await pace.breathe()
        await pace.breathe()

    await pace.keep(work())

    assert passing.slept == pytest.approx([19 * 0.2])


async def test_waiting_is_not_work(passing: Time) -> None:
    pace = passing.pace(19)
    answer = asyncio.get_running_loop().create_future()

    def others_work() -> None:
        passing.pass_by(5)
        answer.set_result("an answer")

    async def work() -> str:
        passing.pass_by(SLICE_S)
        asyncio.get_running_loop().call_soon(others_work)
        found: str = await answer
        passing.pass_by(SLICE_S)
        await pace.breathe()
        return found

    assert await pace.keep(work()) == "an answer"
    assert passing.slept == pytest.approx([19 * 2 * SLICE_S])


async def test_who_was_kept_waiting_makes_up_for_it(passing: Time, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pacing, "AHEAD_S", 0.1)
    pace = passing.pace(19)

    async def work() -> None:
        for _ in range(4):
            passing.pass_by(0.002)
            await pace.breathe()

    await pace.keep(work())
    first, passing.slept = passing.slept, []
    passing.pass_by(0.06)
    await pace.keep(work())

    assert first == pytest.approx([0, 0, 0.014, 0.038])  # each takes 0.04 in all, and 0.1 had passed before
    assert passing.slept == pytest.approx([0, 0.016, 0.038, 0.038])


async def test_it_rests_longer_while_the_event_loop_has_no_time_to_spare(passing: Time) -> None:
    used_s = 0.0
    pace = Pace(19, passing.clock, passing.sleep, busy_rest_share=49, used=lambda: used_s)

    async def work(others_used_s: float) -> None:
        nonlocal used_s
        passing.pass_by(0.01)
        used_s += 0.01 + others_used_s
        await pace.breathe()

    for others_used_s in (0, 0.17, 0.3, 0.17):
        await pace.keep(work(others_used_s))

    # Others used none, 0.17 of 0.19, 0.3 of 0.49, and 0.17 of 0.19.
    assert passing.slept == pytest.approx([0.19, 0.49, 0.19, 0.49])


async def test_what_is_left_over_is_rested_for_at_the_end(passing: Time) -> None:
    pace = passing.pace(19)

    async def work() -> None:
        passing.pass_by(0.01)

    await pace.keep(work())
    passing.pass_by(30)  # waiting for more to do
    await pace.rest(0.1)
    await pace.rest(0.1)

    assert passing.slept == pytest.approx([0.19, 0.1])


async def test_what_a_thread_computes_is_work(passing: Time, monkeypatch: pytest.MonkeyPatch) -> None:
    readings = iter([1.0, 1.25])
    monkeypatch.setattr(pacing, "thread_time", lambda: next(readings))
    pace = passing.pace(4)

    assert await pace.in_thread(divmod, 7, 2) == (3, 1)
    await pace.breathe()

    assert passing.slept == pytest.approx([1.0])


async def test_without_a_task_there_is_no_work(passing: Time) -> None:
    pace = passing.pace(19)

    passing.pass_by(30)
    await pace.breathe()

    assert passing.slept == []


async def test_in_a_hurry_everything_else_still_has_its_turn(passing: Time) -> None:
    pace = passing.pace(19)
    pace.hurry()
    turns = 0

    def take_turn() -> None:
        nonlocal turns
        turns += 1
        asyncio.get_running_loop().call_soon(take_turn)

    async def work() -> None:
        for _ in range(5):
            passing.pass_by(1)
            await pace.breathe()

    take_turn()
    await pace.keep(work())

    assert turns >= 5
    assert passing.slept == [0] * 5


async def test_what_happens_while_it_waits_reaches_the_task(passing: Time) -> None:
    pace = passing.pace(19)
    entered, left = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        entered.set()
        try:
            await asyncio.Event().wait()
        finally:
            left.set()

    async def kept() -> None:
        await pace.keep(work())

    task = asyncio.create_task(kept())
    await entered.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert left.is_set()


async def test_a_failure_is_the_task_s(passing: Time) -> None:
    async def work() -> None:
        await asyncio.sleep(0)
        raise ZeroDivisionError("a bug")

    with pytest.raises(ZeroDivisionError):
        await passing.pace(19).keep(work())
