"""Two workers on one port and one PostgreSQL, beside one; and what two of the no-op server are to one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from typing import Any

from bench.groups.echo import CONFIG as ECHO
from bench.load import CORES, MAX_PROCESSES, Load
from bench.options import SMALL
from bench.report import Bar, Table
from bench.requests import Asked, a_history, a_list
from bench.serving import Server, serving
from bench.sides import asking, send_sides
from bench.stores import POSTGRESQL, UNTOUCHED, Bench
from bench.turns import CEILING, HEADERS, Measure, cells, in_turns

CONCURRENCY = 64
ONE, TWO = "1 worker", "2 workers"
WORKERS: Mapping[str, tuple[str, ...]] = {ONE: (), TWO: ("--workers", "2")}
ABOUT = (
    f"PostgreSQL, {CONCURRENCY} at once; the kernel spreads connections over the workers. Sends into one session come "
    "over one connection, as they do from a gateway, so that one worker has them; lists and histories have one each; a "
    "turn is a send that waits for the echo runtime. PostgreSQL itself and the generator share the machine's cores "
    "with the workers: `cores busy` counts all of them. `most` is what two would be to one if all cores "
    "were busy and a call cost them just what it costs one; it comes from the same few turns, and differs from run to "
    "run as they do. The no-op has no database."
)


async def tables(bench: Bench) -> list[Table]:
    """Sends and turns into stores of their own, lists and histories of the same one."""
    noops, sends = await _sends(bench)
    found = {"sends": sends, "turns": await _turns(bench), **await _reads(bench)}
    rows = [*_rows(CEILING, noops), *(row for what, loads in found.items() for row in _rows(what, loads))]
    bars = [
        Bar(f"Two workers on PostgreSQL to one, {what}", each[TWO].rps / each[ONE].rps, 1.3)
        for what, each in found.items()
    ]
    return [Table("Workers", ABOUT, ("workers", "load", *HEADERS, "cores busy", "most"), rows, bars=bars)]


async def _sends(bench: Bench) -> tuple[dict[str, Load], dict[str, Load]]:
    """The no-op's, and ours."""
    async with AsyncExitStack() as stack:
        servers = await _servers(stack, bench.empty, {})
        one = await stack.enter_async_context(send_sides(servers))
        two = await stack.enter_async_context(send_sides(servers, ceiling_workers=2))
        at_once = one.at(CONCURRENCY, most_connections=MAX_PROCESSES)
        sides: dict[tuple[str, str], Measure] = {
            (CEILING, ONE): at_once[CEILING],
            (CEILING, TWO): two.at(CONCURRENCY, most_connections=MAX_PROCESSES)[CEILING],
            **{("ours", name): at_once[name] for name in WORKERS},
        }
        loads = await in_turns(sides, bench.options)
    noops, ours = ({name: loads[who, name] for name in WORKERS} for who in (CEILING, "ours"))
    return noops, ours


async def _turns(bench: Bench) -> dict[str, Load]:
    async with AsyncExitStack() as stack:
        servers = await _servers(stack, bench.empty, ECHO)
        sides = await stack.enter_async_context(send_sides(servers, waits=True))
        at_once = sides.at(CONCURRENCY, most_connections=MAX_PROCESSES)
        return await in_turns({name: at_once[name] for name in WORKERS}, bench.options)


async def _reads(bench: Bench) -> dict[str, dict[str, Load]]:
    store = await bench.filled(POSTGRESQL, SMALL)
    async with AsyncExitStack() as stack:
        servers = await _servers(stack, lambda _: store.url, UNTOUCHED)
        return {
            "list 50": await _asked(bench, servers, a_list(50)),
            "history 50": await _asked(bench, servers, a_history(store.transcript_key, 50)),
        }


async def _asked(bench: Bench, servers: Mapping[str, Server], asked: Asked) -> dict[str, Load]:
    sides = {name: await asking(server, asked, CONCURRENCY) for name, server in servers.items()}
    return await in_turns(sides, bench.options)


async def _servers(
    stack: AsyncExitStack, store_of: Callable[[str], str], config: Mapping[str, Any]
) -> dict[str, Server]:
    """One worker and two, each on the store that it is given."""
    return {
        name: await stack.enter_async_context(serving(store_of(POSTGRESQL), *arguments, config=config))
        for name, arguments in WORKERS.items()
    }


def _rows(what: str, loads: dict[str, Load]) -> list[list[str]]:
    one = loads[ONE]
    most = {ONE: "", TWO: f"{CORES / one.cores:.2f}"}
    return [[name, what, *cells(each, one), f"{each.cores:.2f}", most[name]] for name, each in loads.items()]
