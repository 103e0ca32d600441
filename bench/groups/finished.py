"""Finished runs: sends and cycles cost the same among few of them and among many."""

from __future__ import annotations

from contextlib import AsyncExitStack
from functools import partial

from bench.finished_runs import fill_finished
from bench.groups.cycles import cycles
from bench.load import Load
from bench.options import SMALL
from bench.report import Bar, Table
from bench.serving import Server, serving
from bench.sides import send_sides
from bench.stores import DATABASES, UNTOUCHED, Bench
from bench.turns import CEILING, Measure, in_turns

SENDS_AT_ONCE = 16
CYCLES_AT_ONCE = 4
ABOUT = (
    f"Sends ({SENDS_AT_ONCE} at once) and cycles of AcquireRuns and CompleteRun ({CYCLES_AT_ONCE} at once) on a store "
    "with few and on one with many finished runs, their messages, events and exchanges among them. `flat` is what a "
    "call costs among many to what it costs among few."
)


async def tables(bench: Bench) -> list[Table]:
    """Sends and cycles on each database."""
    rows: list[list[str]] = []
    bars: list[Bar] = []
    large = bench.options.finished_runs
    for name in DATABASES:
        async with AsyncExitStack() as stack:
            servers: dict[str, Server] = {}
            for count in (SMALL, large):
                url = bench.empty(name)
                await fill_finished(name, url, count)
                servers[f"{count:,}"] = await stack.enter_async_context(serving(url, config=UNTOUCHED))
            for what, loads in (await _measured(bench, servers)).items():
                few, many = (loads[size].rps for size in servers)
                rows.append([name, what, f"{few:,.0f}", f"{many:,.0f}", f"{few / many:.2f}"])
                bars.append(
                    Bar(f"{what} among {large:,} finished runs to {SMALL:,}, {name}", few / many, 1.3, at_most=True)
                )
    headers = ("database", "what", f"a second among {SMALL:,}", f"among {large:,}", "flat")
    return [Table("Flat in the number of finished runs", ABOUT, headers, rows, bars=bars)]


async def _measured(bench: Bench, servers: dict[str, Server]) -> dict[str, dict[str, Load]]:
    async with send_sides(servers) as sides:
        sends = {size: measure for size, measure in sides.at(SENDS_AT_ONCE).items() if size != CEILING}
        taken: dict[str, Measure] = {size: partial(cycles, server, CYCLES_AT_ONCE) for size, server in servers.items()}
        return {"sends": await in_turns(sends, bench.options), "cycles": await in_turns(taken, bench.options)}
