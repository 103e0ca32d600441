"""ReleaseRun: a run goes back to the head of its queue; no attempt is used (R3)."""

from __future__ import annotations

from dataclasses import dataclass

from sessiond.exchange_steps import end_run, hold
from sessiond.model.errors import LeaseLost, invalid
from sessiond.model.rules import Rules
from sessiond.model.runs import RUNTIME, LeaseToken, RunState, cancelled
from sessiond.store import run_queue, runs
from sessiond.store.database import Database
from sessiond.store.runs import PlacedRun
from sessiond.store.transaction import Tx

MAX_REASON = 256


@dataclass(frozen=True)
class ReleaseQuery:
    """Which lease is given back, and why."""

    lease_token: str
    reason: str = ""


async def release_run(db: Database, rules: Rules, query: ReleaseQuery) -> PlacedRun:
    """The run, QUEUED again; or CANCELLED, when it was being cancelled."""
    if not query.lease_token:
        raise invalid("lease_token", "is required")
    return await db.write(lambda tx: _release(tx, rules, query))


def _release(tx: Tx, rules: Rules, query: ReleaseQuery) -> PlacedRun:
    token = LeaseToken.parse(query.lease_token)
    held = hold(tx, token.run_id) if token else None
    run = runs.held(tx, token) if token and held else None
    if held is None or run is None:
        raise LeaseLost
    if run.state == RunState.CANCELLING:
        end_run(tx, rules, held, cancelled(run.cancel_actor, run.cancel_reason))
    else:
        run_queue.release(tx, run, RUNTIME, query.reason[:MAX_REASON] or "RELEASED", uses_attempt=False)
    placed = runs.find(tx, run.id)
    if placed is None:
        raise LeaseLost
    return placed
