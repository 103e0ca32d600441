"""`python -m bench`: measure every group, print the tables and write the page and the profiles."""

from __future__ import annotations

import asyncio
import compileall
import sys
import tempfile
import time
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path

import sessiond
import sessiontools
from bench.groups import GROUPS
from bench.load import LoadProblem
from bench.machine import description
from bench.options import PEERS, PROFILES, Options, parse
from bench.page import Taken, write_page
from bench.profiles import write_profiles
from bench.report import Table, as_markdown, bars_of
from bench.stores import Bench


async def main(options: Options) -> int:
    """Run the groups; each goes to the page as it is done, in the place of what was there. The exit code."""
    at = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"
    tables: list[Table] = []
    failed: list[str] = []
    for package in (sessiond, sessiontools):  # as what is installed: else every start may have to
        compileall.compile_dir(Path(package.__path__[0]), quiet=1)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        async with AsyncExitStack() as stack:
            bench = Bench(options, Path(folder), stack)
            machine = description(bench.versions, Path(folder))
            for name in options.groups:
                began = time.monotonic()
                try:
                    found = await _measured(bench, name)
                except LoadProblem as problem:  # the others are worth having all the same
                    print(f"{name}: {problem}", file=sys.stderr)
                    failed.append(name)
                    continue
                tables += found
                if options.page is not None and found:
                    write_page(options.page, [*GROUPS, PEERS], {name: Taken(at, machine, found)})
                print(f"{name}: {time.monotonic() - began:.0f} s", file=sys.stderr)
    print(as_markdown(bars_of(tables)))
    if failed:
        print(f"not measured: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


async def _measured(bench: Bench, name: str) -> list[Table]:
    """The tables of one group, printed; profiles have none."""
    if name == PROFILES:
        await write_profiles(bench)
        return []
    tables = await GROUPS[name](bench)
    print("\n".join(map(as_markdown, tables)), flush=True)
    return tables


if __name__ == "__main__":
    sys.exit(asyncio.run(main(parse([*GROUPS, PROFILES]))))
