"""PostgreSQL: a pool of connections, one transaction a work, on threads of our own.

Items of a batch that arrive while the batch before is under way share the next transaction. Works of different kinds
never do: whoever locks several rows in one transaction must lock them in the order that everybody keeps.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import sqlalchemy as sa
from psycopg import errors as pg
from sqlalchemy import event
from sqlalchemy.pool import PoolProxiedConnection, QueuePool

from sessiond.model.errors import StoreUnavailable, invalid
from sessiond.store.clock import POSTGRESQL_NOW, Clock
from sessiond.store.database import Batch, Item, OnCommit, Result, Work, alone
from sessiond.store.listen import CHANNEL, Listen
from sessiond.store.pipelining import PipelinedCursor
from sessiond.store.schema import request_ids
from sessiond.store.statement import POSTGRESQL
from sessiond.store.transaction import Cursor, Tx

MAX_TRIES = 5
# The longest pause before the second try; it doubles with every further one, so that rivals come apart.
FIRST_PAUSE_S = 0.005
MAX_GROUP = 256
_WRITE = "BEGIN"
_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_LOST_A_RACE = (pg.SerializationFailure, pg.DeadlockDetected)
_AWAY = (psycopg.OperationalError, psycopg.InterfaceError)
# The server we talk to is no longer the one that writes: after a failover a new connection finds that one.
_LOST = (*_AWAY, pg.ReadOnlySqlTransaction)
_TOO_SLOW = (pg.QueryCanceled, pg.LockNotAvailable)


class CommitUnknown(StoreUnavailable):
    """The connection was lost while the transaction was being committed: it may have been, so it is not run again.

    Whoever repeats the call with its request_id, lease or cursor finds what there is.
    """


class _Line:
    """The items of one kind that wait to be written together."""

    __slots__ = ("waiting", "writing")

    def __init__(self) -> None:
        self.waiting: deque[tuple[Any, asyncio.Future[Any]]] = deque()
        self.writing: asyncio.Task[None] | None = None


class PostgresDatabase:
    """The shared store of any number of replicas."""

    name = "postgresql"

    def __init__(
        self,
        engine: sa.Engine,
        on_commit: OnCommit,
        pool_size: int,
        clock: Clock | None = None,
        on_gap: Callable[[], None] = lambda: None,
    ) -> None:
        self._engine = engine
        self._clock = clock
        self._on_commit = on_commit
        self._pool_size = pool_size
        self._is_closed = False
        self._lines: dict[Batch[Any, Any], _Line] = {}
        self._threads = ThreadPoolExecutor(pool_size, thread_name_prefix="postgres")
        event.listen(engine, "connect", _leave_transactions_to_us)
        self._listen = Listen(engine, on_commit, on_gap)

    @property
    def connections_in_use(self) -> int:
        """How many connections are out of the pool."""
        pool = self._engine.pool
        return pool.checkedout() if isinstance(pool, QueuePool) else 0

    async def write(self, work: Work[Result]) -> Result:
        """Run the work in a transaction of its own."""
        loop = asyncio.get_running_loop()
        return await self._in_thread(lambda: self._write(work, loop))

    async def write_together(self, batch: Batch[Item, Result], item: Item) -> Result:
        """Run the batch with whatever else waits for it."""
        line = self._lines.setdefault(batch, _Line())
        answer: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        line.waiting.append((item, answer))
        if line.writing is None:
            line.writing = asyncio.create_task(self._write_line(batch, line))
        return await answer

    async def read(self, work: Work[Result]) -> Result:
        """Run the work on one snapshot."""
        result, _ = await self._in_thread(lambda: self._transact(work, _READ))
        return result

    async def close(self) -> None:
        """Let the threads finish, then close the pool."""
        self._is_closed = True
        await self._listen.close()
        await asyncio.to_thread(self._threads.shutdown)
        self._engine.dispose()

    async def _write_line(self, batch: Batch[Any, Any], line: _Line) -> None:
        try:
            while line.waiting:
                taken = [line.waiting.popleft() for _ in range(min(len(line.waiting), MAX_GROUP))]
                results = await self._write_batch(batch, [item for item, _ in taken])
                for (_, answer), result in zip(taken, results, strict=True):
                    if answer.done():  # whoever asked has gone; what was committed stays committed
                        continue
                    if isinstance(result, BaseException):
                        answer.set_exception(result)
                    else:
                        answer.set_result(result)
        finally:
            line.writing = None

    async def _write_batch(self, batch: Batch[Any, Any], items: list[Any]) -> Sequence[Any]:
        try:
            return await self.write(lambda tx: batch(tx, items))
        except StoreUnavailable as away:  # perhaps committed, so that it may not be run again
            return [away] * len(items)
        except Exception:  # noqa: BLE001 - of one of them; run alone, that one gets it
            works = [self.write(alone(batch, item)) for item in items]
            return await asyncio.gather(*works, return_exceptions=True)

    async def _in_thread(self, call: Callable[[], Result]) -> Result:
        if self._is_closed:
            raise StoreUnavailable
        return await asyncio.get_running_loop().run_in_executor(self._threads, call)

    def _write(self, work: Work[Result], loop: asyncio.AbstractEventLoop) -> Result:
        try:
            result, topics = self._transact(work, _WRITE)
        except CommitUnknown:
            self._listen.lost_hints()
            raise
        loop.call_soon_threadsafe(self._on_commit, topics)  # from here, because whoever awaits may have gone
        return result

    def _transact(self, work: Work[Result], begin: str) -> tuple[Result, list[str]]:
        """Run the work until it is committed: lost races and lost connections are tried again, within bounds."""
        races = lost = 0
        while True:
            try:
                connection = self._engine.raw_connection()
            except _AWAY as refused:
                raise StoreUnavailable from refused
            try:
                return self._attempt(connection, work, begin)
            except pg.ProgramLimitExceeded as problem:  # an operational error by its class, but the request's fault
                raise invalid("request", "has a text that is too long for an index; shorten names and ids") from problem
            except psycopg.DataError as problem:  # the net under all checks: text that PostgreSQL can't hold
                raise invalid("request", "has a text with a NUL character, which can't be stored") from problem
            except (*_LOST_A_RACE, pg.UniqueViolation) as problem:
                if isinstance(problem, pg.UniqueViolation) and problem.diag.table_name != request_ids.name:
                    raise
                # A twin of this request was faster; run again, the work finds its answer.
                races += 1
                if races == MAX_TRIES:
                    raise StoreUnavailable from problem
            except _TOO_SLOW as problem:
                raise StoreUnavailable from problem
            except CommitUnknown:
                connection.invalidate()
                raise
            except _LOST as problem:
                # Also those that died while they lay in the pool, which after a failover are all of them.
                connection.invalidate()
                lost += 1
                if lost == self._pool_size + MAX_TRIES:
                    raise StoreUnavailable from problem
            finally:
                connection.close()
            if races:
                time.sleep(random.uniform(0, FIRST_PAUSE_S * 2**races))  # noqa: S311 - only spreads rivals

    def _attempt(self, connection: PoolProxiedConnection, work: Work[Result], begin: str) -> tuple[Result, list[str]]:
        """One transaction. It waits for PostgreSQL only where the work looks at an answer, and for the commit."""
        driver: Any = connection.driver_connection
        is_committing = False
        try:
            with driver.pipeline() as pipeline:
                cursor = PipelinedCursor(driver, pipeline)
                cursor.execute(begin)
                tx = Tx(cursor, POSTGRESQL, self._clock or _clock_of(driver, asks_now=begin == _WRITE))
                result = work(tx)
                _send_topics(cursor, map(self._listen.marked, tx.topics))
                is_committing = True
                cursor.execute("COMMIT")
        except BaseException as problem:
            # What PostgreSQL itself says of a statement, before it hangs up, means that nothing was committed.
            said_so = isinstance(problem, psycopg.Error) and problem.sqlstate is not None and not driver.closed
            if is_committing and isinstance(problem, _AWAY) and not said_so:
                raise CommitUnknown from problem
            if not driver.closed:
                _roll_back(driver)
            raise
        return result, tx.topics


def _clock_of(driver: Any, *, asks_now: bool) -> Callable[[], int]:
    """PostgreSQL's time: asked for at once where it will be needed, and waited for when it is."""
    cursor = driver.cursor()
    if asks_now:
        cursor.execute(POSTGRESQL_NOW)

    def now_ms() -> int:
        if not asks_now:
            cursor.execute(POSTGRESQL_NOW)
        return int(cursor.fetchone()[0])

    return now_ms


def _roll_back(driver: Any) -> None:
    if driver.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
        driver.execute("ROLLBACK")


def _send_topics(cursor: Cursor, topics: Iterable[str]) -> None:
    if told := list(dict.fromkeys(topics)):
        cursor.execute("SELECT pg_notify(%s, topic) FROM unnest(%s::text[]) AS topic", (CHANNEL, told))


def _leave_transactions_to_us(driver: Any, _record: object) -> None:
    driver.autocommit = True
