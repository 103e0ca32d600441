"""A small and a large store on each database, filled for the time of a run."""

from __future__ import annotations

import asyncio
import sqlite3
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa
from tqdm import tqdm

from bench.options import SMALL, Options
from sessiond.store.database import Database
from sessiond.store.opening import open_database
from sessiond.store.seeding import SeedPlan, seed_store
from tests.postgres import running_postgres
from tests.store.spare import spare_database

AGENTS = ("main", "work", "family", "support", "research")


@dataclass(frozen=True)
class Store:
    """An open store and the key of its long transcript."""

    db: Database
    sessions: int
    transcript: int
    transcript_key: str


@dataclass(frozen=True)
class Pair:
    """The same kind of data on one database, small and large."""

    database: str
    version: str
    small: Store
    large: Store


@dataclass(frozen=True)
class Bench:
    """What a group of scenarios measures with."""

    options: Options
    pairs: list[Pair]


@asynccontextmanager
async def filled(options: Options, folder: Path) -> AsyncIterator[Bench]:
    """Everything filled and open; nothing of it stays."""
    async with _on_sqlite(options, folder) as embedded, _on_postgres(options, folder) as shared:
        yield Bench(options, [embedded, shared])


@asynccontextmanager
async def _on_sqlite(options: Options, folder: Path) -> AsyncIterator[Pair]:
    urls = [f"sqlite:///{folder / name}.db" for name in ("small", "large")]
    async with _pair("SQLite", f"SQLite {sqlite3.sqlite_version}", options, *urls) as pair:
        yield pair


@asynccontextmanager
async def _on_postgres(options: Options, folder: Path) -> AsyncIterator[Pair]:
    (folder / "postgres").mkdir()
    with running_postgres(folder / "postgres") as url:
        server = sa.create_engine(url)
        with server.connect() as connection:
            version = str(connection.exec_driver_sql("SHOW server_version").scalar_one())
        with spare_database(server, "small") as small, spare_database(server, "large") as large:
            async with _pair("PostgreSQL", f"PostgreSQL {version}, its own settings", options, small, large) as pair:
                yield pair
        server.dispose()


@asynccontextmanager
async def _pair(database: str, version: str, options: Options, small_url: str, large_url: str) -> AsyncIterator[Pair]:
    small = await _filled(database, small_url, SMALL, SMALL)
    large = await _filled(database, large_url, options.sessions, options.transcript)
    try:
        yield Pair(database, version, small, large)
    finally:
        await small.db.close()
        await large.db.close()


async def _filled(database: str, url: str, sessions: int, transcript: int) -> Store:
    plan = SeedPlan(sessions=sessions, messages=sessions, one_transcript=transcript, agents=AGENTS)
    print(f"filling {database}: {sessions:,} sessions, one transcript of {transcript:,} messages", file=sys.stderr)
    with tqdm(total=plan.rows, unit=" rows", unit_scale=True, disable=None) as bar:
        seeded = await asyncio.to_thread(seed_store, url, plan, bar.update)
    db = await open_database(url, on_commit=lambda topics: None, pool_size=2)
    return Store(db, sessions, transcript, seeded.one_transcript_key)
