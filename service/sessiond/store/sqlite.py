"""SQLite: group commit, with everything but the wait for the disk on the event loop.

Works that arrive while a commit is under way share the next transaction; all are answered after that one commit, so
that `synchronous=FULL` costs one sync a group instead of one a work. Statements take microseconds and hold Python's
lock before and after, so a thread for them would spend its time waiting for that lock; only what may wait for the disk
or for another program, COMMIT and a BEGIN that found the file locked, happens on a thread. And not even the COMMIT of a
work that is alone, while the disk is quick: to wake the thread and be woken takes half as long as the commit itself.
"""

from __future__ import annotations

import asyncio
import queue
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import sqlalchemy as sa

from sessiond.model.errors import StoreUnavailable
from sessiond.store import database
from sessiond.store.clock import Clock, embedded_clock
from sessiond.store.database import Batch, Item, OnCommit, Result, Work, alone, settle, tell_of_commit
from sessiond.store.gathering import Gathering
from sessiond.store.looks import Looks
from sessiond.store.sqlite_connections import BUSY_TIMEOUT_MS, is_busy, is_outage, own_connection
from sessiond.store.sqlite_log import SqliteLog
from sessiond.store.statement import SQLITE
from sessiond.store.transaction import Tx

# A commit that took longer goes to the thread from then on, until one there is as quick again.
QUICK_S = 0.001


class _Job(NamedTuple):
    """What is to be done, and for whom: a work, or an item of a batch."""

    answer: asyncio.Future[Any]
    work: Work[Any] | None = None
    batch: Batch[Any, Any] | None = None
    item: Any = None

    def do(self, tx: Tx) -> Any:
        """Do it by itself, as an item is done only when it can't be with others."""
        if self.work is not None:
            return self.work(tx)
        assert self.batch is not None  # noqa: S101 - one of both it is
        return alone(self.batch, self.item)(tx)


class _Outcome(NamedTuple):
    """What is to be told, and to whom: a result, or an exception that says why there is none."""

    answer: asyncio.Future[Any]
    result: Any


class _Step(NamedTuple):
    """What the disk's thread does, and what the event loop does then."""

    do: Callable[[], None]
    then: Callable[[sqlite3.Error | None], None]


class _GroupLost(Exception):  # noqa: N818 - says what is so
    """SQLite gave up the whole transaction during one work (disk full, I/O error)."""


class _Spoilt(Exception):  # noqa: N818 - says what is so
    """A work failed after it had written, so that its group has to be written again without what it left."""


class SqliteDatabase:
    """The embedded store."""

    name = "sqlite"

    def __init__(self, engine: sa.Engine, on_commit: OnCommit, clock: Clock = embedded_clock) -> None:
        self._clock = clock
        self._on_commit = on_commit
        self._is_closed = False
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[_Job] = deque()
        self._is_idle = asyncio.Event()
        self._is_idle.set()
        self._patience_ms = BUSY_TIMEOUT_MS
        self._glances = Looks(self.read, database.MAX_GROUP)  # a statement takes only so many parameters
        self._reads = Looks(self.read, database.MAX_READS)
        self._writing = own_connection(engine)
        self._writing.execute("PRAGMA busy_timeout=0")
        self._log = SqliteLog(self._writing, str(engine.url.database))
        self._reading = own_connection(engine)
        self._reading.execute("PRAGMA query_only=ON")
        self._commit_s = QUICK_S  # what the latest took
        self._answered_s = 0.0  # when that was
        self._rested_s = 0.0  # how long nothing was asked for then
        self._was_alone = False  # whether nobody else had asked by then
        self._has_begun_here = False  # a work in this turn of the loop, without waiting for the next
        self._steps: queue.SimpleQueue[_Step | None] = queue.SimpleQueue()
        self._disk = threading.Thread(target=self._take_steps, name="sqlite-disk", daemon=True)
        self._disk.start()

    @property
    def connections_in_use(self) -> int:
        """How many of the two connections have a transaction open."""
        return self._writing.in_transaction + self._reading.in_transaction

    async def write(self, work: Work[Result]) -> Result:
        """Queue the work for the next group; answered after its commit."""
        answer: asyncio.Future[Result] = self._loop.create_future()
        self._queue(_Job(answer, work))
        return await answer

    async def write_together(self, batch: Batch[Item, Result], item: Item) -> Result:
        """Queue the item for the next group, where it meets others of its kind."""
        answer: asyncio.Future[Result] = self._loop.create_future()
        self._queue(_Job(answer, None, batch, item))
        return await answer

    def _queue(self, job: _Job) -> None:
        if self._is_closed:
            raise StoreUnavailable
        self._waiting.append(job)
        if self._is_idle.is_set():
            self._is_idle.clear()
            self._rested_s = time.perf_counter() - self._answered_s
            if self._may_begin_here():
                self._next_group()
            else:  # not at once: what else is ready to write joins
                self._loop.call_soon(self._next_group)

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

    async def glance(self, work: Work[Result]) -> Result:
        """As read: to begin and to end costs next to nothing here."""
        return await self.read(work)

    async def glance_together(self, batch: Batch[Item, Result], item: Item) -> Result:
        """Run the batch once with whatever else is asked of it now."""
        return await self._glances.ask(batch, item)

    async def read_together(self, batch: Batch[Item, Result], item: Item) -> Result:
        """Run the batch on one view with whatever else is asked of it now."""
        return await self._reads.ask(batch, item)

    async def close(self) -> None:
        """Write what waits, then close."""
        self._is_closed = True
        await self._is_idle.wait()
        self._steps.put(None)
        await asyncio.to_thread(self._disk.join)
        self._writing.close()
        self._reading.close()

    def _take_steps(self) -> None:
        """The disk's thread."""
        while (step := self._steps.get()) is not None:
            self._loop.call_soon_threadsafe(step.then, _problem_of(step.do))

    def _next_group(self) -> None:
        if not self._waiting:
            self._is_idle.set()
            return
        self._begin([self._waiting.popleft() for _ in range(min(len(self._waiting), database.MAX_GROUP))])

    def _begin(self, group: list[_Job], with_savepoints: bool = False) -> None:
        try:
            self._writing.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as problem:
            if is_busy(problem):
                self._steps.put(_Step(self._begin_patiently, partial(self._begun, group, with_savepoints)))
            else:
                self._fail(group, problem)
        else:
            self._begun(group, with_savepoints)

    def _begin_patiently(self) -> None:
        """Wait for another program that has the file."""
        self._writing.execute(f"PRAGMA busy_timeout={self._patience_ms}")
        try:
            self._writing.execute("BEGIN IMMEDIATE")
        finally:
            self._writing.execute("PRAGMA busy_timeout=0")

    def _begun(self, group: list[_Job], with_savepoints: bool, problem: sqlite3.Error | None = None) -> None:
        if problem is not None:
            self._fail(group, problem)
            return
        news: dict[str, Any] = {}
        try:
            outcomes = self._write_group(group, news, with_savepoints)
        except _Spoilt:
            self._writing.execute("ROLLBACK")
            self._begin(group, with_savepoints=True)
            return
        except (sqlite3.Error, _GroupLost) as lost:
            self._fail(group, lost)
            return
        self._log.note_group(len(group))
        then = partial(self._committed, group, outcomes, news)
        if self._log.is_long:
            self._steps.put(_Step(self._commit_and_empty_log, then))
        elif len(group) == 1 and not self._waiting and self._is_quiet:
            then(_problem_of(self._commit))
        else:
            self._steps.put(_Step(self._commit, then))

    def _may_begin_here(self) -> bool:
        """Whether the work may be done before anything else has its turn: nobody else has asked for a while.

        Once in a turn of the loop. Else a task that goes on writing would keep the loop for itself; and of many tasks
        that are ready at once, each would find itself alone, if what they compute takes longer than a commit.
        """
        is_alone = self._was_alone and self._is_quiet and self._rested_s > self._commit_s
        if not is_alone or self._has_begun_here:
            return False
        self._has_begun_here = True
        self._loop.call_soon(self._note_turn)
        return True

    def _note_turn(self) -> None:
        self._has_begun_here = False

    @property
    def _is_quiet(self) -> bool:
        """Whether one who asks now is alone, and so quickly served that to wait for others would cost it more.

        Among many callers the next one mostly asks sooner after an answer; one alone has to hear of it first.
        """
        return self._rested_s > self._commit_s / 2 and self._commit_s < QUICK_S

    def _commit(self) -> None:
        began_s = time.perf_counter()
        self._writing.cursor().execute("COMMIT")
        self._commit_s = time.perf_counter() - began_s

    def _commit_and_empty_log(self) -> None:
        """Before anybody is answered, since the next group needs the connection."""
        self._commit()
        self._log.empty()

    def _committed(
        self, group: list[_Job], outcomes: list[_Outcome], news: dict[str, Any], problem: sqlite3.Error | None
    ) -> None:
        if problem is not None:
            self._fail(group, problem)
            return
        tell_of_commit(partial(self._on_commit, news))
        self._answer(outcomes)

    def _fail(self, group: list[_Job], problem: BaseException) -> None:
        """Nothing of the group was written."""
        if self._writing.in_transaction:
            self._writing.rollback()
        self._answer([_Outcome(job.answer, _unavailable(problem)) for job in group])

    def _write_group(self, group: list[_Job], news: dict[str, Any], with_savepoints: bool) -> list[_Outcome]:
        cursor = self._writing.cursor()
        try:
            if with_savepoints:
                return [self._write_one(cursor, job, news, with_savepoint=True) for job in group]
            outcomes: list[_Outcome] = []
            batches: dict[Batch[Any, Any], list[_Job]] = {}
            for job in group:
                if job.batch is None:
                    outcomes.append(self._write_one(cursor, job, news, with_savepoint=False))
                else:
                    batches.setdefault(job.batch, []).append(job)
            for batch, jobs in batches.items():
                outcomes += self._write_batch(cursor, batch, jobs, news)
            return outcomes
        finally:
            cursor.close()

    def _write_batch(
        self, cursor: sqlite3.Cursor, batch: Batch[Any, Any], jobs: list[_Job], news: dict[str, Any]
    ) -> list[_Outcome]:
        tx = Tx(cursor, SQLITE, self._clock())
        try:
            results = batch(tx, [job.item for job in jobs])
            tx.do_rest()
        except Exception as raised:
            if not self._writing.in_transaction:
                raise _GroupLost from raised
            raise _Spoilt from raised
        news |= tx.news
        return [_Outcome(job.answer, result) for job, result in zip(jobs, results, strict=True)]

    def _write_one(self, cursor: sqlite3.Cursor, job: _Job, news: dict[str, Any], with_savepoint: bool) -> _Outcome:
        if with_savepoint:
            cursor.execute("SAVEPOINT work")
        tx = Tx(cursor, SQLITE, self._clock())
        try:
            result = job.do(tx)
            tx.do_rest()
        except Exception as raised:  # handed to whoever awaits this work
            if not self._writing.in_transaction:
                raise _GroupLost from raised
            if with_savepoint:
                cursor.execute("ROLLBACK TO work")
            elif tx.has_written:
                raise _Spoilt from raised
            result = _unavailable(raised) if is_outage(raised) else raised
        else:
            news |= tx.news
        if with_savepoint:
            cursor.execute("RELEASE work")
        return _Outcome(job.answer, result)

    def _answer(self, outcomes: list[_Outcome]) -> None:
        for answer, result in outcomes:
            settle(answer, result)
        self._answered_s, self._rested_s = time.perf_counter(), 0.0
        self._was_alone = len(outcomes) == 1 and not self._waiting
        if len(outcomes) > 1:
            Gathering(self._loop, self._waiting, self._next_group)
        elif self._waiting:  # whoever asks alone has no neighbours to wait for
            self._loop.call_soon(self._next_group)
        else:
            self._is_idle.set()


def _problem_of(do: Callable[[], None]) -> sqlite3.Error | None:
    """Do it; what SQLite has against it, if anything."""
    try:
        do()
    except sqlite3.Error as problem:
        return problem
    return None


def _unavailable(problem: BaseException) -> StoreUnavailable:
    refusal = StoreUnavailable()
    refusal.__cause__ = problem
    return refusal
