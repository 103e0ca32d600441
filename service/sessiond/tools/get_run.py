"""GetRun: a run as it is now or, with a wait, as soon as it has changed (W9)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from sessiond.access import View, view_of
from sessiond.model.callers import Caller
from sessiond.model.errors import RunNotFound, invalid
from sessiond.model.rules import Rules
from sessiond.store import runs
from sessiond.store.database import Database
from sessiond.store.run_events import run_topic
from sessiond.store.runs import PlacedRun
from sessiond.store.transaction import Tx
from sessiond.waiting import DRAIN_TOPIC, Waits, noted

MAX_WAIT_S = 60


@dataclass(frozen=True)
class GetQuery:
    """Which run, and how long to wait for which change of it."""

    run_id: str
    wait_s: int = 0
    known_version: int = 0
    deadline_s: float | None = None


async def get_run(db: Database, rules: Rules, waits: Waits, caller: Caller, query: GetQuery) -> tuple[PlacedRun, View]:
    """The run, after its version differs from the known one (0: after its end) or the wait is over."""
    if not query.run_id:
        raise invalid("run_id", "is required")
    if query.wait_s > MAX_WAIT_S:
        raise invalid("wait_seconds", f"is more than {MAX_WAIT_S}; ask again, or use WaitRun")
    placed, view = await _looked_at(db, rules, caller, query.run_id)
    if not query.wait_s or _is_news(placed, query.known_version):
        return placed, view
    with waits.slot(caller):
        async with await noted(db, rules, view, [query.run_id]):
            return await _changed(db, rules, waits, caller, query)


async def _changed(db: Database, rules: Rules, waits: Waits, caller: Caller, query: GetQuery) -> tuple[PlacedRun, View]:
    loop = asyncio.get_running_loop()
    # The answer must be on its way before the caller gives up.
    wait_s = query.wait_s if query.deadline_s is None else min(query.wait_s, 0.8 * query.deadline_s)
    until = loop.time() + wait_s
    with waits.wake.listen(run_topic(query.run_id), DRAIN_TOPIC) as changed:
        while True:
            changed.clear()
            placed, view = await _looked_at(db, rules, caller, query.run_id)
            left = until - loop.time()
            if _is_news(placed, query.known_version) or left <= 0 or waits.is_draining:
                return placed, view
            await changed.wait_at_most(min(left, waits.look_every_s))


async def _looked_at(db: Database, rules: Rules, caller: Caller, run_id: str) -> tuple[PlacedRun, View]:
    look = db.read if caller.is_acting else db.glance
    return await look(lambda tx: _look(tx, rules, caller, run_id))


def _look(tx: Tx, rules: Rules, caller: Caller, run_id: str) -> tuple[PlacedRun, View]:
    view = view_of(tx, rules, caller)
    placed = runs.find(tx, run_id, view.scope)
    if placed is None:
        raise RunNotFound
    return placed, view


def _is_news(placed: PlacedRun, known_version: int) -> bool:
    return placed.run.is_final or (known_version > 0 and placed.run.version != known_version)
