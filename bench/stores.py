"""Stores on each database, empty or filled, made when a group first asks for them and gone after the run."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from tqdm import tqdm

from bench.options import SMALL, Options
from sessiond.store.database import Database
from sessiond.store.opening import open_database
from sessiond.store.seeding import SeedPlan, seed_store
from tests.postgres import running_postgres
from tests.store.spare import spare_database

AGENTS = ("main", "work", "family", "support", "research")
# For a server on a filled store: no mirror of a million transcripts, no archiving of old sub-agents while we measure.
UNTOUCHED: dict[str, Any] = {
    "transcripts": {"enabled": False},
    "agents": {
        "list": [{"id": agent, "runtime": "external"} for agent in AGENTS],
        "defaults": {"maxConcurrent": 64, "subagents": {"archiveAfterMinutes": 0}},
    },
}
SQLITE, POSTGRESQL = "SQLite", "PostgreSQL"
DATABASES = (SQLITE, POSTGRESQL)


@dataclass(frozen=True)
class Filled:
    """A store with so many sessions, as many messages, and one long transcript."""

    url: str
    sessions: int
    transcript: int
    transcript_key: str


@dataclass(frozen=True)
class Store:
    """One that is open in this process."""

    db: Database
    sessions: int
    transcript: int
    transcript_key: str


@dataclass(frozen=True)
class Pair:
    """The same kind of data on one database, small and large."""

    database: str
    small: Store
    large: Store


class Bench:
    """What a group of scenarios measures with."""

    def __init__(self, options: Options, folder: Path, stack: AsyncExitStack) -> None:
        self.options = options
        self._folder = folder
        self._stack = stack
        self._engine: sa.Engine | None = None
        self._filled: dict[tuple[str, int], Filled] = {}
        self._made = 0

    @property
    def versions(self) -> list[str]:
        """Of the databases."""
        with self._postgres().connect() as connection:
            postgres = str(connection.exec_driver_sql("SHOW server_version").scalar_one())
        return [f"SQLite {sqlite3.sqlite_version}", f"PostgreSQL {postgres}, its own settings"]

    def empty(self, database: str) -> str:
        """The URL of a new store that has nothing in it, not even tables."""
        self._made += 1
        if database == SQLITE:
            return f"sqlite:///{self._folder / f'store-{self._made}'}.db"
        return self._stack.enter_context(spare_database(self._postgres(), f"store_{self._made}"))

    async def filled(self, database: str, sessions: int, transcript: int = 0) -> Filled:
        """A store with invented sessions, the same one to everybody who asks for this size."""
        if (database, sessions) not in self._filled:
            self._filled[database, sessions] = await _fill(
                database, self.empty(database), sessions, transcript or sessions
            )
        return self._filled[database, sessions]

    @asynccontextmanager
    async def pair(self, database: str) -> AsyncIterator[Pair]:
        """The small and the large store, open in this process."""
        small = await self.filled(database, SMALL)
        large = await self.filled(database, self.options.sessions, self.options.transcript)
        async with _opened(small) as one, _opened(large) as other:
            yield Pair(database, one, other)

    def _postgres(self) -> sa.Engine:
        if self._engine is None:
            (self._folder / "postgres").mkdir()
            self._engine = sa.create_engine(self._stack.enter_context(running_postgres(self._folder / "postgres")))
            self._stack.callback(self._engine.dispose)
        return self._engine


@asynccontextmanager
async def _opened(filled: Filled) -> AsyncIterator[Store]:
    db = await open_database(filled.url, on_commit=lambda topics: None, pool_size=2)
    try:
        yield Store(db, filled.sessions, filled.transcript, filled.transcript_key)
    finally:
        await db.close()


async def _fill(database: str, url: str, sessions: int, transcript: int) -> Filled:
    plan = SeedPlan(sessions=sessions, messages=sessions, one_transcript=transcript, agents=AGENTS)
    print(f"filling {database}: {sessions:,} sessions, one transcript of {transcript:,} messages", file=sys.stderr)
    with tqdm(total=plan.rows, unit=" rows", unit_scale=True, disable=None) as bar:
        seeded = await asyncio.to_thread(seed_store, url, plan, bar.update)
    return Filled(url, sessions, transcript, seeded.one_transcript_key)
