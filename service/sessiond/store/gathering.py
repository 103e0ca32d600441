"""How long a group of writes that follows another waits for more to join it.

Whoever was just answered is the next to ask, and many in a row cost less than each between others.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

# So many need not wait for more.
ENOUGH = 48
# How often the event loop goes round without anything new until nobody else is expected: a request takes some turns on
# its way through gRPC, and others have theirs in between.
TURNS = 24
# However slow those turns are, and however many trickle in.
AT_MOST_S = 0.01


class Gathering:
    """Asked once in a turn of the event loop."""

    __slots__ = ("_clock", "_seen", "_turns", "_until_s")

    def __init__(self, clock: Callable[[], float] = perf_counter) -> None:
        self._clock = clock
        self._until_s = clock() + AT_MOST_S
        self._seen = self._turns = 0

    def goes_on(self, waiting: int) -> bool:
        """Whether so many that are waiting now wait for another turn."""
        if waiting > self._seen:
            self._seen, self._turns = waiting, 0
        self._turns += 1
        return self._turns <= TURNS and waiting < ENOUGH and self._clock() < self._until_s
