"""Many exchanges at once, in both directions between the same sessions, with several runtimes (properties 1, 2)."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest
from psycopg.errors import DeadlockDetected

from sessiond.runtime.acquire_runs import AcquireQuery, acquire_runs
from sessiond.store.postgres import PostgresDatabase
from tests.exchanges.stage import GROUP, MAIN, Stage
from tests.making import make_session

pytest_plugins = ("tests.exchanges.fixtures",)

EACH_WAY = 4
RUNTIMES = 4


@pytest.fixture
async def stage(stage: Stage) -> Stage:
    await make_session(stage.db, MAIN, route_channel="signal", route_to="anna")
    await make_session(stage.db, GROUP)
    return stage


async def execute(stage: Stage, name: str) -> int:
    """A runtime: whatever it gets it answers, until every exchange has its delivery; how many runs it had."""
    done = 0
    while len(await stage.deliveries()) < 2 * EACH_WAY:
        for taken in await acquire_runs(stage.db, stage.rules, stage.waits, AcquireQuery(name, is_external=False)):
            await stage.end(taken, f"words of {taken.placed.run.kind}")
            done += 1
    return done


@pytest.fixture
def deadlocks(monkeypatch: pytest.MonkeyPatch) -> list[DeadlockDetected]:
    """Every transaction that PostgreSQL had to break off; it is tried again, but only after a second of waiting."""
    met: list[DeadlockDetected] = []
    attempt = PostgresDatabase._attempt

    def watched(*args: Any) -> Any:
        try:
            return attempt(*args)
        except DeadlockDetected as problem:
            met.append(problem)
            raise

    monkeypatch.setattr(PostgresDatabase, "_attempt", watched)
    return met


async def test_each_of_many_exchanges_has_all_its_turns_and_one_delivery(
    stage: Stage, deadlocks: list[DeadlockDetected]
) -> None:  # S9-S12
    there = (stage.send("ask", by=MAIN, session_key=GROUP, max_turns=2) for _ in range(EACH_WAY))
    back = (stage.send("ask", by=GROUP, session_key=MAIN, max_turns=2) for _ in range(EACH_WAY))
    sent = await asyncio.gather(*there, *back)

    async with asyncio.timeout(60):
        done = await asyncio.gather(*(execute(stage, f"runtime {number}") for number in range(RUNTIMES)))

    kinds = Counter((run.exchange_id, run.kind, run.state) for run in await stage.runs())
    assert kinds == {
        (each.exchange_id, kind, "succeeded"): number
        for each in sent
        for kind, number in (("send", 1), ("reply", 2), ("announce", 1))
    }
    assert sum(done) == 2 * EACH_WAY * 4
    assert Counter(each.exchange_id for each in await stage.deliveries()) == {each.exchange_id: 1 for each in sent}
    assert deadlocks == []
