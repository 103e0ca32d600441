"""How long a group of writes that follows another waits for more to join it.

Whoever was just answered is the next to ask, and many in a row cost less than each between others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sized
from time import perf_counter
from typing import Any

# So many need not wait for more.
ENOUGH = 48
# How often the event loop goes round without anything new until nobody else is expected: a request takes some turns on
# its way through gRPC, and others have theirs in between.
TURNS = 24
# However slow those turns are, and however many trickle in.
AT_MOST_S = 0.01


class Gathering:
    """Looks once in a turn of the event loop how many are waiting, and calls `then` when nobody else is expected."""

    __slots__ = ("_call_soon", "_clock", "_seen", "_then", "_turns", "_until_s", "_waiting")

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        waiting: Sized,
        then: Callable[[], Any],
        clock: Callable[[], float] = perf_counter,
    ) -> None:
        self._call_soon = loop.call_soon
        self._waiting = waiting
        self._then = then
        self._clock = clock
        self._until_s = clock() + AT_MOST_S
        self._seen = self._turns = 0
        self._call_soon(self._look)

    def _look(self) -> None:
        waiting = len(self._waiting)
        if waiting > self._seen:
            self._seen, self._turns = waiting, 0
        self._turns += 1
        if self._turns <= TURNS and waiting < ENOUGH and self._clock() < self._until_s:
            self._call_soon(self._look)
        else:
            self._then()
