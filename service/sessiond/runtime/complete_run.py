"""CompleteRun: the end of a run and all that follows from it, in one transaction (R1, R7, S9)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sessiond.exchange_steps import end_run, hold
from sessiond.model.errors import LeaseLost, invalid
from sessiond.model.exchanges import is_skip
from sessiond.model.messages import Text, Usage
from sessiond.model.rules import Rules
from sessiond.model.runs import (
    RUNTIME,
    Ending,
    Failure,
    LeaseToken,
    Run,
    RunState,
    cancelled,
    failed,
    skipped,
    succeeded,
)
from sessiond.store import runs
from sessiond.store.database import Database
from sessiond.store.runs import PlacedRun
from sessiond.store.transaction import Tx
from sessiond.turns import require_size

MAX_REASON = 256
MAX_FAILURE_TEXT = 16 * 1024
# A reply may become another session's message, with its provenance beside it.
REPLY_MARGIN = 2048


@dataclass(frozen=True)
class Cancelled:
    """The run stopped because it was told to."""


@dataclass(frozen=True)
class CompleteQuery:
    """How a run ended, as its runtime says."""

    lease_token: str
    outcome: str | Failure | Cancelled | None
    usage: Usage | None = None


async def complete_run(db: Database, rules: Rules, query: CompleteQuery) -> PlacedRun:
    """The run in its final state; asked again with the same token, the same answer."""
    _check(rules, query)
    return await db.write(lambda tx: _complete(tx, rules, query))


def _check(rules: Rules, query: CompleteQuery) -> None:
    if not query.lease_token:
        raise invalid("lease_token", "is required")
    if query.outcome is None:
        raise invalid("outcome", "is required: reply, failure or cancelled")
    if isinstance(query.outcome, Failure) and not query.outcome.reason.strip():
        raise invalid("failure.reason", "is required: a word for programs, such as MODEL_ERROR")
    if isinstance(query.outcome, Failure) and len(query.outcome.reason) > MAX_REASON:
        raise invalid("failure.reason", f"is longer than {MAX_REASON} characters; put the details into message")
    if isinstance(query.outcome, str) and "\0" in query.outcome:
        raise invalid("reply", "has a NUL character, which no channel can carry; leave it out")
    if isinstance(query.outcome, str):
        require_size(rules, "reply", (Text(query.outcome),), REPLY_MARGIN)


def _complete(tx: Tx, rules: Rules, query: CompleteQuery) -> PlacedRun:
    token = LeaseToken.parse(query.lease_token)
    held = hold(tx, token.run_id) if token else None  # what is decided on its state must still be so when written
    if token is None or held is None or (held.run.fence, held.run.lease_secret) != (token.fence, token.secret):
        raise LeaseLost
    if not held.run.is_final:
        end_run(tx, rules, held, _ending(held.run, query), keeps_token=True)
    placed = runs.find(tx, token.run_id)  # what follows from its end may have left events on it
    if placed is None:
        raise LeaseLost
    return placed


def _ending(run: Run, query: CompleteQuery) -> Ending:
    """A cancel that was answered holds: whatever the runtime brings after it, the run ends as cancelled."""
    if run.state == RunState.CANCELLING:
        return cancelled(run.cancel_actor, run.cancel_reason, query.usage)
    match query.outcome:
        case Failure() as failure:
            return failed(replace(failure, message=failure.message[:MAX_FAILURE_TEXT]), query.usage)
        case str() as reply:
            return skipped(query.usage) if is_skip(reply) else succeeded(reply, query.usage)
        case _:
            return cancelled(RUNTIME, "CANCELLED", query.usage)
