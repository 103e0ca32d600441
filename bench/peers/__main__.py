"""`python -m bench.peers`: install the peer, measure both, print the table and put it on the page."""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import tempfile
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path

from bench.groups import GROUPS
from bench.machine import description
from bench.options import PEERS, Options
from bench.page import Taken, write_page
from bench.peers.comparison import tables
from bench.peers.install import installed
from bench.report import as_markdown, bars_of
from bench.stores import Bench

# The peer is slow enough that a shorter load would see each of 64 callers answered only a few times.
TURNS, SECONDS = 3, 4.0
QUICK = Options(turns=1, seconds=SECONDS, page=None)


async def main(python: Path, options: Options) -> None:
    """On the page the table stands after those of `make bench`, which stay."""
    at = f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC"
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        async with AsyncExitStack() as stack:
            bench = Bench(options, Path(folder), stack)
            taken = Taken(at, description(bench.versions, Path(folder)), await tables(python, bench))
    print("\n".join(map(as_markdown, [*taken.tables, bars_of(taken.tables)])))
    if options.page is not None:
        write_page(options.page, [*GROUPS, PEERS], {PEERS: taken})
        print(f"written to {options.page}")


def parse() -> Options:
    """Options from the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.peers", description="Measure beside the a2a-sdk.")
    parser.add_argument("--quick", action="store_true", help="shorter, once, and printed only")
    parser.add_argument("--page", type=Path, default=Options().page, metavar="FILE", help="not docs/performance.md")
    args = parser.parse_args()
    return QUICK if args.quick else Options(turns=TURNS, seconds=SECONDS, page=args.page)


def python_with_peer() -> Path:
    """Or the end, where the peer does not install."""
    try:
        return installed()
    except subprocess.CalledProcessError as problem:
        sys.exit(f"the peer does not install here: {problem}")


if __name__ == "__main__":
    options = parse()
    asyncio.run(main(python_with_peer(), options))
