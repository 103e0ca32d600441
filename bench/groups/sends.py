"""SessionsSend without a wait: what a durable message costs beside a call that does nothing."""

from __future__ import annotations

from collections.abc import Mapping

from bench.load import MAX_PROCESSES, Load
from bench.report import Bar, Table
from bench.sides import each_server, send_sides
from bench.stores import POSTGRESQL, SQLITE, Bench
from bench.turns import CEILING, HEADERS, in_turns, rows_of

CONCURRENCIES = (1, 16, 64, 256)
ABOUT = (
    "A message of 200 bytes, stored with its run before the answer (`timeout_seconds: 0`), into as many sessions as "
    f"there are calls at once, up to {MAX_PROCESSES}, each over a connection of its own; beside it a no-op of the same "
    "message sizes. The transcripts' mirror is on, as it is by default on SQLite. Every answer that is counted is in "
    "the store. Of two workers one has nothing to do with a single caller, and what the two can bring on this machine "
    "is told under Workers."
)


async def tables(bench: Bench) -> list[Table]:
    """Each concurrency, the servers taking turns."""
    found: dict[int, dict[str, Load]] = {}
    async with each_server(bench) as servers, send_sides(servers) as sides:
        for concurrency in CONCURRENCIES[:3] if bench.options.quick else CONCURRENCIES:
            found[concurrency] = await in_turns(sides.at(concurrency), bench.options)
    headers = ("server", "at once", *HEADERS)
    return [Table("SessionsSend, fire and forget", ABOUT, headers, rows_of(found), text_columns=1, bars=_bars(found))]


def _bars(found: Mapping[int, Mapping[str, Load]]) -> list[Bar]:
    def ratio(name: str, concurrency: int) -> float:
        return found[concurrency][name].rps / found[concurrency][CEILING].rps

    return [
        Bar("SessionsSend durable, 64 at once, SQLite", ratio(SQLITE, 64), 0.50, 0.70),
        Bar("SessionsSend durable, 64 at once, PostgreSQL", ratio(POSTGRESQL, 64), 0.40, 0.60),
        Bar("SessionsSend durable, 1 at once, SQLite", ratio(SQLITE, 1), 0.35),
        Bar("SessionsSend durable, 1 at once, PostgreSQL", ratio(POSTGRESQL, 1), 0.35),
    ]
