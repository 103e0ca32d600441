"""Sides that take turns, so that what else the machine does falls on all of them alike; what counts is the median."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable, Mapping
from statistics import median
from typing import TypeVar

from bench.load import Load
from bench.options import Options

CEILING = "no-op"
HEADERS = ("calls a second", "p50 (ms)", "p99 (ms)", "generator", "ratio")
# Told for how many seconds.
Measure = Callable[[float], Awaitable[Load]]
Side = TypeVar("Side", bound=Hashable)


async def in_turns(sides: Mapping[Side, Measure], options: Options) -> dict[Side, Load]:
    """The median of each side; a short first round, in which caches fill and code is made ready, does not count."""
    taken: dict[Side, list[Load]] = {name: [] for name in sides}
    for name in sides:
        await sides[name](options.seconds / 2)
    for number in range(options.turns):
        names = list(sides)
        for name in names[number % len(names) :] + names[: number % len(names)]:
            taken[name].append(await sides[name](options.seconds))
    return {name: middle(loads) for name, loads in taken.items()}


def middle(loads: list[Load]) -> Load:
    """Each figure's median."""
    return Load(
        rps=median(each.rps for each in loads),
        p50_ms=median(each.p50_ms for each in loads),
        p99_ms=median(each.p99_ms for each in loads),
        share=median(each.share for each in loads),
        calls=sum(each.calls for each in loads),
        cores=median(each.cores for each in loads),
    )


def cells(each: Load, top: Load) -> list[str]:
    """A load as cells of a table, its ratio to another last; HEADERS are their names."""
    figures = [f"{each.rps:,.0f}", f"{each.p50_ms:.2f}", f"{each.p99_ms:.2f}", f"{each.share:.2f}"]
    return [*figures, f"{each.rps / top.rps:.2f}"]


def rows_of(found: Mapping[int, Mapping[str, Load]]) -> list[list[str]]:
    """What was found at each concurrency, to the ceiling there."""
    return [
        [name, str(concurrency), *cells(each, loads[CEILING])]
        for concurrency, loads in found.items()
        for name, each in loads.items()
    ]
