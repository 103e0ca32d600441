"""The same question to a small and to a large store, in turns: what size costs."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from statistics import median

from bench.stores import Pair, Store

# Answers how many rows came; what is timed is the whole call.
Ask = Callable[[Store], Awaitable[int]]

WARM_UP_ROUNDS = 5


@dataclass(frozen=True)
class Flatness:
    """What one case cost on both sides of a pair."""

    pair: Pair
    case: str
    rows: int
    small_ms: float
    large_ms: float

    @property
    def cells(self) -> tuple[str, ...]:
        """As a row of a table."""
        ratio = self.large_ms / self.small_ms
        return (
            self.pair.database,
            self.case,
            str(self.rows),
            f"{self.small_ms:.2f}",
            f"{self.large_ms:.2f}",
            f"{ratio:.2f}",
        )


async def flatness(pair: Pair, case: str, ask: Ask, rounds: int) -> Flatness:
    """Median of the case on each side, the sides taking turns at going first."""
    rows = await _warmed_up(pair, case, ask)
    small: list[float] = []
    large: list[float] = []
    for number in range(rounds):
        turns = [(pair.small, small), (pair.large, large)]
        for store, taken in turns if number % 2 else reversed(turns):
            taken.append(await _timed(ask, store))
    return Flatness(pair, case, rows, median(small), median(large))


async def _warmed_up(pair: Pair, case: str, ask: Ask) -> int:
    """Ask often enough that statements are compiled and pages are cached; both sides must have as much to tell."""
    counts = {await ask(store) for store in (pair.small, pair.large) for _ in range(WARM_UP_ROUNDS)}
    if len(counts) != 1:
        raise ValueError(f"{pair.database}, {case}: the sides can't be compared, they gave {sorted(counts)} rows")
    return counts.pop()


async def _timed(ask: Ask, store: Store) -> float:
    begun = time.perf_counter_ns()
    await ask(store)
    return (time.perf_counter_ns() - begun) / 1_000_000
