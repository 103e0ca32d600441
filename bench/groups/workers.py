"""Two workers on one port and one PostgreSQL, beside one."""

from __future__ import annotations

from contextlib import AsyncExitStack

from bench.load import MAX_PROCESSES, Load
from bench.options import SMALL
from bench.report import Bar, Table
from bench.requests import a_list
from bench.serving import serving
from bench.sides import asking, send_sides
from bench.stores import POSTGRESQL, UNTOUCHED, Bench
from bench.turns import HEADERS, cells, in_turns

CONCURRENCY = 64
ONE, TWO = "1 worker", "2 workers"
ABOUT = (
    f"PostgreSQL, {CONCURRENCY} at once; the kernel spreads connections over the workers. Sends into one session come "
    "over one connection, as they do from a gateway, so that one worker has them; lists have a connection each. "
    "PostgreSQL itself and the generator share the machine's cores with the workers."
)


async def tables(bench: Bench) -> list[Table]:
    """Sends into stores of their own, and lists of the same one."""
    async with AsyncExitStack() as stack:
        servers = {
            name: await stack.enter_async_context(serving(bench.empty(POSTGRESQL), *arguments))
            for name, arguments in ((ONE, ()), (TWO, ("--workers", "2")))
        }
        sides = await stack.enter_async_context(send_sides(servers))
        at_once = sides.at(CONCURRENCY, most_connections=MAX_PROCESSES)
        measures = {name: measure for name, measure in at_once.items() if name in servers}
        sends = await in_turns(measures, bench.options)
        lists = await _lists(bench)
    rows = [*_rows("sends", sends), *_rows("list 50", lists)]
    bars = [
        Bar(f"Two workers on PostgreSQL to one, {what}", each[TWO].rps / each[ONE].rps, 1.3)
        for what, each in (("sends", sends), ("list 50", lists))
    ]
    return [Table("Workers", ABOUT, ("workers", "load", *HEADERS), rows, bars=bars)]


async def _lists(bench: Bench) -> dict[str, Load]:
    store = await bench.filled(POSTGRESQL, SMALL)
    async with (
        serving(store.url, config=UNTOUCHED) as one,
        serving(store.url, "--workers", "2", config=UNTOUCHED) as two,
    ):
        sides = {ONE: await asking(one, a_list(50), CONCURRENCY), TWO: await asking(two, a_list(50), CONCURRENCY)}
        return await in_turns(sides, bench.options)


def _rows(what: str, loads: dict[str, Load]) -> list[list[str]]:
    one = loads[ONE]
    return [[name, what, *cells(each, one)] for name, each in loads.items()]
