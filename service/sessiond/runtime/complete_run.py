"""CompleteRun: the end of a run and all that follows from it, in one transaction, with others that end (R1, R7, S9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from sessiond.exchange_steps import End, end_runs, hold_all
from sessiond.model.errors import LeaseLost, invalid
from sessiond.model.exchanges import is_skip
from sessiond.model.messages import Usage
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
from sessiond.store.database import Database, alone
from sessiond.store.runs import PlacedRun
from sessiond.store.transaction import Tx
from sessiond.turns import require_text_size

MAX_REASON = 256
MAX_FAILURE_TEXT = 16 * 1024
# A reply may become another session's message, with its provenance beside it.
REPLY_MARGIN = 2048


@dataclass(frozen=True)
class Cancelled:
    """The run stopped because it was told to."""


class CompleteQuery(NamedTuple):
    """How a run ended, as its runtime says."""

    lease_token: str
    outcome: str | Failure | Cancelled | None
    usage: Usage | None = None


async def complete_run(db: Database, rules: Rules, query: CompleteQuery) -> PlacedRun:
    """The run in its final state; asked again with the same token, the same answer."""
    _check(rules, query)
    completing = _Completing(rules, query)
    try:
        return await db.write_together(_complete, completing)
    except _Apart:
        return await db.write(alone(_complete, completing))


def _check(rules: Rules, query: CompleteQuery) -> None:
    if not query.lease_token:
        raise invalid("lease_token", "is required")
    if query.outcome is None:
        raise invalid("outcome", "is required: reply, failure or cancelled")
    if isinstance(query.outcome, Failure) and not query.outcome.reason.strip():
        raise invalid("failure.reason", "is required: a word for programs, such as MODEL_ERROR")
    if isinstance(query.outcome, Failure) and len(query.outcome.reason) > MAX_REASON:
        raise invalid("failure.reason", f"is longer than {MAX_REASON} characters; put the details into message")
    if isinstance(query.outcome, Failure) and "\0" in query.outcome.reason + query.outcome.message:
        raise invalid("failure", "has a NUL character, which can't be stored; leave it out")
    if isinstance(query.outcome, str) and "\0" in query.outcome:
        raise invalid("reply", "has a NUL character, which no channel can carry; leave it out")
    if isinstance(query.outcome, str):
        require_text_size(rules, "reply", query.outcome, REPLY_MARGIN)


class _Completing(NamedTuple):
    """A run on its way to its end."""

    rules: Rules
    query: CompleteQuery


class _Apart(Exception):  # noqa: N818 - says what is so
    """This one is to be completed without others; nothing was written for it."""


def _complete(tx: Tx, completing: Sequence[_Completing]) -> list[PlacedRun | Exception]:
    """The ends of several runs: locked together, since what is decided on their state must be so when it is written."""
    is_alone = len(completing) == 1
    tokens = [LeaseToken.parse(query.lease_token) for _, query in completing]
    held = hold_all(tx, [token.run_id for token in tokens if token], waits=is_alone)
    changed: set[int] = set()
    found: list[End | Exception] = []
    for (rules, query), token in zip(completing, tokens, strict=True):
        mine = held.get(token.run_id) if token else None
        end = End(rules, mine, _ending(mine.run, query), keeps_token=True) if mine else None
        if token and not is_alone and not (end and _may_join(end, changed)):
            found.append(_Apart())
        elif token is None or end is None or not _holds(token, end.held.run):
            found.append(LeaseLost())
        else:
            changed |= end.held.sessions
            found.append(end)
    return _ended(tx, found)


def _ended(tx: Tx, found: Sequence[End | Exception]) -> list[PlacedRun | Exception]:
    """End those that have not ended yet; each as it is stored now."""
    ends = [each for each in found if isinstance(each, End)]
    ended = end_runs(tx, [end for end in ends if not end.held.run.is_final])
    asked = {run.id: runs.ask(tx, run.id) for run in (end.held.run for end in ends) if run.id not in ended}
    ended |= {run_id: runs.as_placed(tx, rows()[0]) for run_id, rows in asked.items()}
    return [ended[each.held.run.id] if isinstance(each, End) else each for each in found]


def _may_join(end: End, changed: set[int]) -> bool:
    """Whether it changes nothing but its own, in one go, so that it neither disturbs others nor holds them up."""
    # What a sub-agent took is kept with the session that spawned it, which is not locked.
    return not (changed & end.held.sessions or end.held.session.spawned_by) and end.is_last_step


def _holds(token: LeaseToken, run: Run) -> bool:
    return (run.fence, run.lease_secret) == (token.fence, token.secret)


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
