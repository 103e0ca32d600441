"""WaitRuns: several runs in one stream, until one or all of them are over (W9)."""

from __future__ import annotations

from dataclasses import dataclass

from sessiond.following import Follow, Followed, Following
from sessiond.model.callers import Caller
from sessiond.model.errors import invalid
from sessiond.model.rules import Rules
from sessiond.model.runs import sequence_of
from sessiond.store.database import Database
from sessiond.waiting import Waits

MAX_RUNS = 100


@dataclass(frozen=True)
class WaitsQuery:
    """Which runs with their cursors, and how."""

    runs: tuple[tuple[str, str], ...]
    how: Follow


def wait_runs(db: Database, rules: Rules, waits: Waits, caller: Caller, query: WaitsQuery) -> Following:
    """Follow several runs."""
    ids = [run_id for run_id, _ in query.runs]
    if not 1 <= len(ids) <= MAX_RUNS:
        raise invalid("waits", f"names {len(ids)} runs; expected 1 to {MAX_RUNS}")
    if not all(ids) or len(set(ids)) < len(ids):
        raise invalid("waits", "names a run twice, or none; name each run once")
    followed = [Followed(run_id, sequence_of(cursor, run_id)) for run_id, cursor in query.runs]
    return Following(db, rules, waits, caller, followed, query.how)
