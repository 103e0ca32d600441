"""CancelRun: stop a run and what it caused (R6)."""

from __future__ import annotations

from dataclasses import dataclass

from sessiond.access import View, view_of
from sessiond.model.callers import Caller
from sessiond.model.errors import RunNotFound, invalid
from sessiond.model.rules import Rules
from sessiond.stopping import stop_tree
from sessiond.store import runs
from sessiond.store.database import Database
from sessiond.store.requests import Request, answered_once
from sessiond.store.runs import PlacedRun
from sessiond.store.transaction import Tx

MAX_REASON = 256


@dataclass(frozen=True)
class CancelQuery:
    """Which run, why, and whether what it caused goes on."""

    run_id: str
    reason: str = ""
    keep_children: bool = False
    request_id: str = ""


async def cancel_run(db: Database, rules: Rules, caller: Caller, query: CancelQuery) -> tuple[list[PlacedRun], View]:
    """The named run first, then every other run that this stopped and the caller may see, each as it is now."""
    if not query.run_id:
        raise invalid("run_id", "is required")
    if len(query.reason) > MAX_REASON:
        raise invalid("reason", f"is longer than {MAX_REASON} characters")
    return await db.write(lambda tx: _cancel(tx, rules, caller, query))


def _cancel(tx: Tx, rules: Rules, caller: Caller, query: CancelQuery) -> tuple[list[PlacedRun], View]:
    view = view_of(tx, rules, caller)
    named = runs.find(tx, query.run_id, view.scope)
    if named is None:
        raise RunNotFound
    request = Request(caller, query.request_id, "CancelRun", (query.run_id, query.reason, query.keep_children))

    def stop() -> dict[str, list[str]]:
        touched = stop_tree(tx, rules, named.run, caller.name, query.reason, not query.keep_children)
        return {"runs": list(touched)}

    touched = answered_once(tx, request, stop)["runs"]
    ids = dict.fromkeys([query.run_id, *touched])
    return [found for run_id in ids if (found := runs.find(tx, run_id, view.scope)) is not None], view
