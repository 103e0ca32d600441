"""`python -m tests.system --seconds N`: faults for so long, the tables of what was found, and an exit code for it."""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import secrets
import sys
import tempfile
from pathlib import Path

# As in tests/conftest.py: read when gRPC is first imported.
os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "0"

from tests.system.faults import for_seconds, schedule
from tests.system.torture import KINDS, STAGES, Cast, Verdict, tortured
from tests.system.verdict_page import page, write

SHARES = {"PostgreSQL": 0.75, "SQLite": 0.25}  # of the time


async def main(args: argparse.Namespace) -> int:
    """Torture each store in turn; the exit code."""
    how = f"python -m tests.system --seconds {args.seconds} --seed {args.seed}"
    say(how)
    verdicts = [await judged(store, args.seconds * SHARES[store], args.seed) for store in STAGES]
    text = page(verdicts, how)
    print(text)
    if args.out:
        write(args.out, text)
    problems = [problem for verdict in verdicts for problem in verdict.problems]
    sys.stderr.writelines(f"{problem}\n" for problem in problems)
    return int(bool(problems))


async def judged(store: str, seconds: float, seed: str) -> Verdict:
    """One store for so long."""
    with tempfile.TemporaryDirectory(prefix="st-faults-") as folder:
        plan = for_seconds(seconds, schedule(chance(f"{seed} {store} faults"), KINDS[store]))
        verdict = await tortured(store, Path(folder), Cast(), chance(f"{seed} {store} requests"), plan, say)
    say(f"{verdict.store}: {verdict.faults.total()} faults, {len(verdict.problems)} violations")
    return verdict


def chance(seed: str) -> random.Random:
    """The same for the same seed."""
    return random.Random(seed)  # noqa: S311 - not for secrets


def say(text: str) -> None:
    """To whoever watches."""
    print(text, file=sys.stderr, flush=True)


parser = argparse.ArgumentParser(prog="python -m tests.system", description=__doc__)
parser.add_argument("--seconds", type=int, default=600, help="how long, over both stores; default: 600")
parser.add_argument("--seed", default=secrets.token_hex(4), help="repeats the faults and the requests of another run")
parser.add_argument("--out", type=Path, metavar="FILE", help="write the tables into this page")

if __name__ == "__main__":
    sys.exit(asyncio.run(main(parser.parse_args())))
