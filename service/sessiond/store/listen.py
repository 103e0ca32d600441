"""Hints from other replicas: PostgreSQL's NOTIFY, heard on a connection of its own (W7).

Hints may be lost while the connection is away, so every new connection hints everybody; and whoever waits looks by
itself now and then anyway. A notice has all topics of a commit, behind a mark of who sent it, since a sender has told
its own process already: heard again, it would make everybody there look twice.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

import psycopg
from psycopg import sql

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
            except psycopg.Error as problem:
                log.warning("hints from other replicas are not heard", extra={"problem": str(problem).strip()})
                await asyncio.sleep(RETRY_S)

    async def _listen(self) -> None:
        async with await self._connect() as connection:
            await connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(CHANNEL)))
            self.lost_hints()
            while True:
                # Ends after one notice, or after all that came with it.
                notices = [notice.payload async for notice in connection.notifies(stop_after=1)]
                if heard := list(self._of_others(notices)):
                    self._on_topics(heard)

    def _of_others(self, notices: list[str]) -> Iterator[str]:
        for notice in notices:
            mark, *topics = notice.split("\n")
            if mark != self._mark:
                yield from topics
