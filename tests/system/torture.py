"""A busy time with faults, and the verdict: what was asked, what went wrong, and what was found afterwards."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from sessiond.store import schema
from sessiond.store.opening import engine_of
from sessiontools import Client, connect
from sessiontools.v1 import run_pb2
from sessiontools.v1 import session_tools_service_pb2 as pb
from tests.system.checker import Check, checks_of
from tests.system.faults import ON_POSTGRESQL, ON_SQLITE, Fault, Injector
from tests.system.house import FINAL, OPEN_DELIVERIES, read_house
from tests.system.postgres_pair import postgres_pair
from tests.system.scripts import keys_of
from tests.system.seen import Seen, read_journals, seen_checks
from tests.system.small_disk import small_disk
from tests.system.stage import Stage, staged
from tests.system.targets import OPTIONS
from tests.system.workload import Workload

CALLERS, SESSIONS = 5, 30
STUCK_S = 300  # only a service that does not come back takes so long
Plan = Iterator[list[Fault]]


@dataclass(frozen=True)
class Cast:
    """How many take part; one clock for each replica, by how much it is off. SQLite has only the first."""

    shifts_s: tuple[int, ...] = (0, 0, 5 * 60)
    outsiders: int = 2  # runtimes, and gateways


@dataclass(frozen=True)
class Verdict:
    """What came of one busy time."""

    store: str
    seconds: float  # from the first request to the last
    seen: Seen
    faults: Counter[str]
    checks: list[Check]

    @property
    def problems(self) -> list[str]:
        """Every breach."""
        return [problem for check in self.checks for problem in check.problems]


@asynccontextmanager
async def on_postgresql(folder: Path, cast: Cast) -> AsyncIterator[Stage]:
    """Replicas on a primary and its standby."""
    async with postgres_pair() as postgres:
        stage = Stage(folder, postgres.url, postgres=postgres)
        async with staged(stage, cast.shifts_s, cast.outsiders):
            yield stage


@asynccontextmanager
async def on_sqlite(folder: Path, cast: Cast) -> AsyncIterator[Stage]:
    """One server on a small disk."""
    with small_disk(folder / "disk") as disk:
        stage = Stage(folder, f"sqlite:///{disk.folder / 'test.db'}", disk=disk)
        async with staged(stage, cast.shifts_s[:1], cast.outsiders):
            yield stage


STAGES = {"PostgreSQL": on_postgresql, "SQLite": on_sqlite}
KINDS = {"PostgreSQL": ON_POSTGRESQL, "SQLite": ON_SQLITE}


async def tortured(
    store: str, folder: Path, cast: Cast, rng: random.Random, plan: Plan, say: Callable[[str], None]
) -> Verdict:
    """Strike with what the plan has while callers ask; then let everything end, and look."""
    async with STAGES[store](folder, cast) as stage, connect(stage.target, plaintext=True, options=OPTIONS) as client:
        workload, injector = Workload(client, rng, keys_of(SESSIONS)), Injector(stage, say)
        await workload.make_sessions()
        began_s = time.monotonic()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(workload.run(CALLERS))
            await _strike(plan, injector, workload)
            workload.end()
        seconds = time.monotonic() - began_s
        say("no more faults; what was not answered is asked again")
        async with asyncio.timeout(STUCK_S):
            await workload.learn_the_truth(CALLERS)
            await _settled(stage.store_url, client)
        await stage.stop()
        house = read_house(stage.store_url)
        version = version_of(stage.store_url)
    seen = Seen(house, workload.requests, workload.waits, read_journals(folder))
    return Verdict(version, seconds, seen, injector.counts, [*checks_of(house), *seen_checks(seen)])


async def _strike(plan: Plan, injector: Injector, workload: Workload) -> None:
    """One after the other, with answers in between: so each is recovered from."""
    for faults in plan:
        async with asyncio.timeout(STUCK_S):
            await workload.answered_more(faults[0].answers)
        async with asyncio.timeout(STUCK_S):
            await injector.strike(faults)
    async with asyncio.timeout(STUCK_S):
        await workload.answered_more(CALLERS)


async def _settled(store_url: str, client: Client) -> None:
    """Wait until everything is over that was begun."""
    while unsettled := await asyncio.to_thread(_unsettled, store_url):
        for run_id in unsettled:
            request = pb.WaitRunRequest(run_id=run_id, until=run_pb2.WAIT_UNTIL_SETTLED)
            async for _ in client.wait_run(request):
                pass


def version_of(store_url: str) -> str:
    """The database and its version."""
    engine = engine_of(store_url)
    query = "SELECT sqlite_version()" if engine.name == "sqlite" else "SHOW server_version"
    try:
        with engine.connect() as connection:
            number = connection.execute(sa.text(query)).scalar_one()
    finally:
        engine.dispose()
    return f"{'SQLite' if engine.name == 'sqlite' else 'PostgreSQL'} {number}"


def _unsettled(store_url: str) -> list[str]:
    runs, deliveries, exchanges = schema.runs, schema.deliveries, schema.exchanges
    queries = (
        sa.select(runs.c.id).where(runs.c.state.not_in(FINAL)),
        sa.select(deliveries.c.run_id).where(deliveries.c.state.in_(OPEN_DELIVERIES)),
        sa.select(exchanges.c.primary_run_id).where(exchanges.c.state == "open"),
    )
    engine = engine_of(store_url)
    try:
        with engine.connect() as connection:
            return sorted({row[0] for query in queries for row in connection.execute(query)})
    finally:
        engine.dispose()
