"""WaitRun: a run's events after a cursor, until it is over (W1-W6)."""

from __future__ import annotations

from dataclasses import dataclass

from sessiond.following import Follow, Followed, Following
from sessiond.model.callers import Caller
from sessiond.model.errors import invalid
from sessiond.model.rules import Rules
from sessiond.model.runs import sequence_of
from sessiond.store.database import Database
from sessiond.waiting import Waits


@dataclass(frozen=True)
class WaitQuery:
    """Which run, from where, and how."""

    run_id: str
    cursor: str
    how: Follow


def wait_run(db: Database, rules: Rules, waits: Waits, caller: Caller, query: WaitQuery) -> Following:
    """Follow one run."""
    if not query.run_id:
        raise invalid("run_id", "is required")
    followed = Followed(query.run_id, sequence_of(query.cursor, query.run_id))
    return Following(db, rules, waits, caller, [followed], query.how)
