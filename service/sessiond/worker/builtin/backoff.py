"""How often and after what pause a failed request is tried again."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

_RANDOM = secrets.SystemRandom()


@dataclass(frozen=True)
class Backoff:
    """A random pause up to a growing bound, so that many who failed together do not come back together."""

    attempts: int = 3
    first_s: float = 0.5
    longest_s: float = 60.0  # who asks for more is told no: a run that waits holds its session
    draw: Callable[[float, float], float] = _RANDOM.uniform
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    def pause_s(self, attempt: int, wanted_s: float | None, left_s: float) -> float | None:
        """How long to wait after this attempt, the first being 1; None when it was the last."""
        if attempt >= self.attempts:
            return None
        bound = min(self.longest_s, self.first_s * 2 ** (attempt - 1))
        pause = self.draw(0, bound) if wanted_s is None else wanted_s
        return pause if pause <= min(self.longest_s, left_s) else None
