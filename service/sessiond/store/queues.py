"""What waits to be written together on PostgreSQL: the items of one kind, and whose turn it is among the kinds."""

from __future__ import annotations

import asyncio
from collections import deque
from time import perf_counter
from typing import Any

from greenlet import getcurrent, greenlet

from sessiond.store.switching import put_aside

# An item, and who waits for its result.
Asked = tuple[Any, asyncio.Future[Any]]
# From so many items on, batches of different kinds go one after the other.
MANY = 16
# But none waits longer than this: what is before it may be waiting for a lock.
PATIENCE_S = 0.05


class Queue:
    """The items of one kind that wait to be written together."""

    __slots__ = ("_answered_s", "_began_s", "_was_alone", "is_writing", "waiting")

    def __init__(self) -> None:
        self.waiting: deque[Asked] = deque()
        self.is_writing = False
        self._began_s = self._answered_s = 0.0  # the latest write
        self._was_alone = False  # whether it was of one item, and no other had come meanwhile

    def begin(self) -> None:
        """A write begins."""
        self._began_s = perf_counter()

    def end(self, items: int) -> None:
        """It has ended."""
        self._answered_s = perf_counter()
        self._was_alone = items == 1 and not self.waiting

    @property
    def is_quiet(self) -> bool:
        """Whether one who asks now is alone again: among many, the next one asks soon after an answer."""
        rested_s, took_s = perf_counter() - self._answered_s, self._answered_s - self._began_s
        return self._was_alone and rested_s > took_s / 2


class Turns:
    """Lets batches of different kinds go one after the other when there is much to write.

    What comes while another batch is under way is then written together. Side by side, each batch would be smaller, and
    would meet the rows that others have locked. Where there is little to write, to wait would only take longer.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.items = 0  # that are waiting or under way
        self._loop = loop
        self._under_way = 0
        self._line: dict[greenlet, asyncio.TimerHandle] = {}  # who came first is first

    def begin(self) -> None:
        """Wait for the turn; only for what runs in a greenlet."""
        if self._under_way and self.items >= MANY:
            here = getcurrent()
            self._line[here] = self._loop.call_later(PATIENCE_S, self._go_on, here)
            put_aside()
        else:
            self._under_way += 1

    def end(self, items: int) -> None:
        """So many are written; the next batch has the turn, before any that comes only now."""
        self.items -= items
        if not self._line:
            self._under_way -= 1
            return
        first = next(iter(self._line))
        self._line.pop(first).cancel()
        self._loop.call_soon(first.switch)

    def _go_on(self, waiter: greenlet) -> None:
        """Beside what it has waited for."""
        del self._line[waiter]
        self._under_way += 1
        waiter.switch()
