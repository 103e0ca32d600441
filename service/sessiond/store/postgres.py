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
from sessiond.store.database import Batch, Item, LostRace, OnCommit, Result, Work, alone
from sessiond.store.listen import CHANNEL, Listen
from sessiond.store.statement import POSTGRESQL
from sessiond.store.transaction import Tx

MAX_TRIES = 5
# The longest pause before the second try; it doubles with every further one, so that rivals come apart.
FIRST_PAUSE_S = 0.005
MAX_GROUP = 256
_LOST_A_RACE = (pg.SerializationFailure, pg.DeadlockDetected, LostRace)
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
        result, _ = await self._in_thread(
            lambda: self._transact(work, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        )
        return result

    async def close(self) -> None:
        """Let the threads finish, then close the pool."""
        self._is_closed = True
        await self._listen.close()
        await asyncio.to_thread(self._threads.shutdown)
        self._engine.dispose()

    async def _write_line(self, batch: Batch[Any, Any], line: _Line) -> None:
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
        result, topics = self._transact(work, "BEGIN")
        loop.call_soon_threadsafe(self._on_commit, topics)  # from here, because whoever awaits may have gone
        return result

    def _transact(self, work: Work[Result], begin: str) -> tuple[Result, list[str]]:
        """Run the work until it is committed: lost races and lost connections are tried again, within bounds."""
        last: Exception | None = None
        for number in range(MAX_TRIES):
            if number:
                time.sleep(random.uniform(0, FIRST_PAUSE_S * 2**number))  # noqa: S311 - only spreads rivals
            connection, now_ms = self._begun(begin)
            try:
                return self._attempt(connection, work, now_ms)
            except pg.ProgramLimitExceeded as problem:  # an operational error by its class, but the request's fault
                raise invalid("request", "has a text that is too long for an index; shorten names and ids") from problem
            except psycopg.DataError as problem:  # the net under all checks: text that PostgreSQL can't hold
                raise invalid("request", "has a text with a NUL character, which can't be stored") from problem
            except _LOST_A_RACE as problem:
                last = problem
            except _TOO_SLOW as problem:
                raise StoreUnavailable from problem
            except CommitUnknown:
                connection.invalidate()
                raise
            except _LOST as problem:
                connection.invalidate()
                last = problem
            finally:
                connection.close()
        raise StoreUnavailable from last

    def _begun(self, begin: str) -> tuple[PoolProxiedConnection, int]:
        """A connection with a transaction begun; those that died while they lay in the pool are replaced unseen."""
        problem: Exception | None = None
        for _ in range(self._pool_size + 1):
            try:
                connection = self._engine.raw_connection()
            except _AWAY as refused:
                raise StoreUnavailable from refused
            try:
                return connection, self._begin(connection, begin)
            except _AWAY as died:
                problem = died
                connection.invalidate()
        raise StoreUnavailable from problem

    def _attempt(self, connection: PoolProxiedConnection, work: Work[Result], now_ms: int) -> tuple[Result, list[str]]:
        cursor: Any = connection.cursor()
        try:
            tx = Tx(cursor, POSTGRESQL, now_ms)
            result = work(tx)
            _send_topics(cursor, tx.topics)
            _commit(cursor)
        except BaseException:
            driver: Any = connection.driver_connection
            if not driver.closed:
                cursor.execute("ROLLBACK")
            raise
        finally:
            cursor.close()
        return result, tx.topics

    def _begin(self, connection: PoolProxiedConnection, begin: str) -> int:
        """Begin, and learn the database's time in the same round trip."""
        cursor: Any = connection.cursor()
        cursor.execute(f"{begin}; {POSTGRESQL_NOW}")
        cursor.nextset()
        now_ms: int = cursor.fetchone()[0]
        cursor.close()
        return self._clock() if self._clock else now_ms


def _commit(cursor: Any) -> None:
    try:
        cursor.execute("COMMIT")
    except _LOST_A_RACE:
        raise
    except _AWAY as problem:
        raise CommitUnknown from problem


def _send_topics(cursor: Any, topics: Iterable[str]) -> None:
    if told := list(dict.fromkeys(topics)):
        cursor.execute("SELECT pg_notify(%s, topic) FROM unnest(%s::text[]) AS topic", (CHANNEL, told))


def _leave_transactions_to_us(driver: Any, _record: object) -> None:
    driver.autocommit = True
