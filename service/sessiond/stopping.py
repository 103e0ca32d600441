"""Stopping runs inside a transaction: a queued one ends at once, a running one is told and has a grace (R6)."""

from __future__ import annotations

from collections.abc import Iterator

from sessiond.exchange_steps import end_run, hold
from sessiond.model.rules import Rules
from sessiond.model.runs import Run, RunState, cancelled
from sessiond.model.sessions import Session
from sessiond.store import run_leases, runs
from sessiond.store.transaction import Tx


def stop_tree(tx: Tx, rules: Rules, run: Run, actor: str, reason: str, with_children: bool) -> Iterator[str]:
    """Stop a run and, unless told otherwise, what it caused; yields every run that this touched (R6).

    Runs in between that have ended are passed through: what they caused goes on because of the first one.
    """
    pending = [run.id]
    while pending:
        run_id = pending.pop()
        if _stop(tx, rules, run_id, actor, reason):
            yield run_id
        if with_children:
            pending += reversed(runs.children(tx, run_id))


def stop_session(tx: Tx, rules: Rules, session: Session, actor: str, reason: str) -> list[str]:
    """Stop every unfinished run of a session and what they caused; the ids of the runs that this touched."""
    touched = [
        run_id
        for run in reversed(runs.unfinished_of(tx, session))  # the last first, so that none gets its turn on the way
        for run_id in stop_tree(tx, rules, run, actor, reason, with_children=True)
    ]
    return list(dict.fromkeys(reversed(touched)))


def _stop(tx: Tx, rules: Rules, run_id: str, actor: str, reason: str) -> bool:
    """A queued run ends at once; a running one is told and has a grace; one that stops already goes on stopping."""
    found = runs.get(tx, run_id)
    if found is None or found.is_final:
        return False
    held = hold(tx, run_id)
    if held is None or held.run.is_final:
        return False
    if held.run.state == RunState.QUEUED:
        end_run(tx, rules, held, cancelled(actor, reason))
    elif held.run.state == RunState.RUNNING:
        run_leases.ask_to_stop(tx, held.run, actor, reason, rules.runs.cancel_grace_ms)
    return True
