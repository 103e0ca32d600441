"""The pauses between attempts."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from math import inf

from sessiontools.errors import SessionToolsError

MIN_PAUSE_S = 0.2
MAX_PAUSE_S = 10.0
# 0.2 s doubled so often is above the maximum.
DOUBLINGS = 6


@dataclass(frozen=True)
class Clock:
    """What time it is, and how to let it pass."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


class Pauses:
    """Of random length, so that the clients of a server that comes back do not all come at once, and longer with every
    failure."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._failures = 0

    async def after(self, failure: SessionToolsError, at_most: float = inf) -> None:
        """Wait before the attempt that follows this failure."""
        pause = random.random() * longest(self._failures) + failure.retry_after  # noqa: S311 - nothing secret
        self._failures += 1
        await self._clock.sleep(min(pause, at_most))

    def reset(self) -> None:
        """For an attempt that brought something."""
        self._failures = 0


def longest(failures: int) -> float:
    """The bound of the pause after so many failures."""
    return min(MIN_PAUSE_S * (1 << min(failures, DOUBLINGS)), MAX_PAUSE_S)
