"""A server in a process of its own that dies by SIGKILL right before or right after a chosen commit.

The processes are forked from one that has imported everything already, since a test with a kill at every commit starts
many of them. Only commits that changed something count, so that idle polling is no part of the number.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import signal
import sqlite3
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any
from unittest.mock import patch

from sessiond import app
from sessiond.settings import load
from sessiond.store.clock import embedded_clock
from sessiond.store.database import Database
from sessiond.store.opening import open_database
from sessiond.store.sqlite import SqliteDatabase

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload([__name__])


@dataclass(frozen=True)
class KillPoint:
    """The moment of death: before or after the commit with this number, counted from 1."""

    commit: int
    is_after: bool


@dataclass(frozen=True)
class Life:
    """How a server lives: its settings, how far its clock is ahead, and when it dies; never, without a kill point."""

    flags: dict[str, Any]
    ahead_ms: int = 0
    kill_point: KillPoint | None = None


def start(life: Life) -> tuple[BaseProcess, Connection]:
    """A process with a server, and the pipe on which it tells its port."""
    here, there = _FORKS.Pipe(duplex=False)
    process = _FORKS.Process(target=_live, args=(life, there), daemon=True)
    process.start()
    there.close()
    return process, here


def _live(life: Life, told: Connection) -> None:
    asyncio.run(_serve(life, told))


async def _serve(life: Life, told: Connection) -> None:
    async def opened(*args: Any, **options: Any) -> Database:
        db = await open_database(*args, **options | {"clock": lambda: embedded_clock() + life.ahead_ms})
        assert isinstance(db, SqliteDatabase)
        if life.kill_point is not None:
            doomed: Any = DoomedConnection(db._writing, life.kill_point)
            db._writing = doomed
        return db

    with patch.object(app, "open_database", opened):
        async with app.running(load(None, {}, life.flags).settings) as server:
            told.send(server.port)
            await asyncio.Event().wait()


class DoomedConnection:
    """The writer's connection, with a commit that kills."""

    def __init__(self, connection: sqlite3.Connection, kill_point: KillPoint) -> None:
        self._connection = connection
        self._kill_point = kill_point
        self._changes = connection.total_changes
        self._commits = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def cursor(self) -> DoomedCursor:
        """A cursor that tells of its commits."""
        return DoomedCursor(self._connection.cursor(), self)

    def commit_by(self, cursor: sqlite3.Cursor) -> None:
        """Commit, unless it is the one to die before; and die, if it is the one to die after."""
        if self._connection.total_changes != self._changes:
            self._changes = self._connection.total_changes
            self._commits += 1
        is_the_one = self._commits == self._kill_point.commit
        if is_the_one and not self._kill_point.is_after:
            os.kill(os.getpid(), signal.SIGKILL)
        cursor.execute("COMMIT")
        if is_the_one:
            os.kill(os.getpid(), signal.SIGKILL)


class DoomedCursor:
    """A cursor of a doomed connection."""

    def __init__(self, cursor: sqlite3.Cursor, connection: DoomedConnection) -> None:
        self._cursor = cursor
        self._connection = connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cursor, name)

    def execute(self, sql: str, *params: Any) -> None:
        """Pass it on; a commit in its own way."""
        if sql == "COMMIT":
            self._connection.commit_by(self._cursor)
        else:
            self._cursor.execute(sql, *params)
