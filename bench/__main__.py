"""`python -m bench`: measure every group, print the tables and write the page and the profiles."""

from __future__ import annotations

import asyncio
import sys
import tempfile
import time
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path

from bench.groups import GROUPS
from bench.machine import description
from bench.options import PEERS, PROFILES, Options, parse
from bench.page import Taken, write_page
from bench.profiles import write_profiles
from bench.report import Table, as_markdown, bars_of
from bench.stores import Bench


async def main(options: Options) -> None:
    """Run the groups; each goes to the page as it is done, in the place of what it was there before."""
    at = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"
    tables: list[Table] = []
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        async with AsyncExitStack() as stack:
            bench = Bench(options, Path(folder), stack)
            machine = description(bench.versions, Path(folder))
            for name in options.groups:
                began = time.monotonic()
                if name == PROFILES:
                    await write_profiles(bench)
                else:
                    taken = Taken(at, machine, await GROUPS[name](bench))
                    tables += taken.tables
                    print("\n".join(map(as_markdown, taken.tables)), flush=True)
                    if options.page is not None:
                        write_page(options.page, [*GROUPS, PEERS], {name: taken})
                print(f"{name}: {time.monotonic() - began:.0f} s", file=sys.stderr)
    print(as_markdown(bars_of(tables)))


if __name__ == "__main__":
    asyncio.run(main(parse([*GROUPS, PROFILES])))
