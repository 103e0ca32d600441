"""What time does to leased runs: lost leases, timeouts and graces, each once and only when it is due."""

from __future__ import annotations

import asyncio

import pytest

from sessiond.model.errors import StoreUnavailable
from sessiond.model.rules import Rules
from sessiond.runtime.append_run_events import AppendQuery, append_run_events
from sessiond.runtime.heartbeat_runs import heartbeat_runs
from sessiond.store.schema import run_waits
from sessiond.store.transaction import Tx
from sessiond.tools.sessions_spawn import SpawnQuery, sessions_spawn
from sessiond.worker.sweep import BATCH, old_records, overdue_runs, sweep_once
from tests.making import OWNER, count, session_of
from tests.runtime.engine import LONG_S, A, B, Engine, agent_of, token_of

pytest_plugins = ["tests.runtime.fixtures"]


async def test_a_lost_lease_fails_the_run_by_default(engine: Engine) -> None:  # R4
    taken = await engine.running()
    engine.clock.advance(seconds=29.999)
    assert await engine.sweep() == 0

    engine.clock.advance(seconds=0.001)
    assert await engine.sweep() == 1

    run = await engine.run(taken.placed.run.id)
    assert (run.state, run.failure_reason, run.failure_retryable) == ("failed", "RUNTIME_LOST", 1)
    assert (await engine.transitions(run.id))[-1] == ("failed", "server", "RUNTIME_LOST")


async def test_whoever_waits_is_told_of_the_loss(engine: Engine) -> None:  # R4
    wait = asyncio.create_task(engine.send(timeout_s=LONG_S))
    await engine.asleep()
    await engine.take()
    engine.clock.advance(seconds=31)

    await engine.sweep()

    assert (await wait).placed.run.failure_reason == "RUNTIME_LOST"


async def test_a_lost_run_is_queued_again_up_to_its_attempts(engine: Engine) -> None:  # R4
    engine.agent("main", requeue_on_loss=True, max_attempts=3)
    run_id = await engine.queue()

    states = []
    for attempt in (1, 2, 3):
        assert (await engine.take(run_id)).placed.run.attempt == attempt
        engine.clock.advance(seconds=31)
        await engine.sweep()
        states += await engine.states(run_id)

    assert states == ["queued", "queued", "failed"]
    assert [each for each in await engine.transitions(run_id) if each[0] == "queued"][1:] == [
        ("queued", "server", "RUNTIME_LOST")
    ] * 2


async def test_queued_runs_are_never_touched_however_old(engine: Engine) -> None:  # R4
    first, second = await engine.queue(), await engine.queue()
    engine.clock.advance(minutes=10_000)

    assert await engine.sweep() == 0

    assert await engine.states(first, second) == ["queued", "queued"]


async def test_the_run_behind_a_lost_one_gets_its_turn(engine: Engine) -> None:  # R2, R4
    await engine.running()
    behind = await engine.queue()
    engine.clock.advance(seconds=31)

    await engine.sweep()

    await engine.take(behind)


async def test_a_timeout_counts_from_the_start_and_not_from_queueing(engine: Engine) -> None:  # R5
    answer = await engine.chat(run_timeout_s=20)
    engine.clock.advance(minutes=60)
    taken = await engine.take(answer.run_id)
    engine.clock.advance(seconds=19)
    assert await engine.sweep() == 0

    engine.clock.advance(seconds=1)
    await engine.sweep()

    run = await engine.run(taken.placed.run.id)
    assert (run.state, run.end_actor, run.end_reason) == ("timed_out", "server", "TIMEOUT")
    assert [each.is_lost for each in await heartbeat_runs(engine.db, engine.rules, [token_of(taken)])] == [True]


async def test_neither_heartbeats_nor_events_put_a_timeout_off(engine: Engine) -> None:  # R5
    answer = await engine.chat(run_timeout_s=45)
    taken = await engine.take()
    for _ in range(2):
        engine.clock.advance(seconds=20)
        await heartbeat_runs(engine.db, engine.rules, [token_of(taken)])
        await append_run_events(engine.db, engine.rules, AppendQuery(token_of(taken), 0, ()))
        assert await engine.sweep() == 0

    engine.clock.advance(seconds=5)
    await engine.sweep()

    assert await engine.states(answer.run_id) == ["timed_out"]


async def test_a_timeout_of_nothing_is_none(engine: Engine) -> None:  # R5
    answer = await engine.chat(run_timeout_s=0)
    taken = await engine.take()

    for _ in range(20):
        engine.clock.advance(seconds=29)
        await heartbeat_runs(engine.db, engine.rules, [token_of(taken)])
    await engine.sweep()

    assert await engine.states(answer.run_id) == ["running"]


async def test_a_timed_out_run_is_not_tried_again(engine: Engine) -> None:  # R4, R5
    engine.agent("main", requeue_on_loss=True)
    spawned = await sessions_spawn(engine.db, engine.rules, OWNER, SpawnQuery("task", run_timeout_s=40))
    await engine.take()
    engine.clock.advance(seconds=41)  # the lease is over too

    await engine.sweep()

    assert await engine.states(spawned.placed.run.id) == ["timed_out"]


async def test_after_the_grace_a_cancelled_run_ends_whatever_its_runtime_does(engine: Engine) -> None:  # R6
    taken = await engine.running()
    await engine.cancel(taken.placed.run.id, reason="enough")
    for _ in range(3):
        engine.clock.advance(seconds=3)
        await heartbeat_runs(engine.db, engine.rules, [token_of(taken)])  # alive, but it does not stop
        assert await engine.sweep() == 0

    engine.clock.advance(seconds=1)
    await engine.sweep()

    run = await engine.run(taken.placed.run.id)
    assert (run.state, run.end_actor, run.end_reason) == ("cancelled", "olivia", "enough")
    (status,) = await heartbeat_runs(engine.db, engine.rules, [token_of(taken)])
    assert status.is_lost


async def test_a_second_cancel_does_not_put_the_grace_off(engine: Engine) -> None:  # R6
    taken = await engine.running()
    await engine.cancel(taken.placed.run.id, reason="first")
    engine.clock.advance(seconds=9)
    await engine.cancel(taken.placed.run.id, reason="second")

    engine.clock.advance(seconds=1)
    await engine.sweep()

    run = await engine.run(taken.placed.run.id)
    assert (run.state, run.end_reason) == ("cancelled", "first")


async def test_a_lease_renewed_in_between_is_left_alone(engine: Engine) -> None:  # R3
    taken = await engine.running()
    engine.clock.advance(seconds=31)

    await asyncio.gather(
        heartbeat_runs(engine.db, engine.rules, [token_of(taken)]), *(engine.sweep() for _ in range(3))
    )

    run = await engine.run(taken.placed.run.id)
    (status,) = await heartbeat_runs(engine.db, engine.rules, [token_of(taken)])
    assert status.is_lost is (run.state == "failed")


async def test_sweeps_at_once_end_each_run_once(engine: Engine) -> None:  # R1
    engine.slots(agents=20)
    keys = [f"agent:main:{number}" for number in range(20)]
    await engine.sessions(*keys)
    queued = [await engine.queue(key) for key in keys]
    assert len(await engine.acquire()) == len(keys)
    engine.clock.advance(seconds=31)

    await asyncio.gather(*(engine.sweep() for _ in range(4)))

    for run_id in queued:
        assert [state for state, _, _ in await engine.transitions(run_id)] == ["queued", "running", "failed"]
    for key in keys:
        session = await session_of(engine.db, key)
        assert session is not None
        assert (session.unfinished_runs, session.active_run_id) == (0, "")


async def test_a_sweep_goes_on_until_nothing_is_due(engine: Engine) -> None:  # property 9
    total = 2 * BATCH + 1
    engine.slots(agents=total)
    keys = [f"agent:main:{number}" for number in range(total)]
    await engine.sessions(*keys)
    for key in keys:
        await engine.queue(key)
    while await engine.acquire():
        pass
    engine.clock.advance(seconds=31)

    assert await engine.sweep() == total
    assert await engine.sweep() == 0


async def test_a_wait_that_nobody_renews_is_forgotten(engine: Engine) -> None:  # S5: a server that died in mid-wait
    await engine.sessions(A, B)
    outer = await engine.running(A)
    wait = asyncio.create_task(engine.send(B, caller=agent_of(outer), timeout_s=LONG_S))
    await engine.asleep()
    engine.clock.advance(seconds=60)
    await sweep_once(engine.db, engine.rules, old_records)
    assert await count(engine.db, run_waits) == 1

    engine.clock.advance(seconds=31)
    await sweep_once(engine.db, engine.rules, old_records)

    assert await count(engine.db, run_waits) == 0
    wait.cancel()
    await asyncio.wait([wait])


async def test_a_run_without_an_agent_fails_instead_of_being_tried_again(engine: Engine) -> None:  # R4
    engine.agent("gone", requeue_on_loss=True)
    await engine.sessions("agent:gone:x")
    taken = await engine.running("agent:gone:x")
    engine.agent("gone", requeue_on_loss=False)
    engine.clock.advance(seconds=31)

    await engine.sweep()

    assert await engine.states(taken.placed.run.id) == ["failed"]


async def test_a_sweep_that_fails_changes_nothing(engine: Engine) -> None:  # X3
    await engine.running()
    engine.clock.advance(seconds=31)
    before = await engine.rows()

    def broken(tx: Tx, rules: Rules) -> int:
        overdue_runs(tx, rules)
        raise StoreUnavailable

    with pytest.raises(StoreUnavailable):
        await sweep_once(engine.db, engine.rules, broken)

    assert await engine.rows() == before
