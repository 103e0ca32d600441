"""SQLite: one writer thread with group commit, and reads inline on the event loop.

Works that arrive while a commit is under way share the next transaction, each in its own savepoint; all are answered
after that one commit, so that `synchronous=FULL` costs one sync a group instead of one a work.
"""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import threading
from collections.abc import Iterable
from typing import Any, NamedTuple

import sqlalchemy as sa

from sessiond.model.errors import StoreUnavailable
from sessiond.store.clock import Clock, embedded_clock
from sessiond.store.database import OnCommit, Result, Work
from sessiond.store.sqlite_connections import is_outage, own_connection
from sessiond.store.statement import SQLITE
from sessiond.store.transaction import Tx

MAX_GROUP = 256


class _Job(NamedTuple):
    work: Work[Any]
    answer: asyncio.Future[Any]


class _Outcome(NamedTuple):
    answer: asyncio.Future[Any]
    result: Any
    problem: BaseException | None


class _GroupLost(Exception):  # noqa: N818 - says what is so
    """SQLite gave up the whole transaction during one work (disk full, I/O error)."""


class SqliteDatabase:
    """The embedded store."""

    name = "sqlite"

    def __init__(self, engine: sa.Engine, on_commit: OnCommit, clock: Clock = embedded_clock) -> None:
        self._clock = clock
        self._on_commit = on_commit
        self._is_closed = False
        self._loop = asyncio.get_running_loop()
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._writing = own_connection(engine)
        self._reading = own_connection(engine)
        self._reading.execute("PRAGMA query_only=ON")
        self._writer = threading.Thread(target=self._write_groups, name="sqlite-writer", daemon=True)
        self._writer.start()

    @property
    def connections_in_use(self) -> int:
        """How many of the two connections have a transaction open."""
        return self._writing.in_transaction + self._reading.in_transaction

    async def write(self, work: Work[Result]) -> Result:
        """Queue the work for the writer thread; answered after its group's commit."""
        if self._is_closed:
            raise StoreUnavailable
        answer: asyncio.Future[Result] = self._loop.create_future()
        self._jobs.put(_Job(work, answer))
        return await answer

    async def read(self, work: Work[Result]) -> Result:
        """Run the work here and now: every read is bounded, and a thread hop costs more than most of them."""
        if self._is_closed:
            raise StoreUnavailable
        cursor = self._reading.cursor()
        try:
            cursor.execute("BEGIN")
            try:
                return work(Tx(cursor, SQLITE, self._clock()))
            finally:
                cursor.execute("COMMIT")
        except sqlite3.Error as problem:
            if not is_outage(problem):
                raise
            raise StoreUnavailable from problem
        finally:
            cursor.close()

    async def close(self) -> None:
        """Let the writer finish its queue, then close."""
        self._is_closed = True
        self._jobs.put(None)
        await asyncio.to_thread(self._writer.join)
        self._writing.close()
        self._reading.close()

    def _write_groups(self) -> None:
        while True:
            group = self._next_group()
            if not group:
                return
            topics: list[str] = []
            outcomes = self._write_group(group, topics)
            self._loop.call_soon_threadsafe(self._answer, outcomes, topics)

    def _next_group(self) -> list[_Job]:
        """Wait for one job, then take what else is there; empty when the database is being closed."""
        job = self._jobs.get()
        group: list[_Job] = []
        while job is not None:
            group.append(job)
            if len(group) == MAX_GROUP:
                break
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                break
        if job is None and group:
            self._jobs.put(None)
        return group

    def _write_group(self, group: list[_Job], topics: list[str]) -> list[_Outcome]:
        cursor = self._writing.cursor()
        try:
            cursor.execute("BEGIN IMMEDIATE")
            outcomes = [self._write_one(cursor, job, topics) for job in group]
            cursor.execute("COMMIT")
        except (sqlite3.Error, _GroupLost) as problem:
            topics.clear()
            if self._writing.in_transaction:
                self._writing.rollback()
            return [_Outcome(job.answer, None, _unavailable(problem)) for job in group]
        finally:
            cursor.close()
        return outcomes

    def _write_one(self, cursor: sqlite3.Cursor, job: _Job, topics: list[str]) -> _Outcome:
        cursor.execute("SAVEPOINT work")
        tx = Tx(cursor, SQLITE, self._clock())
        try:
            result = job.work(tx)
        except Exception as problem:  # handed to whoever awaits this work
            if not self._writing.in_transaction:
                raise _GroupLost from problem
            cursor.execute("ROLLBACK TO work")
            cursor.execute("RELEASE work")
            return _Outcome(job.answer, None, _unavailable(problem) if is_outage(problem) else problem)
        cursor.execute("RELEASE work")
        topics.extend(tx.topics)
        return _Outcome(job.answer, result, None)

    def _answer(self, outcomes: list[_Outcome], topics: Iterable[str]) -> None:
        self._on_commit(topics)
        for outcome in outcomes:
            if outcome.answer.done():  # whoever asked has gone; what was committed stays committed
                continue
            if outcome.problem is not None:
                outcome.answer.set_exception(outcome.problem)
            else:
                outcome.answer.set_result(outcome.result)


def _unavailable(problem: BaseException) -> StoreUnavailable:
    refusal = StoreUnavailable()
    refusal.__cause__ = problem
    return refusal
