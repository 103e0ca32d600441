"""SessionsList and SessionsHistory over the wire, of small and large stores."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import replace

from bench.load import Load
from bench.options import SMALL, Options
from bench.report import Bar, Table
from bench.requests import Asked, a_history, a_list, a_send, make_sessions
from bench.serving import Server, ceiling, ready, serving
from bench.sides import SERVERS, asking
from bench.stores import DATABASES, SQLITE, UNTOUCHED, Bench, Filled
from bench.turns import HEADERS, Measure, cells, in_turns

CONCURRENCY = 16
MIDDLE = 100_000
# A server and the size of its store; the no-op ones have none.
Place = tuple[str, int]
FIRST: Place = (SQLITE, SMALL)
SAME: Place = ("no-op, same size", 0)
SMALLEST: Place = ("no-op, size of a send", 0)
Cases = dict[str, Callable[[Filled], Asked]]
CASES: Cases = {
    "list 50": lambda store: a_list(50),
    "list 200": lambda store: a_list(200),
    "history 50": lambda store: a_history(store.transcript_key, 50),
    "history 200": lambda store: a_history(store.transcript_key, 200),
}
WITH_MESSAGES: Cases = {
    "list 50, 5 messages each": lambda store: a_list(50, 5),
    "list 200, 5 messages each": lambda store: a_list(200, 5),
}
# At least, and the aim.
BARS: dict[str, tuple[float, float | None]] = {
    "list 200": (0.12, 0.20),
    "list 50": (0.30, None),
    "history 200": (0.12, 0.25),
    "history 50": (0.30, None),
}
ABOUT = (
    f"{CONCURRENCY} at once; `of` counts the sessions of the store, or the messages of the transcript. The ratio is to "
    "a no-op that answers with the very same page, the one behind it to a no-op of the size of a send. `flat` is what "
    f"a call costs to the same case of {SMALL:,}."
)


async def tables(bench: Bench) -> list[Table]:
    """Each case, the servers taking turns."""
    stores = {
        (name, size): await bench.filled(database, size)
        for name, (database, _) in SERVERS.items()
        for size in _sizes(bench.options)
    }
    found: dict[str, dict[Place, Load]] = {}
    async with AsyncExitStack() as stack:
        servers = {
            (name, size): await stack.enter_async_context(serving(store.url, *SERVERS[name][1], config=UNTOUCHED))
            for (name, size), store in stores.items()
        }
        for case, ask in (CASES if bench.options.quick else CASES | WITH_MESSAGES).items():
            asked = {place: ask(store) for place, store in stores.items()}
            found[case] = await _case(bench, servers, asked)
    rows = [_row(case, place, loads) for case, loads in found.items() for place in loads]
    headers = ("server", "case", "of", *HEADERS, "to a small no-op", "flat")
    return [Table("SessionsList and SessionsHistory over the wire", ABOUT, headers, rows, bars=_bars(found))]


def _sizes(options: Options) -> list[int]:
    return [SMALL] if options.quick else sorted({SMALL, min(MIDDLE, options.sessions), options.sessions})


async def _case(bench: Bench, servers: Mapping[Place, Server], asked: Mapping[Place, Asked]) -> dict[Place, Load]:
    example = servers[FIRST]
    page, send = asked[FIRST], a_send(*await make_sessions(example.address, "sample", 1))
    async with ceiling(await ready(example, page), await ready(example, send)) as noop:
        sides: dict[Place, Measure] = {
            SAME: await asking(noop, page, CONCURRENCY),
            SMALLEST: await asking(noop, send, CONCURRENCY),
        }
        for place, server in servers.items():
            sides[place] = await asking(server, asked[place], CONCURRENCY)
        # There are many of these, and their cost differs little from call to call.
        return await in_turns(sides, replace(bench.options, seconds=bench.options.seconds / 2))


def _row(case: str, place: Place, loads: Mapping[Place, Load]) -> list[str]:
    name, size = place
    each = loads[place]
    flat = f"{_flat(name, size, loads):.2f}" if size > SMALL else ""
    to_small = f"{each.rps / loads[SMALLEST].rps:.2f}"
    return [name, case, f"{size:,}" if size else "", *cells(each, loads[SAME]), to_small, flat]


def _flat(name: str, size: int, loads: Mapping[Place, Load]) -> float:
    return loads[name, SMALL].rps / loads[name, size].rps


def _bars(found: Mapping[str, Mapping[Place, Load]]) -> list[Bar]:
    bars: list[Bar] = []
    for case, (least, aim) in BARS.items():
        loads = found[case]
        for name in DATABASES:
            sizes = [size for server, size in loads if server == name]
            ratio = loads[name, SMALL].rps / loads[SAME].rps
            bars.append(Bar(f"{case}, {CONCURRENCY} at once, {name}", ratio, least, aim))
            if len(sizes) > 1:
                what = f"{case} of {max(sizes):,} to {SMALL:,}, over the wire, {name}"
                bars.append(Bar(what, _flat(name, max(sizes), loads), 1.3, at_most=True))
    return bars
