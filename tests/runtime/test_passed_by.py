"""A run whose session somebody has locked is passed by, and taken as soon as the session is free (R2, property 5)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import sqlalchemy as sa

from sessiond.runtime import acquire_runs
from sessiond.store.database import Database
from sessiond.store.opening import open_database
from sessiond.store.transaction import Tx
from tests.fakes.clock import ManualClock
from tests.making import found
from tests.meeting import wait_here
from tests.postgres import empty
from tests.runtime.engine import LONG_S, A, Engine, WatchedWake


@pytest.fixture
async def engine(postgres: sa.Engine, clock: ManualClock) -> AsyncIterator[Engine]:
    """On PostgreSQL alone: SQLite has one writer at a time, so that nobody is ever passed by."""
    empty(postgres)
    wake = WatchedWake()
    db = await open_database(postgres.url.render_as_string(hide_password=False), on_commit=wake.publish, clock=clock)
    yield Engine(db, clock, wake)
    await db.close()


@pytest.mark.parametrize("agent", ["main", "far"])
async def test_a_run_that_was_passed_by_is_taken_without_a_further_hint(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, agent: str
) -> None:
    monkeypatch.setattr(acquire_runs, "POLL_S", LONG_S)
    key = A.replace("main", agent)
    await engine.sessions(key)
    run_id = await engine.queue(key)

    async with asyncio.timeout(LONG_S / 2), asyncio.TaskGroup() as tasks, _locked(engine.db, key):
        taking = tasks.create_task(engine.take(wait_s=LONG_S, is_external=agent == "far"))
        await engine.asleep()

    assert taking.result().placed.run.id == run_id


@asynccontextmanager
async def _locked(db: Database, key: str) -> AsyncIterator[None]:
    """Somebody has the session's row, and changes nothing that anyone is told of."""
    has_it, may_go = asyncio.Event(), asyncio.Event()

    def hold(tx: Tx) -> None:
        found(tx, key)
        has_it.set()
        wait_here(may_go.wait())

    holding = asyncio.create_task(db.write(hold))
    await has_it.wait()
    try:
        yield
    finally:
        may_go.set()
        await holding
