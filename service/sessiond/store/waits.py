"""Which run waits for which: the relation is in the database, so a circle is found on any replica (S5)."""

from __future__ import annotations

import sqlalchemy as sa

from sessiond.model.runs import Run
from sessiond.store import runs
from sessiond.store.run_queue import SLOT_TOPIC
from sessiond.store.schema import run_waits, sessions
from sessiond.store.statement import Statement, insert
from sessiond.store.transaction import Tx
from sessiond.store.turnstiles import take_turn


def begin(tx: Tx, wait_id: str, waiter: Run, target_id: str, until_ms: int) -> list[str]:
    """Note that a run waits for another, unless that closes a circle: then the runs of the circle, in order."""
    take_turn(tx, "waits")  # two waits that close a circle together must see each other
    circle = _path(tx, target_id, waiter.id)
    if not circle:
        tx.run(_BEGIN, id=wait_id, waiter_run_id=waiter.id, target_run_id=target_id, until_ms=until_ms)
        tx.notify(SLOT_TOPIC)  # the waiter's slot is free for as long as it waits
    return [waiter.id, *circle] if circle else []


def renew(tx: Tx, wait_id: str, until_ms: int) -> None:
    """The wait goes on."""
    tx.run(_RENEW, wait_id=wait_id, new_until=until_ms)


def end(tx: Tx, wait_id: str) -> None:
    """The wait is over, whatever it brought."""
    tx.run(_END, wait_id=wait_id)


def sweep(tx: Tx, limit: int) -> int:
    """Remove waits that nobody renewed; tells how many."""
    return tx.changed(_SWEEP, now=tx.now_ms, limit=limit)


def _path(tx: Tx, start: str, goal: str) -> list[str]:
    """From one run along everything it can't end without, to the goal; empty when the goal is not reached."""
    came_from, frontier = {start: ""}, [start]
    while frontier and goal not in came_from:
        run_id = frontier.pop()
        new = [each for each in _needs(tx, run_id) if each not in came_from]
        came_from |= dict.fromkeys(new, run_id)
        frontier += new
    path, run_id = [], goal if goal in came_from else ""
    while run_id:
        path.append(run_id)
        run_id = came_from[run_id]
    return path[::-1]


def _needs(tx: Tx, run_id: str) -> list[str]:
    """The runs that must end first: what it waits for, and while it is queued the head of its session.

    Those queued in between can't wait for anything, so that the head stands for all of them.
    """
    run = runs.get(tx, run_id)
    if run is None or run.is_final:
        return []
    waits_for = [row[0] for row in tx.rows(_WAITS_FOR, run_id=run_id, now=tx.now_ms)]
    head = tx.row(_HEAD, session=run.session) if run.state == "queued" else None
    return [*waits_for, *([head[0]] if head and head[0] else [])]


_BEGIN = Statement("begin a wait", insert(run_waits, ["id", "waiter_run_id", "target_run_id", "until_ms"]))
_RENEW = Statement(
    "a wait goes on",
    sa.update(run_waits).where(run_waits.c.id == sa.bindparam("wait_id")).values(until_ms=sa.bindparam("new_until")),
)
_END = Statement("end a wait", sa.delete(run_waits).where(run_waits.c.id == sa.bindparam("wait_id")))
_over = (
    sa.select(run_waits.c.id)
    .where(run_waits.c.until_ms < sa.bindparam("now"))
    .limit(sa.bindparam("limit", type_=sa.BigInteger))
)
_SWEEP = Statement("forget waits that are over", sa.delete(run_waits).where(run_waits.c.id.in_(_over)))
_WAITS_FOR = Statement(
    "what a run waits for",
    sa.select(run_waits.c.target_run_id).where(
        run_waits.c.waiter_run_id == sa.bindparam("run_id"), run_waits.c.until_ms > sa.bindparam("now")
    ),
)
_HEAD = Statement(
    "the run at the head of a session",
    sa.select(sessions.c.active_run_id).where(sessions.c.id == sa.bindparam("session")),
)
