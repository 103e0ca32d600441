"""Group commit on SQLite: sends with it, and one commit each; on this disk, and on one whose syncs take 2 ms more."""

from __future__ import annotations

import subprocess
from contextlib import AsyncExitStack
from pathlib import Path

from bench.report import Bar, Table
from bench.serving import REAL, serving
from bench.sides import send_sides
from bench.stores import SQLITE, Bench
from bench.turns import CEILING, HEADERS, cells, in_turns

CONCURRENCY = 64
ROOT = Path(__file__).parents[2]
SHIM = ROOT / "build" / "bench" / "slow_sync.so"
UNGROUPED = ("-m", "bench.ungrouped")
PROGRAMS = {"grouped": REAL, "one by one": UNGROUPED}
ABOUT = (
    f"Sends, {CONCURRENCY} at once, by the server as it is and by the same with groups of one; then both with every "
    "fsync and fdatasync taking 2 ms more (`bench/slow_sync.c`). The gain is to the same disk one by one."
)


async def tables(bench: Bench) -> list[Table]:
    """Four servers that take turns."""
    slow = {"LD_PRELOAD": str(_shim())}
    async with AsyncExitStack() as stack:
        servers = {
            f"{program}{place}": await stack.enter_async_context(
                serving(bench.empty(SQLITE), program=command, environment=environment)
            )
            for place, environment in ((", this disk", {}), (", syncs take 2 ms more", slow))
            for program, command in PROGRAMS.items()
        }
        sides = await stack.enter_async_context(send_sides(servers))
        loads = await in_turns(sides.at(CONCURRENCY), bench.options)
    quick, single, slow_grouped, slow_single = (loads[name].rps for name in servers)
    gains = ["", f"{quick / single:.1f}", "1.0", f"{slow_grouped / slow_single:.1f}", "1.0"]
    rows = [[name, *cells(each, loads[CEILING]), gain] for (name, each), gain in zip(loads.items(), gains, strict=True)]
    bars = [
        Bar("Group commit, gain over a batch of one", quick / single, 2),
        Bar("Group commit, gain when a sync costs 2 ms more", slow_grouped / slow_single, 8),
    ]
    return [Table("Group commit", ABOUT, ("server", *HEADERS, "gain"), rows, text_columns=1, bars=bars)]


def _shim() -> Path:
    """Compile it."""
    SHIM.parent.mkdir(parents=True, exist_ok=True)
    source = ROOT / "bench" / "slow_sync.c"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", SHIM, source, "-ldl"], check=True)
    return SHIM
