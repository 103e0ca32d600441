"""GetRun: a run as it is or, with a wait, as soon as it has changed (W9)."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from sessiond.model.callers import Caller
from sessiond.model.errors import InvalidField, RunNotFound, WaitLimit
from sessiond.model.rules import WaitRules
from sessiond.model.visibility import VisibilityRules, VisibilitySetting
from sessiond.store.runs import PlacedRun
from sessiond.store.schema import run_waits
from sessiond.tools.get_run import GetQuery, get_run
from sessiond.waiting import Waits
from tests.making import OWNER, acting_as, count
from tests.runtime.engine import LONG_S, A, B, Engine, agent_of

pytest_plugins = ["tests.runtime.fixtures"]


async def get(engine: Engine, run_id: str, caller: Caller = OWNER, wait_s: int = 0, known: int = 0) -> PlacedRun:
    query = GetQuery(run_id, wait_s, known)
    return (await get_run(engine.db, engine.rules, engine.waits, caller, query))[0]


async def test_a_run_is_told_as_it_is(engine: Engine) -> None:
    run_id = await engine.queue()

    placed = await get(engine, run_id)

    assert (placed.run, placed.session_key) == (await engine.run(run_id), "agent:main:main")


async def test_with_a_wait_it_is_told_at_its_end(engine: Engine) -> None:
    taken = await engine.running()
    wait = asyncio.create_task(get(engine, taken.placed.run.id, wait_s=LONG_S))
    await engine.asleep()

    await engine.complete(taken, "answer")

    assert (await wait).run.reply == "answer"


async def test_with_a_known_version_it_is_told_at_the_next_change(engine: Engine) -> None:
    run_id = await engine.queue()
    known = (await engine.run(run_id)).version
    wait = asyncio.create_task(get(engine, run_id, wait_s=LONG_S, known=known))
    await engine.asleep()

    await engine.take()

    placed = await wait
    assert (placed.run.state, placed.run.version) == ("running", known + 1)


async def test_a_version_that_has_passed_is_answered_at_once(engine: Engine) -> None:
    taken = await engine.running()

    assert (await get(engine, taken.placed.run.id, wait_s=LONG_S, known=1)).run.state == "running"


async def test_a_finished_run_is_never_waited_for(engine: Engine) -> None:
    placed = await engine.complete(await engine.running())

    assert (await get(engine, placed.run.id, wait_s=LONG_S, known=placed.run.version)).run == placed.run


async def test_every_change_gives_another_version(engine: Engine) -> None:  # R1
    versions = [(await engine.run(await engine.queue())).version]
    taken = await engine.take()
    versions.append((await engine.run(taken.placed.run.id)).version)
    await engine.cancel(taken.placed.run.id)
    versions.append((await engine.run(taken.placed.run.id)).version)
    versions.append((await engine.complete(taken)).run.version)

    assert versions == [1, 2, 3, 4]


async def test_the_wait_ends_before_the_callers_deadline(engine: Engine) -> None:
    run_id = await engine.queue()
    query = GetQuery(run_id, wait_s=LONG_S, deadline_s=0.01)

    placed, _ = await get_run(engine.db, engine.rules, engine.waits, OWNER, query)

    assert placed.run.state == "queued"


async def test_the_drain_answers_at_once(engine: Engine) -> None:  # X4
    run_id = await engine.queue()
    wait = asyncio.create_task(get(engine, run_id, wait_s=LONG_S))
    await engine.asleep()

    await engine.waits.drain()

    assert (await wait).run.state == "queued"


async def test_a_wait_counts_among_the_callers_waits(engine: Engine) -> None:  # W10
    engine.waits = Waits(engine.wake, WaitRules(per_caller=0))
    run_id = await engine.queue()

    with pytest.raises(WaitLimit):
        await get(engine, run_id, wait_s=1)
    assert (await get(engine, run_id)).run.state == "queued"


async def test_a_run_out_of_sight_is_not_there(engine: Engine) -> None:  # W8
    await engine.sessions(A, B)
    hidden = await engine.queue(B)
    engine.rules = replace(engine.rules, visibility=VisibilityRules(VisibilitySetting.SELF))

    told = []
    for run_id in (hidden, "no such run"):
        with pytest.raises(RunNotFound) as refused:
            await get(engine, run_id, acting_as(A), wait_s=LONG_S)
        told.append(refused.value.text)
    assert told[0] == told[1]


async def test_a_run_that_goes_out_of_sight_while_one_waits_is_gone(engine: Engine) -> None:  # W8
    await engine.sessions(A, B)
    lease, run_id = await engine.running(A), await engine.queue(B)
    wait = asyncio.create_task(get(engine, run_id, agent_of(lease), wait_s=LONG_S))
    await engine.asleep()
    assert await count(engine.db, run_waits) == 1
    await engine.complete(lease)

    engine.wake.hint_all()

    with pytest.raises(Exception, match="token"):
        await wait
    assert await count(engine.db, run_waits) == 0


@pytest.mark.parametrize(("run_id", "wait_s", "field"), [("", 0, "run_id"), ("x", 61, "wait_seconds")])
async def test_what_is_asked_is_checked(engine: Engine, run_id: str, wait_s: int, field: str) -> None:  # X1
    with pytest.raises(InvalidField) as refused:
        await get(engine, run_id, wait_s=wait_s)

    assert [each.field for each in refused.value.fields] == [field]
