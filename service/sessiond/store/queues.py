"""What waits to be written together on PostgreSQL: the items of one kind, and whether one who comes is alone."""

from __future__ import annotations

import asyncio
from collections import deque
from time import perf_counter
from typing import Any

# An item, and who waits for its result.
Asked = tuple[Any, asyncio.Future[Any]]


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
