"""A wait that could never end is refused at once, with its path; on any replica, since the relation is stored (S5)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import groupby

import pytest

from sessiond.access import View
from sessiond.following import Follow, Following
from sessiond.model.callers import Caller
from sessiond.model.errors import WaitCycle
from sessiond.model.messages import Provenance, ProvenanceKind, Text
from sessiond.model.runs import RunKind
from sessiond.model.visibility import EVERYTHING, VisibilityRules, VisibilitySetting
from sessiond.model.waits import WaitUntil
from sessiond.runtime.assignments import Assignment
from sessiond.runtime.heartbeat_runs import heartbeat_runs
from sessiond.store.schema import run_waits
from sessiond.store.transaction import Tx
from sessiond.tools.get_run import GetQuery, get_run
from sessiond.tools.wait_run import WaitQuery, wait_run
from sessiond.tools.wait_runs import WaitsQuery, wait_runs
from sessiond.turns import Turn, start_turn
from sessiond.worker.sweep import old_records, sweep_once
from tests.making import OWNER, acting_as, count, found
from tests.runtime.engine import LONG_S, A, B, C, Engine, agent_of, token_of

pytest_plugins = ["tests.runtime.fixtures"]

Wait = Callable[[Engine, Caller, str], Awaitable[object]]


async def _get_run(engine: Engine, caller: Caller, run_id: str) -> None:
    await get_run(engine.db, engine.rules, engine.waits, caller, GetQuery(run_id, wait_s=LONG_S))


async def _wait_run(engine: Engine, caller: Caller, run_id: str) -> None:
    async for _ in wait_run(engine.db, engine.rules, engine.waits, caller, WaitQuery(run_id, "", Follow())).told():
        pass


async def _wait_runs(engine: Engine, caller: Caller, run_id: str) -> None:
    query = WaitsQuery(((run_id, ""),), Follow())
    async for _ in wait_runs(engine.db, engine.rules, engine.waits, caller, query).told():
        pass


WAITS: dict[str, Wait] = {"GetRun": _get_run, "WaitRun": _wait_run, "WaitRuns": _wait_runs}


@asynccontextmanager
async def waiting(engine: Engine, lease: Assignment, key: str, number: int = 1) -> AsyncIterator[Assignment]:
    """A run that waits for what it sent to another session, as so many then do; the run there, taken."""
    wait = asyncio.create_task(engine.send(key, caller=agent_of(lease), timeout_s=LONG_S, max_turns=0))
    await engine.asleep(number)
    inner = await engine.take()
    yield inner
    await engine.complete(inner)
    await wait


async def test_a_session_that_waits_for_itself_is_refused(engine: Engine) -> None:
    await engine.sessions(A)
    lease = await engine.running(A)
    before = await engine.rows()

    with pytest.raises(WaitCycle) as refused:
        await engine.send(A, caller=agent_of(lease), timeout_s=LONG_S)

    assert _sessions(refused.value) == [A]
    assert await engine.rows() == before


async def test_two_sessions_that_wait_for_each_other_are_refused(engine: Engine) -> None:
    await engine.sessions(A, B)
    async with waiting(engine, await engine.running(A), B) as at_b:
        before = await engine.rows()

        with pytest.raises(WaitCycle) as refused:
            await engine.send(A, caller=agent_of(at_b), timeout_s=LONG_S)

        assert _sessions(refused.value) == [B, A, B]
        assert await engine.rows() == before


async def test_a_ring_of_three_is_refused(engine: Engine) -> None:
    await engine.sessions(A, B, C)
    async with (
        waiting(engine, await engine.running(A), B) as at_b,
        waiting(engine, at_b, C, number=2) as at_c,
    ):
        before = await engine.rows()

        with pytest.raises(WaitCycle) as refused:
            await engine.send(A, caller=agent_of(at_c), timeout_s=LONG_S)

        assert _sessions(refused.value) == [C, A, B, C]
        assert await engine.rows() == before


async def test_with_no_wait_the_same_send_is_fine(engine: Engine) -> None:
    await engine.sessions(A, B)
    async with waiting(engine, await engine.running(A), B) as at_b:
        for key in (A, B):
            assert not (await engine.send(key, caller=agent_of(at_b), timeout_s=0)).waited


@pytest.mark.parametrize("name", WAITS)
async def test_a_wait_on_a_run_queued_behind_its_own_is_refused(engine: Engine, name: str) -> None:
    await engine.sessions(A)
    lease = await engine.running(A)
    for _ in range(3):
        behind = await engine.queue(A)

    with pytest.raises(WaitCycle):
        await WAITS[name](engine, agent_of(lease), behind)
    with pytest.raises(WaitCycle):
        await WAITS[name](engine, agent_of(lease), lease.placed.run.id)

    assert await count(engine.db, run_waits) == 0


@pytest.mark.parametrize("name", WAITS)
async def test_a_wait_on_a_run_behind_one_that_waits_for_it_is_refused(engine: Engine, name: str) -> None:
    await engine.sessions(A, B)
    async with waiting(engine, await engine.running(A), B) as at_b:
        behind = await engine.queue(A)

        with pytest.raises(WaitCycle):
            await WAITS[name](engine, agent_of(at_b), behind)


async def test_a_circle_through_a_thousand_queued_runs_is_found(engine: Engine) -> None:
    await engine.sessions(A)
    lease = await engine.running(A)
    engine.limit(queue_depth=5_000, max_runs_per_trace=5_000)
    await engine.db.write(lambda tx: _queue_many(tx, engine, 1_000))

    with pytest.raises(WaitCycle):
        await engine.send(A, caller=agent_of(lease), timeout_s=LONG_S)


def _queue_many(tx: Tx, engine: Engine, number: int) -> None:
    view = View(None, EVERYTHING)
    for at in range(number):
        turn = Turn(RunKind.CHAT, (Text("x"),), Provenance(ProvenanceKind.USER), f"run-{at}")
        start_turn(tx, engine.rules, OWNER, view, found(tx, A), turn)


async def test_two_that_close_a_circle_at_once_do_not_both_wait(engine: Engine) -> None:
    await engine.sessions(A, B)
    at_a, at_b = await engine.running(A), await engine.running(B)

    sends = [
        asyncio.create_task(engine.send(B, caller=agent_of(at_a), timeout_s=LONG_S, max_turns=0)),
        asyncio.create_task(engine.send(A, caller=agent_of(at_b), timeout_s=LONG_S, max_turns=0)),
    ]

    async with asyncio.timeout(LONG_S):
        done, pending = await asyncio.wait(sends, return_when=asyncio.FIRST_COMPLETED)
        assert [type(each.exception()) for each in done] == [WaitCycle]
        (other,) = pending
        refused = at_a if sends[0] in done else at_b
        await engine.complete(refused)
        await engine.complete(await engine.take())
        assert (await other).placed.run.reply == "done"


async def test_an_acting_session_waits_as_its_unfinished_run(engine: Engine) -> None:
    await engine.sessions(A)
    await engine.queue(A)

    with pytest.raises(WaitCycle):
        await engine.send(A, caller=acting_as(A), timeout_s=LONG_S)
    await engine.complete(await engine.take())

    assert not (await engine.send(A, caller=acting_as(A), timeout_s=LONG_S, deadline_s=0.01)).placed.run.is_final


async def test_a_wait_that_is_over_closes_no_circle(engine: Engine) -> None:
    await engine.sessions(A, B)
    outer = await engine.running(A)
    sent = await engine.send(B, caller=agent_of(outer), timeout_s=LONG_S, deadline_s=0.01)
    at_b = await engine.take(sent.placed.run.id)

    again = await engine.send(A, caller=agent_of(at_b), timeout_s=LONG_S, deadline_s=0.01)

    assert again.waited
    assert await count(engine.db, run_waits) == 0


async def test_a_wait_whose_caller_is_in_a_hurry_to_leave_is_noted_no_more(engine: Engine) -> None:
    await engine.sessions(A, B)
    outer = await engine.running(A)
    wait = asyncio.create_task(engine.send(B, caller=agent_of(outer), timeout_s=LONG_S))
    await engine.asleep()
    assert await count(engine.db, run_waits) == 1

    wait.cancel()
    await asyncio.sleep(0)
    wait.cancel()  # while it says that it waits no more
    await asyncio.wait([wait])

    async with asyncio.timeout(LONG_S):
        while await count(engine.db, run_waits):
            pass


async def test_a_wait_of_a_server_that_died_ends_by_itself(engine: Engine) -> None:
    await engine.sessions(A, B)
    outer = await engine.running(A)
    wait = asyncio.create_task(engine.send(B, caller=agent_of(outer), timeout_s=LONG_S))
    await engine.asleep()
    at_b = await engine.take()
    engine.clock.advance(seconds=91)
    await heartbeat_runs(engine.db, engine.rules, [token_of(at_b)])

    again = await engine.send(A, caller=agent_of(at_b), timeout_s=LONG_S, deadline_s=0.01)

    assert again.waited
    await sweep_once(engine.db, engine.rules, old_records)
    wait.cancel()
    await asyncio.wait([wait])


async def test_a_session_out_of_sight_stays_unnamed_in_the_path(engine: Engine) -> None:  # V5
    await engine.sessions(A, B)
    lease = await engine.running(A)
    async with waiting(engine, lease, B) as at_b:
        engine.rules = replace(engine.rules, visibility=VisibilityRules(VisibilitySetting.SELF))
        behind = await engine.queue(B)

        with pytest.raises(WaitCycle) as refused:
            await _get_run(engine, agent_of(at_b), behind)

        assert _sessions(refused.value)[0] == B
        engine.rules = replace(engine.rules, visibility=VisibilityRules())


def _sessions(refusal: WaitCycle) -> list[str]:
    """The sessions of the path; a run that waits for the one before it in its session adds none."""
    return [key for key, _ in groupby(refusal.facts["path"].split(" -> "))]


@pytest.mark.parametrize(("max_turns", "is_refused"), [(1, True), (0, False)])
async def test_a_run_can_wait_for_its_exchange_to_settle_only_if_no_turn_of_it_is_its_own(
    engine: Engine, max_turns: int, is_refused: bool
) -> None:
    await engine.sessions(A, B)
    lease = await engine.running(A)
    sent = await engine.send(B, caller=agent_of(lease), timeout_s=0, max_turns=max_turns)
    query = WaitQuery(sent.placed.run.id, "", Follow(until=WaitUntil.SETTLED, max_wait_s=0))

    following = wait_run(engine.db, engine.rules, engine.waits, agent_of(lease), query)
    (outcome,) = await asyncio.gather(_all(following), return_exceptions=True)

    assert isinstance(outcome, WaitCycle) is is_refused


async def _all(following: Following) -> int:
    return len([told async for told in following.told()])
