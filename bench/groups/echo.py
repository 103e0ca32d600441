"""SessionsSend with a wait, through the built-in echo runtime: lease, reply, wake, answer."""

from __future__ import annotations

from typing import Any

from bench.load import Load
from bench.report import Bar, Table
from bench.sides import each_server, send_sides
from bench.stores import DATABASES, Bench
from bench.turns import CEILING, HEADERS, in_turns, rows_of

CONCURRENCIES = (1, 16, 64)
BAR_AT = 16
# As many runs at a time as there are callers: the path is measured, not the bound.
CONFIG: dict[str, Any] = {"agents": {"defaults": {"maxConcurrent": 64}}}
ABOUT = (
    "A send that waits for its answer: the run is stored, leased by the echo runtime in the server, answered and "
    "completed, and the caller woken; beside it a no-op of the same message sizes. `maxConcurrent` is 64."
)


async def tables(bench: Bench) -> list[Table]:
    """Each concurrency, the servers taking turns."""
    found: dict[int, dict[str, Load]] = {}
    async with each_server(bench, CONFIG) as servers, send_sides(servers, waits=True) as sides:
        for concurrency in CONCURRENCIES:
            found[concurrency] = await in_turns(sides.at(concurrency), bench.options)
    at_bar = found[BAR_AT]
    bars = [
        Bar(f"Echo round trip, {BAR_AT} at once, {name}", at_bar[name].rps / at_bar[CEILING].rps, 0.12)
        for name in DATABASES
    ]
    title, headers = "SessionsSend with a wait: the echo round trip", ("server", "at once", *HEADERS)
    return [Table(title, ABOUT, headers, rows_of(found), text_columns=1, bars=bars)]
