"""Two workers on one port and one PostgreSQL, beside one; and what two of the no-op server are to one."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from typing import Any

import psutil

from bench.groups.echo import CONFIG as ECHO
from bench.held import SHARE, NotHeld, held
from bench.load import CORES, Load
from bench.options import SMALL
from bench.report import Bar, Table
from bench.requests import Asked, a_history, a_list
from bench.serving import Server, serving
from bench.sides import SERVERS, TWO_WORKERS, asking, send_sides
from bench.stores import POSTGRESQL, UNTOUCHED, Bench
from bench.turns import CEILING, HEADERS, Measure, cells, in_turns

CONCURRENCY = 64
ONE, TWO = "1 worker", "2 workers"
WORKERS: Mapping[str, tuple[str, ...]] = {ONE: SERVERS[POSTGRESQL][1], TWO: SERVERS[TWO_WORKERS][1]}
# What is measured, and by which load.
Loads = dict[str, dict[str, Load]]
BAR = 1.3
ABOUT = (
    f"PostgreSQL, {CONCURRENCY} at once; the kernel spreads connections over the workers. Sends into one session come "
    "over one connection, as they do from a gateway, so that one worker has them; lists and histories have one each; a "
    "turn is a send that waits for the echo runtime. PostgreSQL itself and the generator share the machine's cores "
    "with the workers: `cores busy` counts all of them. `most` is what two would be to one if all cores "
    "were busy and a call cost them just what it costs one; it comes from the same few turns, and differs from run to "
    "run as they do. The no-op has no database."
)
ABOUT_HELD = (
    f"The same with every worker held to {SHARE:g} of a core by the kernel (`bench/held.py`), so that PostgreSQL, the "
    "generator and two workers have room beside each other: what a second worker brings where it has a processor of "
    "its own, as it does on a machine with more of them. The figures are those of slow processors; what counts is the "
    "ratio. Why that is more than 2 in places was not looked into."
)


async def tables(bench: Bench) -> list[Table]:
    """As fast as they can, and held."""
    free = {CEILING: await _noops(bench), **await _loads(bench, is_held=False)}
    headers = ("workers", "load", *HEADERS, "cores busy")
    rows = [[*row, most] for row, most in zip(_rows(free), _most(free), strict=True)]
    found = [Table("Workers", ABOUT, (*headers, "most"), rows, bars=_bars(free, ""))]
    try:
        slow = await _loads(bench, is_held=True)
    except NotHeld as problem:  # nothing to be measured where it is not allowed
        print(f"workers: {problem}", file=sys.stderr)
        return found
    how = f"with {SHARE:g} of a core each"
    return [*found, Table(f"Workers {how}", ABOUT_HELD, headers, _rows(slow), bars=_bars(slow, f", {how}"))]


async def _noops(bench: Bench) -> dict[str, Load]:
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(serving(bench.empty(POSTGRESQL)))
        counts = {ONE: 1, TWO: 2}
        sides = {
            name: await stack.enter_async_context(send_sides({"": server}, ceiling_workers=count))
            for name, count in counts.items()
        }
        return await in_turns({name: each.at(CONCURRENCY)[CEILING] for name, each in sides.items()}, bench.options)


async def _loads(bench: Bench, *, is_held: bool) -> Loads:
    """Sends and turns into stores of their own, lists and histories of the same one."""
    sends = await _sent(bench, is_held, {}, waits=False)
    return {"sends": sends, "turns": await _sent(bench, is_held, ECHO, waits=True), **await _reads(bench, is_held)}


async def _sent(bench: Bench, is_held: bool, config: Mapping[str, Any], *, waits: bool) -> dict[str, Load]:
    async with AsyncExitStack() as stack:
        servers = await _servers(stack, is_held, lambda: bench.empty(POSTGRESQL), config)
        sides = await stack.enter_async_context(send_sides(servers, waits=waits))
        at_once = sides.at(CONCURRENCY)
        return await in_turns({name: at_once[name] for name in WORKERS}, bench.options)


async def _reads(bench: Bench, is_held: bool) -> Loads:
    store = await bench.filled(POSTGRESQL, SMALL)
    async with AsyncExitStack() as stack:
        servers = await _servers(stack, is_held, lambda: store.url, UNTOUCHED)
        return {
            "list 50": await _asked(bench, servers, a_list(50)),
            "history 50": await _asked(bench, servers, a_history(store.transcript_key, 50)),
        }


async def _asked(bench: Bench, servers: Mapping[str, Server], asked: Asked) -> dict[str, Load]:
    sides: dict[str, Measure] = {name: await asking(each, asked, CONCURRENCY) for name, each in servers.items()}
    return await in_turns(sides, bench.options)


async def _servers(
    stack: AsyncExitStack, is_held: bool, store_url: Callable[[], str], config: Mapping[str, Any]
) -> dict[str, Server]:
    """One worker and two, each on the store that it is given."""
    servers: dict[str, Server] = {}
    for name, arguments in WORKERS.items():
        servers[name] = await stack.enter_async_context(serving(store_url(), *arguments, config=config))
        if is_held:
            stack.enter_context(held(_workers(servers[name])))
    return servers


def _workers(server: Server) -> list[int]:
    """Its processes that serve: those that it has started, if there are any."""
    return [each.pid for each in psutil.Process(server.pid).children()] or [server.pid]


def _rows(found: Loads) -> list[list[str]]:
    return [
        [name, what, *cells(each, loads[ONE]), f"{each.cores:.2f}"]
        for what, loads in found.items()
        for name, each in loads.items()
    ]


def _most(found: Loads) -> list[str]:
    return [cell for loads in found.values() for cell in ("", f"{CORES / loads[ONE].cores:.2f}")]


def _bars(found: Loads, how: str) -> list[Bar]:
    return [
        Bar(f"Two workers on PostgreSQL to one, {what}{how}", each[TWO].rps / each[ONE].rps, BAR)
        for what, each in found.items()
        if what != CEILING
    ]
