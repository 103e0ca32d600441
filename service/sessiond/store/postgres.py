"""PostgreSQL: a pool of connections, one transaction a work, all of it on the event loop.

Items of a batch that arrive while the batch before is under way share the next transaction. Works of different kinds
never do: whoever locks several rows in one transaction must lock them in the order that everybody keeps.
"""

from __future__ import annotations

import asyncio
import logging
import math
import random
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import psycopg
from greenlet import getcurrent
from psycopg import errors as pg

from sessiond.model.errors import StoreUnavailable, invalid
from sessiond.store import database
from sessiond.store.attention import attention_of
from sessiond.store.clock import POSTGRESQL_NOW, Clock
from sessiond.store.database import Batch, Item, OnCommit, Result, Work, alone, settle, tell_of_commit
from sessiond.store.gathering import Gathering
from sessiond.store.listen import CHANNEL, NOTIFY, Listen
from sessiond.store.looks import Looks
from sessiond.store.queues import Asked, Queue, Turns
from sessiond.store.schema import request_ids
from sessiond.store.statement import POSTGRESQL
from sessiond.store.switching import pause, put_aside, start
from sessiond.store.transaction import Later, Now, Reach, Tx
from sessiond.store.wire import AskedForMore, GlancingCursor, PipelinedCursor, TookTooLong, Wire
from sessiond.store.wires import Connect, Wires

log = logging.getLogger("sessiond.postgres")

MAX_TRIES = 5
# The longest pause before the second try; it doubles with every further one, so that rivals come apart.
FIRST_PAUSE_S = 0.005
# What is not said here is in `postgres_opening`: outside of these, what is sent together is read in one view.
_WRITE = "BEGIN ISOLATION LEVEL READ COMMITTED"
_READ = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_LOST_A_RACE = (pg.SerializationFailure, pg.DeadlockDetected)
_AWAY = (psycopg.OperationalError, psycopg.InterfaceError)
# The server we talk to is no longer the one that writes: after a failover a new connection finds that one.
_LOST = (*_AWAY, pg.ReadOnlySqlTransaction)
_TOO_SLOW = (pg.QueryCanceled, pg.LockNotAvailable)


Topics = Mapping[str, Reach]


class CommitUnknown(StoreUnavailable):
    """The connection was lost while the transaction was being committed: it may have been, so it is not run again.

    Whoever repeats the call with its request_id, lease or cursor finds what there is.
    """

    def __init__(self, topics: Topics) -> None:
        super().__init__()
        self.topics = topics


class PostgresDatabase:
    """The shared store of any number of replicas."""

    name = "postgresql"

    def __init__(
        self,
        connect: Connect,
        on_commit: OnCommit,
        pool_size: int,
        clock: Clock | None = None,
        on_gap: Callable[[], None] = lambda: None,
        is_awaited: Callable[[str], bool] = lambda topic: False,
        busy_wait_s: float = 0.0,
    ) -> None:
        self._clock = clock
        self._on_commit = on_commit
        self._is_awaited = is_awaited
        self._max_lost = pool_size + MAX_TRIES
        self._loop = asyncio.get_running_loop()
        self._queues: dict[Batch[Any, Any], Queue] = {}
        self._turns = Turns(self._loop)
        self._attention = attention_of(self._loop, busy_wait_s)
        self._wires = Wires(connect, pool_size, self._attention)
        self._listen = Listen(connect, on_commit, on_gap)
        self._glances = Looks(self.glance, database.MAX_GROUP)  # a statement takes only so many parameters
        self._reads = Looks(self.read, database.MAX_READS)
        self._under_way = 0
        self._is_closed = False
        self._is_idle = asyncio.Event()

    @property
    def connections_in_use(self) -> int:
        """How many connections are out of the pool."""
        return self._wires.in_use

    async def write(self, work: Work[Result]) -> Result:
        """Run the work in a transaction of its own."""
        return await self._start(lambda: self._write(work))

    async def write_together(self, batch: Batch[Item, Result], item: Item) -> Result:
        """Run the batch with whatever else waits for it."""
        queue = self._queues.get(batch)
        if queue is None:
            queue = self._queues[batch] = Queue()
        answer: asyncio.Future[Result] = self._loop.create_future()
        queue.waiting.append((item, answer))
        self._turns.items += 1
        if not queue.is_writing:
            queue.is_writing = True
            write = partial(start, partial(self._write_queue, batch, queue), self._loop)
            if not self._under_way and queue.is_quiet:
                write()
            else:
                self._loop.call_soon(write)  # others may ask in this turn
        return await answer

    async def read(self, work: Work[Result]) -> Result:
        """Run the work on one snapshot."""
        return await self._start(lambda: self._read(work))

    async def glance(self, work: Work[Result]) -> Result:
        """Run the work without beginning a transaction, as long as it asks before it looks."""
        return await self._start(lambda: self._glance(work))

    async def glance_together(self, batch: Batch[Item, Result], item: Item) -> Result:
        """Run the batch once with whatever else is asked of it now."""
        return await self._glances.ask(batch, item)

    async def read_together(self, batch: Batch[Item, Result], item: Item) -> Result:
        """Run the batch on one view with whatever else is asked of it now."""
        return await self._reads.ask(batch, item)

    async def close(self) -> None:
        """Let what is under way finish, then hang up."""
        self._is_closed = True
        if self._under_way:
            await self._is_idle.wait()
        await self._listen.close()
        self._wires.close()

    def _write_queue(self, batch: Batch[Any, Any], queue: Queue) -> None:
        try:
            while queue.waiting:
                if self._write_some(batch, queue) > 1:  # whoever asks alone has no neighbours to wait for
                    Gathering(self._loop, queue.waiting, getcurrent().switch)
                    put_aside()
        finally:
            queue.is_writing = False

    def _write_some(self, batch: Batch[Any, Any], queue: Queue) -> int:
        """Those who wait when it is their turn; how many they were."""
        self._turns.begin()
        taken = [queue.waiting.popleft() for _ in range(min(len(queue.waiting), database.MAX_GROUP))]
        queue.begin()
        try:
            self._write_batch(batch, taken)
        finally:
            self._turns.end(len(taken))
        queue.end(len(taken))
        return len(taken)

    def _write_batch(self, batch: Batch[Any, Any], taken: list[Asked]) -> None:
        items = [item for item, _ in taken]
        results: Sequence[Any]
        try:
            results = self._run(lambda: self._write(lambda tx: batch(tx, items)), len(items))
        except StoreUnavailable as away:  # perhaps committed, so that it may not be run again
            results = [away] * len(items)
        except Exception:  # noqa: BLE001 - of one of them; run alone, that one gets it
            for item, answer in taken:
                self._loop.call_soon(self._write_alone, batch, item, answer)
            return
        for (_, answer), result in zip(taken, results, strict=True):
            settle(answer, result)

    def _write_alone(self, batch: Batch[Any, Any], item: Any, answer: asyncio.Future[Any]) -> None:
        self._start(partial(self._write, alone(batch, item))).add_done_callback(partial(_pass_on, answer))

    def _start(self, call: Callable[[], Result]) -> asyncio.Future[Result]:
        return start(partial(self._run, call), self._loop)

    def _run(self, call: Callable[[], Result], works: int = 1) -> Result:
        if self._is_closed:
            raise StoreUnavailable
        self._under_way += 1
        self._attention.begin(works)
        try:
            return call()
        finally:
            self._attention.end(works)
            self._under_way -= 1
            if self._is_closed and not self._under_way:
                self._is_idle.set()

    def _read(self, work: Work[Result]) -> Result:
        return self._transact(lambda wire: self._attempt(wire, work, _READ))[0]

    def _glance(self, work: Work[Result]) -> Result:
        def attempt(wire: Wire) -> Result:
            cursor = GlancingCursor(wire)
            try:
                return work(Tx(cursor, POSTGRESQL, self._now(cursor)))
            finally:
                wire.send_rest()  # what nobody waited for must not be a part of what comes next

        try:
            return self._transact(attempt)
        except AskedForMore:
            return self._read(work)

    def _write(self, work: Work[Result]) -> Result:
        try:
            result, tx = self._transact(lambda wire: self._attempt(wire, work, _WRITE))
        except CommitUnknown as unknown:
            tell_of_commit(partial(self._publish, unknown.topics, self._listen.lost_hints))
            raise
        # From here, because whoever awaits may have gone.
        tell_of_commit(partial(self._publish, tx.topics, partial(self._on_commit, tx.news)))
        return result

    def _publish(self, topics: Topics, tell_here: Callable[[], None]) -> None:
        """Tell who waits, here and elsewhere."""
        self._tell_others(topics)
        tell_here()

    def _transact(self, attempt: Callable[[Wire], Result]) -> Result:
        """Try until it is done: lost races and lost connections are tried again, within bounds."""
        races = lost = 0
        while True:
            try:
                wire = self._wires.take()
            except _AWAY as refused:
                raise StoreUnavailable from refused
            try:
                return attempt(wire)
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
                wire.close()
                raise
            except _LOST as problem:
                # Also those that died while they lay in the pool, which after a failover are all of them.
                wire.close()
                # One that took too long may have stood still; the second time it is its own fault.
                lost += math.ceil(self._max_lost / 2) if isinstance(problem, TookTooLong) else 1
                if lost >= self._max_lost:
                    raise StoreUnavailable from problem
            finally:
                self._wires.give_back(wire)
            if races:
                pause(random.uniform(0, FIRST_PAUSE_S * 2**races), self._loop)  # noqa: S311 - only spreads rivals

    def _attempt(self, wire: Wire, work: Work[Result], begin: str) -> tuple[Result, Tx]:
        """One transaction. It waits for PostgreSQL only where the work looks at an answer, and for the commit."""
        cursor = PipelinedCursor(wire)
        tx = Tx(cursor, POSTGRESQL, self._now(cursor))
        is_committing = False
        try:
            cursor.execute(begin)
            if begin == _WRITE:
                tx.ask_now()
            result = work(tx)
            if begin == _READ:
                cursor.leave()
            else:
                self._send_topics(cursor, tx.topics)
                is_committing = wire.lost is None  # else it will not even be sent
                cursor.commit(partial(_do_rest, tx))
        except BaseException as problem:
            if is_committing and isinstance(problem, _AWAY) and not _is_refused(problem):
                raise CommitUnknown(tx.topics) from problem
            cursor.roll_back()
            raise
        return result, tx

    def _now(self, cursor: PipelinedCursor) -> int | Now:
        """The time of a clock that was given, else PostgreSQL's."""
        return self._clock() if self._clock else _Clock(cursor)

    def _is_told(self, topic: str, reach: Reach) -> bool:
        """Whether other servers are to hear of it, once it is committed."""
        if reach is Reach.EVERYBODY:  # they were told with the commit
            return False
        is_known_here = reach is Reach.NOBODY or (reach is Reach.ANYBODY and self._is_awaited(topic))
        return not is_known_here and not self._listen.is_alone

    def _tell_others(self, topics: Topics) -> None:
        if told := [topic for topic, reach in topics.items() if self._is_told(topic, reach)]:
            self._listen.tell(told)

    def _send_topics(self, cursor: PipelinedCursor, topics: Topics) -> None:
        """Those of which everybody has to hear, even if this server is gone in the moment of the commit."""
        certain = [topic for topic, reach in topics.items() if reach is Reach.EVERYBODY]
        for notice in self._listen.notices(certain):
            cursor.execute(NOTIFY, (CHANNEL, notice))


def _pass_on(answer: asyncio.Future[Any], done: asyncio.Future[Any]) -> None:
    settle(answer, done.exception() or done.result())


class _Clock:
    """PostgreSQL's time: may be asked for before it is needed, and is waited for when it is."""

    __slots__ = ("_asked", "_cursor")

    def __init__(self, cursor: PipelinedCursor) -> None:
        self._cursor = cursor
        self._asked: Later | None = None

    def ask(self) -> None:
        if self._asked is None:
            self._cursor.execute(POSTGRESQL_NOW)
            self._asked = self._cursor.later()

    def __call__(self) -> int:
        self.ask()
        assert self._asked is not None  # noqa: S101 - just asked for
        return int(self._asked()[0][0])


def _do_rest(tx: Tx) -> None:
    """What was left for this moment. A fault in it must not get out: what is being committed would be run again."""
    try:
        tx.do_rest()
    except Exception:
        log.exception("what was written could not be put into its answer")


def _is_refused(problem: psycopg.Error) -> bool:
    """Whether PostgreSQL itself said no, so that nothing was committed; as a last word it may have come after that."""
    return problem.diag.severity_nonlocalized == "ERROR"
