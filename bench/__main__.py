"""`python -m bench`: fill the stores, measure every group, print the tables and write the page."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

from bench import history, listing, replicas, waits
from bench.machine import description
from bench.options import Options, parse
from bench.report import Table, as_markdown, write_page
from bench.stores import Bench, filled

GROUPS: tuple[Callable[[Bench], Awaitable[list[Table]]], ...] = (
    listing.tables,
    history.tables,
    waits.tables,
    replicas.tables,
)


async def main(options: Options) -> None:
    """Run every group; the page is written at the end, so that it never holds half a run."""
    found: list[Table] = []
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        async with filled(options, Path(folder)) as bench:
            machine = description(bench.pairs)
            for group in GROUPS:
                for table in await group(bench):
                    print(as_markdown(table), flush=True)
                    found.append(table)
    if options.page is not None:
        write_page(options.page, machine, found)
        print(f"written to {options.page}")


if __name__ == "__main__":
    asyncio.run(main(parse()))
