"""HeartbeatRuns: renew leases, and learn what was cancelled; one call for all runs of a runtime (R3, R6)."""

from __future__ import annotations

from dataclasses import dataclass

from sessiond.model.errors import invalid
from sessiond.model.rules import Rules
from sessiond.model.runs import LeaseToken, RunState
from sessiond.store import run_leases, runs
from sessiond.store.database import Database
from sessiond.store.transaction import Tx

MAX_LEASES = 1000


@dataclass(frozen=True)
class LeaseStatus:
    """How one lease stands."""

    lease_token: str
    expires_ms: int | None
    cancel_requested: bool = False
    cancel_reason: str = ""

    @property
    def is_lost(self) -> bool:
        """Whether it is no longer the caller's."""
        return self.expires_ms is None


async def heartbeat_runs(db: Database, rules: Rules, leases: list[str]) -> list[LeaseStatus]:
    """How each lease stands, in the order of the request."""
    if len(leases) > MAX_LEASES:
        raise invalid("leases", f"names more than {MAX_LEASES} leases; use several calls")
    return await db.write(lambda tx: _renew(tx, rules, leases))


def _renew(tx: Tx, rules: Rules, leases: list[str]) -> list[LeaseStatus]:
    # Rows are locked in one order, so that two heartbeats over the same runs can't hold each other up.
    renewed = {text: _renew_one(tx, rules, text) for text in sorted(set(leases))}
    return [renewed[text] for text in leases]


def _renew_one(tx: Tx, rules: Rules, text: str) -> LeaseStatus:
    token = LeaseToken.parse(text)
    run = runs.held(tx, token) if token else None
    if run is None:
        return LeaseStatus(text, None)
    expires = run_leases.extend(tx, run, rules.runs.lease_ms)
    return LeaseStatus(text, expires, run.state == RunState.CANCELLING, run.cancel_reason)
