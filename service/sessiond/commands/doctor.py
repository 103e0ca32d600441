"""`sessiontools doctor`: what an operator looks at first, with an exit code for scripts."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

from sessiond.settings import load
from sessiond.store.backlog import Backlog, Oldest, backlog, dead_deliveries
from sessiond.store.database import Database, StoreProblem
from sessiond.store.migrations import known_versions
from sessiond.store.opening import open_database, schema_of, sqlite_file
from sessiond.store.transaction import Tx

MAX_SKEW_S = 5.0


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at."""

    check: str
    is_well: bool
    text: str


def add_parser(subparsers: Any, parents: list[argparse.ArgumentParser]) -> None:
    """Register the command."""
    about = "examine the store and the work in it; exits with 0 when all is well, 1 when something is not"
    parser = subparsers.add_parser("doctor", parents=parents, help=about, description=about)
    parser.add_argument("--max-age", type=float, default=300, metavar="SECONDS", help="age of due work that is too old")
    parser.add_argument("--json", action="store_true", help="for programs: one JSON object a line")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print one line a finding."""
    url = load(args.config, os.environ, {}).settings.store.url
    findings = list(_schema(url))
    if all(each.is_well for each in findings):
        findings += asyncio.run(_examined(url, args.max_age))
    for each in findings:
        print(
            json.dumps(asdict(each)) if args.json else f"{'ok ' if each.is_well else 'BAD'}  {each.check}: {each.text}"
        )
    return 0 if all(each.is_well for each in findings) else 1


def _schema(url: str) -> Iterator[Finding]:
    """Whether the store can be reached and is of this program's version; it is neither made nor migrated by looking."""
    file = sqlite_file(url)
    if file is not None and not file.exists():
        yield Finding("store", False, f"there is no database at {file}; the first start makes it")
        return
    try:
        found = schema_of(url)
    except StoreProblem as problem:
        yield Finding("store", False, str(problem))
        return
    yield Finding("store", True, "can be reached")
    newest = known_versions()[-1]
    yield Finding("schema", found == newest, f"version {found or 'none yet'}; this program's is {newest}")


async def _examined(url: str, max_age_s: float) -> list[Finding]:
    db = await open_database(url, on_commit=lambda topics: None, pool_size=1)
    try:
        return [await _clock(db), *await db.read(lambda tx: list(_work(tx, max_age_s)))]
    finally:
        await db.close()


async def _clock(db: Database) -> Finding:
    """Leases go by the database's clock and tokens by this machine's: they should not be far apart."""
    before = time.time()
    at_ms = await db.read(lambda tx: tx.now_ms)
    after = time.time()
    skew = max(before - at_ms / 1000, at_ms / 1000 - after, 0.0)
    return Finding("clock", skew <= MAX_SKEW_S, f"{skew:.1f} s between the database's and this machine's")


def _work(tx: Tx, max_age_s: float) -> Iterator[Finding]:
    found: Backlog = backlog(tx)
    yield _age("oldest queued run", found.queued_run, max_age_s, "is a runtime for its agent connected?")
    yield _age("oldest expired lease of a run", found.overdue_run, max_age_s, "is a server running to sweep it?")
    yield _age("oldest open delivery", found.open_delivery, max_age_s, "is a gateway for its channel connected?")
    yield _age("oldest expired lease of a delivery", found.unanswered_delivery, max_age_s, "is a server running?")
    dead = dead_deliveries(tx)
    more = "; see ListDeliveries, then RetryDelivery or DiscardDelivery" if dead else ""
    yield Finding("dead deliveries", dead == 0, f"{dead}{more}")


def _age(check: str, oldest: Oldest | None, max_age_s: float, question: str) -> Finding:
    if oldest is None:
        return Finding(check, True, "none")
    is_well = oldest.age_s <= max_age_s
    text = f"{oldest.id}, {oldest.age_s:.0f} s"
    return Finding(check, is_well, text if is_well else f"{text}, more than {max_age_s:g}; {question}")
