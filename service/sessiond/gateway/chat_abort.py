"""ChatAbort: stop a session's unfinished runs, or one of them (R6)."""

from __future__ import annotations

from dataclasses import dataclass

from sessiond.access import View, find_session, view_of
from sessiond.model.callers import Caller
from sessiond.model.errors import RunNotFound
from sessiond.model.rules import Rules
from sessiond.model.sessions import Session
from sessiond.stopping import stop_session, stop_tree
from sessiond.store import runs
from sessiond.store.database import Database
from sessiond.store.runs import PlacedRun
from sessiond.store.transaction import Tx

REASON = "ABORTED"


@dataclass(frozen=True)
class AbortQuery:
    """Which session, and which of its runs; empty = all."""

    reference: str
    run_id: str = ""


async def chat_abort(db: Database, rules: Rules, caller: Caller, query: AbortQuery) -> tuple[list[PlacedRun], View]:
    """Every run that this stopped, each as it is now."""
    return await db.write(lambda tx: _abort(tx, rules, caller, query))


def _abort(tx: Tx, rules: Rules, caller: Caller, query: AbortQuery) -> tuple[list[PlacedRun], View]:
    view = view_of(tx, rules, caller)
    session = find_session(tx, rules, view, query.reference, lock=True)
    if query.run_id:
        touched = _stop_one(tx, rules, caller, view, session, query.run_id)
    else:
        touched = stop_session(tx, rules, session, caller.name, REASON)
    return [found for run_id in touched if (found := runs.find(tx, run_id, view.scope)) is not None], view


def _stop_one(tx: Tx, rules: Rules, caller: Caller, view: View, session: Session, run_id: str) -> list[str]:
    found = runs.find(tx, run_id, view.scope)
    if found is None or found.run.session != session.id:
        raise RunNotFound
    return list(stop_tree(tx, rules, found.run, caller.name, REASON, with_children=True))
