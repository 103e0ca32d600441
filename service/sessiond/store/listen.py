"""Hints from other replicas: PostgreSQL's NOTIFY, heard on a connection of its own (W7).

Hints may be lost while the connection is away, so every new connection hints everybody; and whoever waits looks by
itself now and then anyway. A notice has as many topics of a commit as fit, behind a mark of who sent it, since a sender
has told its own process already: heard again, it would make everybody there look twice.

A server that is alone tells nobody: a notice costs PostgreSQL a lock and the waking of every listener, its sender too.
So each says now and then that it is there, and one that has heard of no other for a while is alone.
"""

from __future__ import annotations

import asyncio
import logging
import math
import secrets
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

import psycopg
from psycopg import sql
from psycopg.pq import ConnStatus, TransactionStatus
from psycopg.pq.abc import PGconn

from sessiond.store.database import OnCommit
from sessiond.store.wires import Connect

log = logging.getLogger("sessiond.listen")

CHANNEL = "sessiontools"
NOTIFY = "SELECT pg_notify($1, $2)"
RETRY_S = 1.0
MAX_BYTES = 7_999  # of a notice
# How often a server says that it is there; after what silence it is taken to be gone, and has to think so itself.
PRESENT_EVERY_S = 2.0
GONE_AFTER_S = 7.0
AWAY_AFTER_S = GONE_AFTER_S / 2
# By then the others have heard it, and tell it what they do: mostly, and if they stood still or took long to commit.
KNOWN_AFTER_S = (1.0, 5.0)


class Listen:
    """Hears topics, until closed."""

    def __init__(self, connect: Connect, on_topics: OnCommit, on_gap: Callable[[], None]) -> None:
        self._connect = connect
        self._on_topics = on_topics
        self._on_gap = on_gap
        self._mark = secrets.token_hex(4)
        self._loop = asyncio.get_running_loop()
        self._heard_itself_at = -math.inf
        self._alone_from = math.inf
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

    def lost_hints(self) -> None:
        """Hint everybody, since something may have been committed that nobody here was told of."""
        self._on_gap()

    async def close(self) -> None:
        """Stop listening."""
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
            self.lost_hints()
            heard = _Heard(connection.pgconn, self._hear)
            try:
                while True:
                    heard.say(self._mark)
                    await heard.until_lost(PRESENT_EVERY_S)
            finally:
                heard.close()
        finally:
            self._heard_itself_at = -math.inf
            await connection.close()

    def _hear(self, notices: Sequence[str]) -> None:
        told = [notice.split("\n") for notice in notices]
        others = [topics for mark, *topics in told if mark != self._mark]
        if others:
            self._note_company()
        if len(others) < len(told):
            self._hear_itself()
        if heard := [topic for topics in others for topic in topics]:
            self._on_topics(heard)

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


class _Heard:
    """Hands over the notices that come over a connection, until it fails or is closed.

    psycopg's own way of waiting for notices makes several objects and turns of the loop for each, which every commit of
    this process would pay for, too.
    """

    def __init__(self, pgconn: PGconn, hear: Callable[[Sequence[str]], None]) -> None:
        self._pgconn = pgconn
        self._hear = hear
        self._loop = asyncio.get_running_loop()
        self._lost: asyncio.Future[None] = self._loop.create_future()
        self._socket = pgconn.socket
        self._loop.add_reader(self._socket, self._take)

    def say(self, notice: str) -> None:
        """Send a notice, unless the server has not even taken the one before."""
        if self._pgconn.transaction_status != TransactionStatus.IDLE:
            return
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
        while not pgconn.is_busy() and pgconn.get_result() is not None:
            pass  # of what was said
        if pgconn.status != ConnStatus.OK:  # libpq hung up by itself, so that nothing more will be heard
            self._lose(psycopg.OperationalError(pgconn.get_error_message()))
            return
        self._hear([notice.extra.decode() for notice in iter(pgconn.notifies, None)])
