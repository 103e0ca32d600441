"""Hints from other replicas: PostgreSQL's NOTIFY, heard on a connection of its own (W7).

Hints may be lost while the connection is away, so every new connection hints everybody; and whoever waits looks by
itself now and then anyway. A notice has as many topics as fit, behind a mark of who sent it, since a sender has told
its own process already: heard again, it would make everybody there look twice.

Others are told after the commit, not with it: PostgreSQL lets transactions that notify commit only one after the other,
each with its wait for the disk, those of all servers. So a server tells on the connection on which it listens, one
notice at a time, and all that is committed until that is through goes into the next one. Only what nothing else would
ever tell is told with the commit.

A server that is alone tells nobody: a notice costs PostgreSQL a lock and the waking of every listener, its sender too.
So each says now and then that it is there, and one that has heard of no other for a while is alone.
"""

from __future__ import annotations

import asyncio
import logging
import math
import secrets
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

import psycopg
from psycopg import sql
from psycopg.pq import ConnStatus, ExecStatus, TransactionStatus
from psycopg.pq.abc import PGconn, PGresult

from sessiond.store.database import OnCommit
from sessiond.store.wires import Connect

log = logging.getLogger("sessiond.listen")

CHANNEL = "sessiontools"
NOTIFY = "SELECT pg_notify($1, $2)"
RETRY_S = 1.0
LAST_S = 1.0  # for what is left to tell when the server ends
MAX_UNTOLD = 10_000  # topics that are kept while nobody can be told; beyond it all are dropped, and found by looking
MAX_BYTES = 7_999  # of a notice
# How often a server says that it is there; after what silence it is taken to be gone, and has to think so itself.
PRESENT_EVERY_S = 2.0
GONE_AFTER_S = 7.0
AWAY_AFTER_S = GONE_AFTER_S / 2
# By then the others have heard it, and tell it what they do: mostly, and if they stood still or took long to commit.
KNOWN_AFTER_S = (1.0, 5.0)


class Listen:
    """Hears topics and tells them, until closed."""

    def __init__(self, connect: Connect, on_topics: OnCommit, on_gap: Callable[[], None]) -> None:
        self._connect = connect
        self._on_topics = on_topics
        self._on_gap = on_gap
        self._mark = secrets.token_hex(4)
        self._loop = asyncio.get_running_loop()
        self._heard_itself_at = -math.inf
        self._alone_from = math.inf
        self._line: _Line | None = None
        self._untold: dict[str, None] = {}
        self._notices: deque[str] = deque()  # the first of them is being said, if the line is not free
        self._has_told = asyncio.Event()
        self._listening = asyncio.create_task(self._listen_for_ever())

    @property
    def is_alone(self) -> bool:
        """Whether no other server was heard of for so long that there is none, by one that was awake to hear it."""
        now = self._loop.time()
        return now >= self._alone_from and now - self._heard_itself_at < AWAY_AFTER_S

    def notices(self, topics: Iterable[str]) -> list[str]:
        """What is sent to tell others of these topics: as few as will do, since each wakes every listener."""
        notices: list[str] = []
        size = MAX_BYTES
        for topic in dict.fromkeys(topics):
            size += len(topic.encode()) + 1
            if size > MAX_BYTES:
                notices.append(self._mark)
                size = len(self._mark) + 1 + len(topic.encode())
            notices[-1] += f"\n{topic}"
        return notices

    def tell(self, topics: Iterable[str]) -> None:
        """Tell the other servers, together with what else is to be told by the time that the line is free."""
        self._untold.update(dict.fromkeys(topics))
        if len(self._untold) > MAX_UNTOLD:
            self._untold.clear()
            log.warning("other replicas could not be told for long; they look by themselves")
        self._go_on()

    def lost_hints(self) -> None:
        """Hint everybody, since something may have been committed that nobody here was told of."""
        self._on_gap()

    async def close(self) -> None:
        """Tell what is left to be told, unless that takes long or the connection is away, and stop listening."""
        if self._line is not None and (self._untold or self._notices):
            self._has_told.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._has_told.wait(), LAST_S)
        self._listening.cancel()
        with suppress(asyncio.CancelledError):
            await self._listening

    async def _listen_for_ever(self) -> None:
        while True:
            try:
                await self._listen()
            except (psycopg.Error, OSError) as problem:
                log.warning("hints from other replicas are not heard", extra={"problem": str(problem).strip()})
                await asyncio.sleep(RETRY_S)

    async def _listen(self) -> None:
        connection = await self._connect()
        try:
            await connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(CHANNEL)))
            await connection.execute("SET synchronous_commit = off")  # nothing is stored that could be lost
            self.lost_hints()
            self._line = line = _Line(connection.pgconn, self._hear, self._said)
            try:
                while True:
                    self._say_present()
                    await line.until_lost(PRESENT_EVERY_S)
            finally:
                self._line = None
                line.close()
        finally:
            self._heard_itself_at = -math.inf
            await connection.close()

    def _say_present(self) -> None:
        """Say that we are there; any notice that waits says it as well."""
        if not (self._notices or self._untold):
            self._notices.append(self._mark)
        self._go_on()

    def _go_on(self) -> None:
        if self._line is None or not self._line.is_free:
            return
        if not self._notices:
            self._notices.extend(self.notices(self._untold))
            self._untold.clear()
        if self._notices:
            self._line.say(self._notices[0])
        else:
            self._has_told.set()

    def _said(self) -> None:
        self._notices.popleft()
        self._go_on()

    def _hear(self, notices: Sequence[str]) -> None:
        told = [notice.split("\n") for notice in notices]
        others = [topics for mark, *topics in told if mark != self._mark]
        if others:
            self._note_company()
        if len(others) < len(told):
            self._hear_itself()
        if heard := [topic for topics in others for topic in topics]:
            self._on_topics(dict.fromkeys(heard))

    def _note_company(self) -> None:
        self._alone_from = self._loop.time() + GONE_AFTER_S

    def _hear_itself(self) -> None:
        """What it hears, the others hear. If they had not for long, nobody knows whom they told what meanwhile."""
        now = self._loop.time()
        if now - self._heard_itself_at > AWAY_AFTER_S:
            self._note_company()
            for after_s in KNOWN_AFTER_S:
                self._loop.call_later(after_s, self.lost_hints)
        self._heard_itself_at = now


class _Line:
    """Says notices on a connection, one at a time, and hands over those that come, until it fails or is closed.

    psycopg's own way of waiting for notices makes several objects and turns of the loop for each.
    """

    def __init__(self, pgconn: PGconn, hear: Callable[[Sequence[str]], None], said: Callable[[], None]) -> None:
        self._pgconn = pgconn
        self._hear = hear
        self._said = said
        self.is_free = True  # whether the notice before was taken
        self._is_refused = False  # whether it was not told
        self._loop = asyncio.get_running_loop()
        self._lost: asyncio.Future[None] = self._loop.create_future()
        self._socket = pgconn.socket
        self._loop.add_reader(self._socket, self._take)

    def say(self, notice: str) -> None:
        """Send a notice; the line has to be free."""
        self.is_free = False
        try:
            self._pgconn.send_query_params(NOTIFY.encode(), [CHANNEL.encode(), notice.encode()])
            self._pgconn.flush()
        except psycopg.OperationalError as problem:
            self._lose(problem)

    async def until_lost(self, seconds: float) -> None:
        """Wait for so long; raises when the connection fails."""
        done, _ = await asyncio.wait([self._lost], timeout=seconds)
        for lost in done:
            lost.result()

    def close(self) -> None:
        """Hand over no more."""
        if not self._lost.done():
            self._loop.remove_reader(self._socket)
        elif not self._lost.cancelled():
            self._lost.exception()  # seen, whoever waited or not

    def _lose(self, problem: psycopg.Error) -> None:
        if not self._lost.done():
            self._loop.remove_reader(self._socket)  # at once: libpq has closed it, and the next one may get its number
            self._lost.set_exception(problem)

    def _take(self) -> None:
        pgconn = self._pgconn
        try:
            pgconn.consume_input()
        except psycopg.OperationalError as problem:
            self._lose(problem)
            return
        while not pgconn.is_busy() and (result := pgconn.get_result()) is not None:
            self._note_result(result)
        if pgconn.status != ConnStatus.OK:  # libpq hung up by itself, so that nothing more will be heard
            self._lose(psycopg.OperationalError(pgconn.get_error_message()))
            return
        heard = [notice.extra.decode() for notice in iter(pgconn.notifies, None)]
        if not self.is_free and pgconn.transaction_status == TransactionStatus.IDLE:
            self.is_free = True
            self._said()
        self._hear(heard)

    def _note_result(self, result: PGresult) -> None:
        """Of what was said; a refusal is told once, until one is taken again."""
        was_refused, self._is_refused = self._is_refused, result.status != ExecStatus.TUPLES_OK
        if self._is_refused and not was_refused:
            problem = (result.error_message or b"").decode(errors="replace").strip()
            log.warning("other replicas can't be told; they look by themselves", extra={"problem": problem})
