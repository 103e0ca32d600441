"""Stores that a test opens by itself: one database alone, or with an ear for what is committed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

import pytest
import sqlalchemy as sa

from sessiond.store.database import Database
from sessiond.store.opening import open_database
from sessiond.store.postgres import PostgresDatabase
from sessiond.store.sqlite import SqliteDatabase
from tests.postgres import empty


class Heard:
    """What the store told after its commits."""

    def __init__(self) -> None:
        self.topics: list[str] = []
        self._something = asyncio.Event()

    def __call__(self, topics: Iterable[str]) -> None:
        self.topics.extend(topics)
        if self.topics:
            self._something.set()

    async def something(self) -> None:
        """Return once a topic was told."""
        await asyncio.wait_for(self._something.wait(), 10)


@pytest.fixture
def heard() -> Heard:
    """The ear of `listening_db`."""
    return Heard()


@pytest.fixture
async def listening_db(store_url: str, heard: Heard) -> AsyncIterator[Database]:
    """An open store, on each database, that tells `heard`."""
    database = await open_database(store_url, on_commit=heard)
    yield database
    assert database.connections_in_use == 0
    await database.close()


@pytest.fixture
async def sqlite_db(tmp_path: Path) -> AsyncIterator[SqliteDatabase]:
    """A store on SQLite, on its own clock."""
    database = await open_database(f"sqlite:///{tmp_path / 'test.db'}", on_commit=lambda topics: None)
    assert isinstance(database, SqliteDatabase)
    yield database
    assert database.connections_in_use == 0
    await database.close()


@pytest.fixture
async def postgres_db(postgres: sa.Engine) -> AsyncIterator[PostgresDatabase]:
    """A store on PostgreSQL, on its own clock."""
    empty(postgres)
    url = postgres.url.render_as_string(hide_password=False)
    database = await open_database(url, on_commit=lambda topics: None)
    assert isinstance(database, PostgresDatabase)
    yield database
    assert database.connections_in_use == 0
    await database.close()
