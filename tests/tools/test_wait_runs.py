"""WaitRuns: several runs in one stream, until one or all of them are over (W9)."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from sessiond.model.errors import CursorMismatch, InvalidField, RunNotFound, WaitLimit
from sessiond.model.rules import WaitRules
from sessiond.model.runs import cursor_of
from sessiond.model.visibility import VisibilityRules, VisibilitySetting
from sessiond.model.waits import WaitMode
from sessiond.waiting import Waits
from sessiontools.v1 import session_tools_service_pb2 as pb
from tests.making import acting_as
from tests.runtime.engine import A, B, C, Engine
from tests.runtime.reading import EVERYTHING, begin, end_of, events, kind, play, read, reading, stream, streams

pytest_plugins = ["tests.runtime.fixtures"]


async def three(engine: Engine) -> list[str]:
    await engine.sessions(A, B, C)
    return [await engine.queue(key) for key in (A, B, C)]


async def test_any_ends_with_the_first_and_names_it(engine: Engine) -> None:
    runs = await three(engine)
    async with reading(engine, streams(engine, *runs, mode=WaitMode.ANY)) as reader:
        leases = await engine.acquire()
        await engine.complete(leases[1], "first")

    seen = reader.result()
    assert end_of(seen) == "RUN_TERMINAL"
    assert (seen[-1].run_id, seen[-1].ended.run.reply) == (runs[1], "first")


async def test_all_ends_with_the_last(engine: Engine) -> None:
    runs = await three(engine)
    async with reading(engine, streams(engine, *runs, mode=WaitMode.ALL)) as reader:
        leases = await engine.acquire()
        for lease in leases[:2]:
            await engine.complete(lease)
        await engine.asleep()
        assert not reader.done()
        await engine.complete(leases[2])

    seen = reader.result()
    assert end_of(seen) == "RUN_TERMINAL"
    assert [kind(each) for each in seen].count("ended") == 1
    assert {each.run_id for each in seen if kind(each) == "snapshot"} == set(runs)


async def test_each_run_is_told_as_it_would_be_alone(engine: Engine) -> None:  # W1, W5
    await engine.sessions(B)
    second = await engine.running(B)
    first = await begin(engine)
    runs = [first, second.placed.run.id]
    async with reading(engine, streams(engine, *runs, mode=WaitMode.ALL, **EVERYTHING)) as reader:
        await play(engine, first)
        await engine.complete(second)

    for run_id in runs:
        alone = events(await read(stream(engine, run_id, **EVERYTHING)))
        together = [each for each in events(reader.result()) if each.run_id == run_id]
        assert [_of_one(each) for each in together] == alone


def _of_one(message: pb.WaitRunsResponse) -> pb.WaitRunResponse:
    """The message as WaitRun sends it."""
    told = {field.name: value for field, value in message.ListFields() if field.name != "run_id"}
    return pb.WaitRunResponse(**told)


async def test_each_run_goes_on_after_its_own_cursor(engine: Engine) -> None:  # W2
    runs = await three(engine)
    for lease in await engine.acquire():
        await engine.complete(lease)

    seen = await read(streams(engine, (runs[0], cursor_of(runs[0], 2)), (runs[1], cursor_of(runs[1], 4)), runs[2]))

    sequences = {run_id: [each.sequence for each in events(seen) if each.run_id == run_id] for run_id in runs}
    assert sequences == {runs[0]: [3, 4], runs[1]: [], runs[2]: [1, 2, 3, 4]}


async def test_a_cursor_of_the_wrong_run_is_refused(engine: Engine) -> None:  # W2
    runs = await three(engine)

    with pytest.raises(CursorMismatch):
        await read(streams(engine, runs[0], (runs[1], cursor_of(runs[0], 1))))


@pytest.mark.parametrize("named", [[], ["a", "a"], ["a", ""], [str(number) for number in range(101)]])
async def test_one_to_a_hundred_runs_are_named_once_each(engine: Engine, named: list[str]) -> None:  # X1, X6
    with pytest.raises(InvalidField) as refused:
        await read(streams(engine, *named))

    assert [each.field for each in refused.value.fields] == ["waits"]


async def test_a_hundred_runs_are_one_wait(engine: Engine) -> None:  # W10
    engine.waits = Waits(engine.wake, WaitRules(per_caller=1))
    runs = [await engine.queue() for _ in range(100)]
    async with reading(engine, streams(engine, *runs, mode=WaitMode.ANY)):
        with pytest.raises(WaitLimit):
            await read(streams(engine, runs[0]))
        await engine.complete(await engine.take())


async def test_one_hidden_run_refuses_the_wait_before_anything_is_told(engine: Engine) -> None:  # W8
    runs = await three(engine)
    engine.rules = replace(engine.rules, visibility=VisibilityRules(VisibilitySetting.SELF))
    responses = streams(engine, runs[0], runs[1], caller=acting_as(A))

    with pytest.raises(RunNotFound):
        await anext(responses)


@pytest.mark.parametrize("mode", WaitMode)
async def test_the_wait_ends_in_time_and_says_why(engine: Engine, mode: WaitMode) -> None:  # W6
    runs = await three(engine)

    assert end_of(await read(streams(engine, *runs, mode=mode, max_wait_s=0))) == "MAX_WAIT"
    async with reading(engine, streams(engine, *runs, mode=mode)) as reader:
        await engine.waits.drain()
    assert end_of(reader.result()) == "DRAINING"


async def test_all_over_already_is_replayed_and_ended(engine: Engine) -> None:  # W3
    runs = await three(engine)
    await asyncio.gather(*(engine.complete(lease) for lease in await engine.acquire()))

    assert end_of(await read(streams(engine, *runs, mode=WaitMode.ALL))) == "RUN_TERMINAL"
