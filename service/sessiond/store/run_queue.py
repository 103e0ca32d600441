"""The queue of each session: one run at a time, in arrival order, handed out under leases (R2, R3).

How runs get into it is in `arrivals`.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import sqlalchemy as sa

from sessiond.model.events import StateChanged
from sessiond.model.exchanges import Exchange
from sessiond.model.runs import Pool, Run, RunState
from sessiond.model.sessions import Session
from sessiond.store import exchanges, messages, run_events, runs, sessions
from sessiond.store.clock import POSTGRESQL_CLOCK
from sessiond.store.rows import ChangedRows
from sessiond.store.schema import run_waits
from sessiond.store.schema import runs as table
from sessiond.store.schema import sessions as table_of_sessions
from sessiond.store.statement import Statement, numbers
from sessiond.store.transaction import Later, Reach, Row, Tx
from sessiond.store.turnstiles import Turn

# Notified when a slot came free, which only matters to whoever lacked one.
SLOT_TOPIC = "slot"
_RUNNING = RunState.RUNNING.value


@dataclass(frozen=True)
class Wanted:
    """Which runs are looked for: those for such runtimes, of these agents or of any, as far as pools have slots."""

    is_external: bool
    slots: Mapping[Pool, int]
    agent_ids: tuple[str, ...] = ()


class ReadyRun(NamedTuple):
    """A run to be taken, with its session, the body of its input, and the exchange that it is a part of."""

    run: Run
    session: Session
    input: bytes
    exchange: Exchange | None


@dataclass(frozen=True)
class Found:
    """The runs whose turn it is; their rows and their sessions' are locked, so that nobody else takes them.

    `is_held_up` when a run was passed by because somebody had its session's row at this moment, `lacks_slots` when one
    may be there for which its pool has no slot left.
    """

    runs: list[ReadyRun]
    is_held_up: bool = False
    lacks_slots: bool = False


def queue_topic(is_external: bool) -> str:
    """What is notified when it is the turn of a run for such runtimes, so that the others need not look."""
    return "queue:external" if is_external else "queue:built-in"


def tell_of_turn(tx: Tx, is_external: bool) -> None:
    """Tell who may take a run whose turn it is.

    The built-in runtimes of all servers share their slots and take any run, so that of this server is as good as any:
    were the others told as well, all would look and one would find it. Of external ones nobody here knows which may.
    """
    tx.notify(queue_topic(is_external), Reach.SERVERS if is_external else Reach.ANYBODY)


def find(tx: Tx, wanted: Wanted, limit: int) -> Found:
    """Up to this many runs whose turn it is, as far as their pool has slots left, to be leased in this transaction."""
    turn = _TURN.ask(tx, external=int(wanted.is_external))  # mostly it is no run's, and then nobody has to wait
    taken = tx.ask(_BUSY, now=tx.known_now_ms)
    most = {pool: min(slots, limit) for pool, slots in wanted.slots.items() if slots > 0}
    asked = {pool: _ask_ready(tx, wanted, pool, count) for pool, count in most.items()}
    if not turn():
        return Found([])
    busy = {row[0]: row[1] for row in taken()}
    found: list[Row] = []
    lacks_slots = False
    for pool, ready in asked.items():
        rows, slots = ready(), max(0, wanted.slots[pool] - busy.get(pool, 0))
        lacks_slots |= len(rows) > slots or len(rows) == most[pool]
        found += rows[: min(slots, limit - len(found))]
    held = _hold(tx, found) if found else []
    return Found(held, len(held) < len(found), lacks_slots)


def lease(tx: Tx, taken: Sequence[tuple[ReadyRun, str]], lease_ms: int) -> list[ReadyRun]:
    """Lease each of these to its runtime; as they are now. They are held, so that what was read of them is still so."""
    changes = [_leased(each.run, runtime_id, lease_ms, tx.now_ms) for each, runtime_id in taken]
    tx.store(_LEASE, [{"id": each.run.id, **change} for (each, _), change in zip(taken, changes, strict=True)])
    leased = [each.run._replace(**change) for (each, _), change in zip(taken, changes, strict=True)]
    _note_leased(tx, leased)
    return [
        ready._replace(
            run=run,
            session=ready.session._replace(active_run_id=run.id, active_run_state=_RUNNING),
        )
        for (ready, _), run in zip(taken, leased, strict=True)
    ]


def release(tx: Tx, run: Run, actor: str, reason: str, uses_attempt: bool) -> None:
    """Put a leased run back at the head of its session's queue; the old token is dead."""
    changed = StateChanged(run.state, RunState.QUEUED, actor, reason)
    count = run_events.append(tx, run.id, run.event_count, [changed])
    attempt = run.attempt if uses_attempt else run.attempt - 1
    tx.run(_RELEASE, run_id=run.id, new_attempt=attempt, count=count)
    set_head(tx, run.session, run.id, RunState.QUEUED)
    tell_of_turn(tx, bool(run.is_external))


def set_head(tx: Tx, session: int, run_id: str, state: RunState | None) -> None:
    """Note on the session which of its runs is at the head, and how that stands."""
    tx.run(_SET_HEAD, id_=session, head=run_id, head_state=state.value if state else None)


def _ask_ready(tx: Tx, wanted: Wanted, pool: Pool, limit: int) -> Later:
    """The runs of a pool whose turn it is, with their sessions."""
    return tx.ask(
        _ready(len(wanted.agent_ids)),
        external=int(wanted.is_external),
        pool=pool.value,
        limit=limit,
        **{f"agent_{number}": agent for number, agent in enumerate(wanted.agent_ids)},
    )


def _hold(tx: Tx, found: list[Row]) -> list[ReadyRun]:
    """What can be taken of these, locked; a session whose row somebody has is passed by, never waited for."""
    run_ids, session_ids, places, exchange_ids = zip(*found, strict=True)
    free, asked = sessions.ask_free(tx, session_ids), runs.ask_free(tx, run_ids)
    # Asked for behind the locks, so that it is the newest.
    inputs = messages.ask_bodies(tx, [place for place in places if place is not None])
    begun = exchanges.ask_all(tx, [exchange_id for exchange_id in exchange_ids if exchange_id])
    sides, rows = free(), asked()
    ready = [rows[run_id] for run_id in run_ids if run_id in rows and _may_run(rows[run_id], sides)]
    bodies, around = inputs(), begun()
    return [
        ReadyRun(run, sides[run.session], bodies.get(run.input_place or 0, b""), around.get(run.exchange_id))
        for run in ready
    ]


def _may_run(run: Run, free: Mapping[int, Session]) -> bool:
    """Whether it is still its turn, now that its session is locked."""
    return run.session in free and bool(run.is_ready) and run.state == RunState.QUEUED


def _leased(run: Run, runtime_id: str, lease_ms: int, now_ms: int) -> dict[str, Any]:
    """What a run's row says of its lease."""
    lasts_ms = min(run.timeout_ms, lease_ms) if run.timeout_ms > 0 else lease_ms
    return {
        "state": _RUNNING,
        "is_ready": 0,
        "version": run.version + 1,
        "attempt": run.attempt + 1,
        "event_count": run.event_count + 1,
        "appended": 0,
        "fence": run.fence + 1,
        "lease_secret": secrets.token_urlsafe(18),
        "lease_expires_ms": now_ms + lease_ms,
        "start_ms": now_ms,
        "runtime_id": runtime_id,
        "due_ms": now_ms + lasts_ms,
    }


def _note_leased(tx: Tx, taken: list[Run]) -> None:
    """Their events, and how the heads of their sessions stand now."""
    run_events.insert_rows(
        tx,
        [
            run_events.row_of(
                run.id, run.event_count, tx.now_ms, StateChanged("queued", RunState.RUNNING, run.runtime_id)
            )
            for run in taken
        ],
    )
    heads = [{"id": run.session, "active_run_id": run.id, "active_run_state": _RUNNING} for run in taken]
    tx.store(_SET_HEADS, heads)
    for run in taken:
        tx.notify(run_events.run_topic(run.id))


_SET_HEAD = Statement(
    "note the head of a session's queue",
    sa.update(table_of_sessions)
    .where(table_of_sessions.c.id == sa.bindparam("id_"))
    .values(
        active_run_id=sa.bindparam("head"),
        active_run_state=sa.bindparam("head_state"),
        version=table_of_sessions.c.version + 1,
    ),
)
_SET_HEADS = ChangedRows(
    "note the heads of several queues",
    table_of_sessions,
    ["active_run_id", "active_run_state"],
    key="id",
    counter="version",
)
_is_ready = sa.and_(table.c.is_ready == sa.literal_column("1"), table.c.is_external == sa.bindparam("external"))
_TURN = Turn("slots", sa.exists().where(_is_ready))


def _taken_at(now: sa.ColumnElement[int]) -> sa.Select[Any]:
    """A run that waits in a session tool has given its slot back (property 5)."""
    waits = sa.exists().where(run_waits.c.waiter_run_id == table.c.id, run_waits.c.until_ms > now)
    return sa.select(table.c.pool, sa.func.count()).where(runs.LEASED, sa.not_(waits)).group_by(table.c.pool)


_now = sa.bindparam("now", type_=sa.BigInteger)
_BUSY = Statement(
    "how many slots of each pool are taken",
    # The clock itself where it is not known, so that nobody has to wait for it before this can be asked.
    _taken_at(sa.func.coalesce(_now, sa.literal_column(POSTGRESQL_CLOCK, sa.BigInteger))),
    on_sqlite=_taken_at(_now),
)
_LEASE = ChangedRows(
    "lease runs whose turn it is",
    table,
    [
        *("state", "is_ready", "version", "attempt", "event_count", "appended", "fence", "lease_secret"),
        *("lease_expires_ms", "start_ms", "runtime_id", "due_ms"),
    ],
    key="id",
)
_RELEASE = Statement(
    "put a leased run back",
    sa.update(table)
    .where(table.c.id == sa.bindparam("run_id"))
    .values(
        state=RunState.QUEUED.value,
        is_ready=1,
        version=table.c.version + 1,
        attempt=sa.bindparam("new_attempt"),
        fence=table.c.fence + 1,
        lease_expires_ms=sa.null(),
        due_ms=sa.null(),
        start_ms=sa.null(),
        event_count=sa.bindparam("count"),
    ),
)


@lru_cache
def _ready(agents: int) -> Statement:
    found = (
        sa.select(table.c.id, table.c.session, table.c.input_place, table.c.exchange_id)
        .where(_is_ready, table.c.pool == sa.bindparam("pool"))
        .order_by(table.c.queue_ms, table.c.id)
        .limit(sa.bindparam("limit", type_=sa.BigInteger))
    )
    if agents:
        found = found.where(table.c.agent_id.in_(numbers("agent", agents, sa.Text())))
    return Statement("the runs whose turn it is", found)
