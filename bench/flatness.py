"""The same question to a small and to a large store, in turns: what size costs."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from statistics import median

from bench.report import Bar
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
    def ratio(self) -> float:
        """What size costs."""
        return self.large_ms / self.small_ms

    @property
    def cells(self) -> tuple[str, ...]:
        """As a row of a table."""
        return (
            self.pair.database,
            self.case,
            str(self.rows),
            f"{self.small_ms:.2f}",
            f"{self.large_ms:.2f}",
            f"{self.ratio:.2f}",
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


def worst_of(what: str, measured: Iterable[Flatness]) -> list[Bar]:
    """The bar that all of these are held to."""
    worst = max(measured, key=lambda each: each.ratio)
    return [Bar(f"{what}, large to small ({worst.pair.database}, {worst.case})", worst.ratio, 1.3, at_most=True)]


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
