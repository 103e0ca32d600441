"""Hints from other replicas: PostgreSQL's NOTIFY, heard on a connection of its own (W7).

Hints may be lost while the connection is away, so every new connection hints everybody; and whoever waits looks by
itself now and then anyway. A notice has as many topics of a commit as fit, behind a mark of who sent it, since a sender
has told its own process already: heard again, it would make everybody there look twice.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress

import psycopg
from psycopg import sql
from psycopg.pq import ConnStatus
from psycopg.pq.abc import PGconn

from sessiond.store.database import OnCommit
from sessiond.store.wires import Connect

log = logging.getLogger("sessiond.listen")

CHANNEL = "sessiontools"
RETRY_S = 1.0
MAX_BYTES = 7_999  # of a notice


class Listen:
    """Hears topics, until closed."""

    def __init__(self, connect: Connect, on_topics: OnCommit, on_gap: Callable[[], None]) -> None:
        self._connect = connect
        self._on_topics = on_topics
        self._on_gap = on_gap
        self._mark = secrets.token_hex(4)
        self._listening = asyncio.create_task(self._listen_for_ever())

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
        async with await self._connect() as connection:
            await connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(CHANNEL)))
            self.lost_hints()
            await _until_lost(connection.pgconn, self._hear)

    def _hear(self, notices: Sequence[str]) -> None:
        told = [notice.split("\n") for notice in notices]
        if topics := [topic for mark, *topics in told if mark != self._mark for topic in topics]:
            self._on_topics(topics)


async def _until_lost(pgconn: PGconn, hear: Callable[[Sequence[str]], None]) -> None:
    """Hand over what comes; raises when the connection fails.

    psycopg's own way of waiting for notices makes several objects and turns of the loop for each, which every commit of
    this process would pay for, too.
    """
    loop, socket = asyncio.get_running_loop(), pgconn.socket
    lost: asyncio.Future[None] = loop.create_future()

    def lose(problem: psycopg.Error) -> None:
        loop.remove_reader(socket)  # at once: libpq has closed it, and the next connection may get its number
        if not lost.done():
            lost.set_exception(problem)

    def take() -> None:
        try:
            pgconn.consume_input()
        except psycopg.OperationalError as problem:
            lose(problem)
            return
        if pgconn.status != ConnStatus.OK:  # libpq hung up by itself, so that nothing more will be heard
            lose(psycopg.OperationalError(pgconn.get_error_message()))
            return
        hear([notice.extra.decode() for notice in iter(pgconn.notifies, None)])

    loop.add_reader(socket, take)
    try:
        await lost
    finally:
        if pgconn.status == ConnStatus.OK:  # given up here; a lost one has no socket any more
            loop.remove_reader(socket)
