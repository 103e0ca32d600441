"""Hints from other replicas: PostgreSQL's NOTIFY, heard on a connection and a thread of its own (W7).

Hints may be lost while the connection is away, so every new connection hints everybody; and whoever waits looks by
itself now and then anyway. A notice begins with a mark of who sent it, since a sender has told its own process already:
heard again, it would make everybody there look twice.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, suppress

import psycopg
import sqlalchemy as sa
from psycopg import sql

from sessiond.store.database import OnCommit

log = logging.getLogger("sessiond.listen")

CHANNEL = "sessiontools"
LOOK_S = 1.0  # how soon the thread notices that it is to end
RETRY_S = 1.0


class Listen:
    """Hears topics and hands them to the event loop, until closed."""

    def __init__(self, engine: sa.Engine, on_topics: OnCommit, on_gap: Callable[[], None]) -> None:
        self._pool = engine.pool.recreate()  # apart from the store's own, whose connections are counted
        self._on_topics = on_topics
        self._on_gap = on_gap
        self._mark = secrets.token_hex(4)
        self._loop = asyncio.get_running_loop()
        self._is_closing = threading.Event()
        self._thread = threading.Thread(target=self._listen_for_ever, name="postgres-listen", daemon=True)
        self._thread.start()

    def marked(self, topic: str) -> str:
        """The topic as it is sent to others, which hear it; this one does not."""
        return f"{self._mark} {topic}"

    def lost_hints(self) -> None:
        """Hint everybody, since something may have been committed that nobody here was told of; for any thread."""
        self._loop.call_soon_threadsafe(self._on_gap)

    async def close(self) -> None:
        """Stop listening."""
        self._is_closing.set()
        await asyncio.to_thread(self._end)

    def _end(self) -> None:
        """Wake the thread by a notification of our own; where that fails, it notices by itself."""
        with suppress(psycopg.Error, sa.exc.DBAPIError), closing(self._pool.connect()) as pooled:
            cursor = pooled.cursor()
            cursor.execute(f"NOTIFY {CHANNEL}")
            cursor.close()
        self._thread.join()
        self._pool.dispose()

    def _listen_for_ever(self) -> None:
        while not self._is_closing.is_set():
            try:
                self._listen()
            except (psycopg.Error, sa.exc.DBAPIError) as problem:
                log.warning("hints from other replicas are not heard", extra={"problem": str(problem).strip()})
                self._is_closing.wait(RETRY_S)

    def _listen(self) -> None:
        pooled = self._pool.connect()
        connection = pooled.driver_connection
        pooled.detach()  # it is ours for good, and no part of the pool
        assert isinstance(connection, psycopg.Connection)  # noqa: S101 - tells the type checker what the dialect gives
        with connection:
            connection.autocommit = True
            connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(CHANNEL)))
            self.lost_hints()
            while not self._is_closing.is_set():
                # Ends after one notice, or after all that came with it.
                notices = [notice.payload for notice in connection.notifies(timeout=LOOK_S, stop_after=1)]
                if heard := list(self._of_others(notices)):
                    self._loop.call_soon_threadsafe(self._on_topics, heard)

    def _of_others(self, notices: list[str]) -> Iterator[str]:
        for notice in notices:
            mark, _, topic = notice.partition(" ")
            if topic and mark != self._mark:
                yield topic
