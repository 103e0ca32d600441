"""What becomes of sub-agents and old records with time; nothing unfinished is ever swept (P11, R8)."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa

from sessiond.model.messages import Usage
from sessiond.model.rules import SubagentRules
from sessiond.model.runs import Failure
from sessiond.model.sessions import Route
from sessiond.store.schema import (
    deliveries,
    exchanges,
    messages,
    request_ids,
    run_events,
    runs,
    session_generations,
    sessions,
    traces,
)
from sessiond.store.statement import Statement
from sessiond.tools.sessions_spawn import DELETE, KEEP
from sessiond.worker.sweep import deleted_children, idle_subagents, old_records, sweep_once
from tests.exchanges.stage import MAIN, RULES, Stage
from tests.fakes.clock import ManualClock
from tests.making import OWNER, count, make_session, say, session_of, words

pytest_plugins = ("tests.exchanges.fixtures",)

SIGNAL = Route("signal", "+49")


@pytest.fixture
async def stage(stage: Stage) -> Stage:
    await make_session(stage.db, MAIN, route_channel=SIGNAL.channel, route_to=SIGNAL.to)
    return stage


async def done_child(stage: Stage, **query: Any) -> str:
    """A child whose report is delivered; its key."""
    spawned = await stage.spawn(**query)
    await stage.turn("a hole", Usage(70, 30))
    await stage.turn("done")
    [taken] = await stage.acquire()
    await stage.ack(taken)
    return spawned.child.key


async def is_archived(stage: Stage, key: str) -> bool:
    session = await session_of(stage.db, key)
    assert session is not None
    return session.archived_ms is not None


async def test_a_child_is_archived_an_hour_after_its_last_run(stage: Stage, clock: ManualClock) -> None:  # P11
    child = await done_child(stage)

    clock.advance(minutes=59.9)
    assert await sweep_once(stage.db, stage.rules, idle_subagents) == 0
    clock.advance(minutes=0.2)
    assert await sweep_once(stage.db, stage.rules, idle_subagents) == 1

    assert await is_archived(stage, child)
    assert not await is_archived(stage, MAIN)
    assert len(await stage.transcript(child)) == 4  # hidden, nothing of it lost


async def test_zero_minutes_mean_never(stage: Stage, clock: ManualClock) -> None:  # P11
    stage.rules = replace(RULES, subagents=SubagentRules(archive_after_ms=0))
    child = await done_child(stage)
    clock.advance(minutes=60 * 24 * 365)

    assert await sweep_once(stage.db, stage.rules, idle_subagents) == 0
    assert not await is_archived(stage, child)


async def test_a_run_in_between_starts_the_time_anew(stage: Stage, clock: ManualClock) -> None:  # P11
    child = await done_child(stage)
    clock.advance(minutes=50)
    await stage.chat("and now?", child, deliver=False)
    await stage.turn("still here")
    clock.advance(minutes=50)

    assert await sweep_once(stage.db, stage.rules, idle_subagents) == 0
    assert not await is_archived(stage, child)


@pytest.mark.parametrize("steps", range(4), ids=["queued", "announcing", "undelivered", "taken"])
@pytest.mark.parametrize("cleanup", [KEEP, DELETE])
async def test_nothing_unfinished_is_swept(stage: Stage, clock: ManualClock, steps: int, cleanup: str) -> None:  # P11
    child = (await stage.spawn(cleanup=cleanup)).child.key
    for words_said in ("a hole", "done")[:steps]:
        await stage.turn(words_said)
    if steps == 3:
        await stage.acquire()
    clock.advance(minutes=600)

    assert await sweep_once(stage.db, stage.rules, idle_subagents) == 0
    assert await sweep_once(stage.db, stage.rules, deleted_children) == 0
    assert not await is_archived(stage, child)


async def test_a_session_that_nobody_spawned_is_not_archived(stage: Stage, clock: ManualClock) -> None:  # P11
    await make_session(stage.db, "agent:main:signal:direct:anna")
    clock.advance(minutes=600)

    assert await sweep_once(stage.db, stage.rules, idle_subagents) == 0


async def test_more_than_a_batch_is_archived_batch_by_batch(stage: Stage, clock: ManualClock) -> None:  # P11
    parent = await session_of(stage.db, MAIN)
    for number in range(60):
        await make_session(stage.db, f"agent:main:subagent:{number}", spawned_by=parent)
    clock.advance(minutes=61)

    swept = await asyncio.gather(*(sweep_once(stage.db, stage.rules, idle_subagents) for _ in range(3)))

    assert sum(swept) >= 60  # replicas that sweep at once may look at the same rows, one after the other
    left = sa.select(sessions.c.key).where(sessions.c.is_archived == 0)
    assert await stage.db.read(lambda tx: tx.rows(Statement("live sessions", left))) == [(MAIN,)]


async def test_a_child_to_be_deleted_is_gone_after_its_outcome(stage: Stage) -> None:  # P11
    child = await done_child(stage, cleanup=DELETE)
    await say(stage.db, child, *(words(str(number)) for number in range(120)))  # more than one batch

    await sweep_once(stage.db, stage.rules, deleted_children)

    assert await session_of(stage.db, child) is None
    assert [await count(stage.db, table) for table in (sessions, session_generations, runs, exchanges)] == [1, 1, 0, 0]
    assert await count(stage.db, run_events) == 0
    assert await count(stage.db, messages) == 1  # the report, in the requester's transcript
    assert await count(stage.db, deliveries) == 1  # and where it went


async def test_one_sweep_deletes_every_child_that_is_due(stage: Stage) -> None:  # P11
    children = [await done_child(stage, cleanup=DELETE) for _ in range(3)]

    await sweep_once(stage.db, stage.rules, deleted_children)

    assert [await session_of(stage.db, child) for child in children] == [None, None, None]


async def test_a_child_to_be_deleted_is_hidden_before_it_is_gone(stage: Stage) -> None:  # P11
    child = await done_child(stage, cleanup=DELETE)
    await say(stage.db, child, *(words(str(number)) for number in range(120)))

    await stage.db.write(lambda tx: deleted_children(tx, stage.rules))

    assert await is_archived(stage, child)


@pytest.mark.parametrize("end", ["failed", "skipped"])
async def test_a_child_without_a_delivery_is_deleted_too(stage: Stage, end: str) -> None:  # P11
    child = (await stage.spawn(cleanup=DELETE)).child.key
    if end == "failed":
        await stage.turn(Failure("MODEL_ERROR", "no"))
        [taken] = await stage.acquire()
        await stage.ack(taken)
    else:
        await stage.turns("a hole", "ANNOUNCE_SKIP")

    await sweep_once(stage.db, stage.rules, deleted_children)

    assert await session_of(stage.db, child) is None


async def test_what_a_deleted_child_took_stays_with_its_parent(stage: Stage) -> None:  # P11
    await done_child(stage, cleanup=DELETE)
    await sweep_once(stage.db, stage.rules, deleted_children)

    kept = Statement("what children took", sa.select(sessions.c.spawned_tokens).where(sessions.c.key == MAIN))

    assert await stage.db.read(lambda tx: tx.rows(kept)) == [(100,)]


async def test_a_child_that_is_kept_is_only_archived(stage: Stage, clock: ManualClock) -> None:  # P11
    child = await done_child(stage, cleanup=KEEP)
    clock.advance(minutes=600)
    await sweep_once(stage.db, stage.rules, idle_subagents)

    await sweep_once(stage.db, stage.rules, deleted_children)

    assert await is_archived(stage, child)


async def test_an_archive_is_purged_when_its_time_is_over(stage: Stage, clock: ManualClock) -> None:  # P11
    stage.rules = replace(RULES, purge_after_ms=86_400_000)
    child = await done_child(stage)
    clock.advance(minutes=61)
    await sweep_once(stage.db, stage.rules, idle_subagents)

    clock.advance(minutes=24 * 60 - 1)
    await sweep_once(stage.db, stage.rules, deleted_children)
    assert await is_archived(stage, child)
    clock.advance(minutes=2)
    await sweep_once(stage.db, stage.rules, deleted_children)

    assert await session_of(stage.db, child) is None
    assert await session_of(stage.db, MAIN) is not None


async def test_a_session_that_came_back_to_life_is_not_purged(stage: Stage, clock: ManualClock) -> None:  # P11
    stage.rules = replace(RULES, purge_after_ms=86_400_000)
    child = await done_child(stage)
    clock.advance(minutes=61)
    await sweep_once(stage.db, stage.rules, idle_subagents)
    clock.advance(minutes=48 * 60)

    await stage.chat("wake up", child, deliver=False)
    await sweep_once(stage.db, stage.rules, deleted_children)

    assert not await is_archived(stage, child)


async def test_request_ids_and_traces_are_forgotten_after_a_day(stage: Stage, clock: ManualClock) -> None:  # R8, R9
    traced = replace(OWNER, traceparent="00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
    await stage.spawn(request_id="once", by=traced)
    clock.advance(minutes=24 * 60)
    assert await sweep_once(stage.db, stage.rules, old_records) == 0
    assert await count(stage.db, request_ids) == await count(stage.db, traces) == 1

    clock.advance(seconds=1)
    await sweep_once(stage.db, stage.rules, old_records)

    assert await count(stage.db, request_ids) == await count(stage.db, traces) == 0
