"""Somebody has a session's row: its next run is passed by and taken soon after, the end of one waits (R2, R7)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import pytest
import sqlalchemy as sa

from sessiond.runtime import acquire_runs
from sessiond.store import sessions
from sessiond.store.database import Database
from sessiond.store.opening import open_database
from sessiond.store.transaction import Tx
from tests.fakes.clock import ManualClock
from tests.making import found
from tests.meeting import wait_here
from tests.postgres import empty
from tests.runtime.engine import LONG_S, A, B, C, Engine, WatchedWake

_WAITING = sa.text("SELECT count(*) FROM pg_locks WHERE NOT granted")


@pytest.fixture
async def engine(request: pytest.FixtureRequest, postgres: sa.Engine, clock: ManualClock) -> AsyncIterator[Engine]:
    """On PostgreSQL alone: SQLite has one writer at a time, so that nobody ever meets anybody."""
    empty(postgres)
    wake = WatchedWake()
    settings = {"options": f"-c {request.param}"} if hasattr(request, "param") else {}
    url = postgres.url.update_query_dict(settings).render_as_string(hide_password=False)
    db = await open_database(url, on_commit=wake.publish, clock=clock)
    yield Engine(db, clock, wake)
    await db.close()


@pytest.mark.parametrize("agent", ["main", "far"])
async def test_a_run_that_was_passed_by_is_taken_without_a_further_hint(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, agent: str
) -> None:  # R2, property 5
    monkeypatch.setattr(acquire_runs, "POLL_S", LONG_S)
    key = A.replace("main", agent)
    await engine.sessions(key)
    run_id = await engine.queue(key)

    may_go = asyncio.Event()
    async with asyncio.timeout(LONG_S / 2), asyncio.TaskGroup() as tasks, _locked(engine.db, key, may_go.wait()):
        taking = tasks.create_task(engine.take(wait_s=LONG_S, is_external=agent == "far"))
        await engine.asleep()
        may_go.set()

    assert taking.result().placed.run.id == run_id


async def test_a_run_that_is_passed_by_holds_up_none_beside_it(engine: Engine) -> None:  # R2
    await engine.sessions(A, B, C)
    run_ids = [await engine.queue(key) for key in (A, B, C)]
    may_go = asyncio.Event()

    async with asyncio.timeout(LONG_S / 2), _locked(engine.db, B, may_go.wait()):
        taken = await engine.acquire()
        may_go.set()

    assert [each.placed.run.id for each in taken] == [run_ids[0], run_ids[2]]
    assert await engine.states(*run_ids) == ["running", "queued", "running"]


# As PostgreSQL comes to a run's sessions while there are few, and as it does once there are many.
@pytest.mark.parametrize("engine", ["enable_seqscan=on", "enable_seqscan=off"], indirect=True)
async def test_the_end_of_a_run_waits_for_whoever_changes_its_session(
    engine: Engine, postgres: sa.Engine
) -> None:  # R1, R7: with its lease held, it is never told that it is lost
    await engine.sessions(A)
    taken = await engine.running(A)

    async with asyncio.timeout(LONG_S), asyncio.TaskGroup() as tasks, _locked(engine.db, A, _until_met(postgres)):
        ending = tasks.create_task(engine.complete(taken, "answer"))

    assert ending.result().run.state == "succeeded"


async def test_runs_that_end_with_one_that_has_to_wait_do_not_wait(engine: Engine) -> None:  # R7, X3
    await engine.sessions(A, B)
    waiting, other = await engine.running(A), await engine.running(B)
    may_go = asyncio.Event()

    async with asyncio.timeout(LONG_S / 2), asyncio.TaskGroup() as tasks, _locked(engine.db, A, may_go.wait()):
        ending = tasks.create_task(engine.complete(waiting, "later"))
        assert (await engine.complete(other, "now")).run.state == "succeeded"
        assert not ending.done()
        may_go.set()

    assert ending.result().run.reply == "later"


@asynccontextmanager
async def _locked(db: Database, key: str, until: Coroutine[Any, Any, Any]) -> AsyncIterator[None]:
    """Somebody has the session's row and changes it, but nothing that anyone is told of."""
    has_it = asyncio.Event()

    def hold(tx: Tx) -> None:
        sessions.change(tx, found(tx, key), {"label": "new"})
        has_it.set()
        wait_here(until)

    holding = asyncio.create_task(db.write(hold))
    await has_it.wait()
    yield
    await holding


async def _until_met(postgres: sa.Engine) -> None:
    """Until somebody waits for a row."""
    while not await asyncio.to_thread(_waiting, postgres):
        pass


def _waiting(postgres: sa.Engine) -> int:
    with postgres.connect() as connection:
        return int(connection.execute(_WAITING).scalar_one())
