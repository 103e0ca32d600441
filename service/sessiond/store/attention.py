"""An event loop that stays awake while an answer of PostgreSQL's is about to come.

To look again and again for a moment before it sleeps saves a caller who is alone some 50 µs at every round trip on a
virtual machine, more than PostgreSQL takes to find a row. It never does so among several works: then the time belongs
to them, and to PostgreSQL.
"""

from __future__ import annotations

import asyncio
import math
import os
import selectors
import time
from collections.abc import Callable

# How much of the usual time each answer makes up: it changes over some ten answers.
_WEIGHT = 0.1


class Attention:
    """Whether an answer is about to come: one work is under way, alone, and answers have been quick of late."""

    __slots__ = ("_asked_at", "_is_waiting", "_usual_s", "_works", "most_s", "now")

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self.now = now
        self.most_s = 0.0  # longer than this nobody stays awake
        self._works = 0
        self._usual_s = 0.0
        self._asked_at = 0.0
        self._is_waiting = False

    def begin(self, works: int) -> None:
        """So many works begin."""
        self._works += works

    def end(self, works: int) -> None:
        """So many are over."""
        self._works -= works

    @property
    def is_alone(self) -> bool:
        """Whether one work is under way, and no other."""
        return self._works == 1

    def asked(self) -> None:
        """PostgreSQL was asked something, and somebody waits for the answer."""
        self._asked_at = self.now()
        self._is_waiting = True

    def answered(self) -> None:
        """The answer is there."""
        self._is_waiting = False
        if self.is_alone:
            self._usual_s += (self.now() - self._asked_at - self._usual_s) * _WEIGHT

    @property
    def until(self) -> float:
        """When to go to sleep; in the past when there is nothing to stay awake for."""
        if self._is_waiting and self.is_alone and self._usual_s < self.most_s:
            return self._asked_at + self.most_s
        return 0.0


class AttentiveSelector(selectors.DefaultSelector):
    """Looks again and again as long as there is something to stay awake for, and then sleeps."""

    def __init__(self, attention: Attention) -> None:
        super().__init__()
        self._attention = attention

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """What is ready, as any selector tells it."""
        until = self._attention.until
        if not until or timeout == 0:
            return super().select(timeout)
        now = self._attention.now
        ends_at = math.inf if timeout is None else now() + timeout
        while (at := now()) < min(until, ends_at):
            if ready := super().select(0):
                return ready
            os.sched_yield()  # whoever else wants this processor has it first
        return super().select(None if timeout is None else max(ends_at - at, 0.0))


class AttentiveLoop(asyncio.SelectorEventLoop):
    """The usual event loop, with attention."""

    def __init__(self) -> None:
        self.attention = Attention()
        super().__init__(AttentiveSelector(self.attention))


def attention_of(loop: asyncio.AbstractEventLoop, most_s: float) -> Attention:
    """That of the loop, for so long at the most; never on a single processor, nor on a loop of another kind."""
    attention = loop.attention if isinstance(loop, AttentiveLoop) else Attention()
    attention.most_s = most_s if _has_processors() else 0.0
    return attention


def _has_processors() -> bool:
    """Whether PostgreSQL can answer while this process is awake; where it can't be told, nobody stays awake."""
    return hasattr(os, "sched_getaffinity") and len(os.sched_getaffinity(0)) > 1
