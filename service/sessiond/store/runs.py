"""Run rows: finding them for a caller, and what their place in the queue is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

import sqlalchemy as sa

from sessiond.model.events import Event
from sessiond.model.messages import message_id
from sessiond.model.runs import LEASED_STATES, UNFINISHED_STATES, LeaseToken, Run
from sessiond.model.sessions import Session
from sessiond.model.visibility import EVERYTHING, Scope
from sessiond.store import messages, run_events
from sessiond.store.schema import exchanges, runs, session_generations, sessions
from sessiond.store.schema import run_events as events_table
from sessiond.store.statement import Statement, numbered, numbers
from sessiond.store.transaction import Later, Row, Tx
from sessiond.store.visibility import ScopeShape, scope_params, shape_of, visible

COLUMNS = [runs.c[name] for name in Run._fields]
UNFINISHED = runs.c.state.in_([sa.literal_column(f"'{state}'") for state in UNFINISHED_STATES])
LEASED = runs.c.state.in_([sa.literal_column(f"'{state}'") for state in LEASED_STATES])


class PlacedRun(NamedTuple):
    """A run with what is told of it from elsewhere: its session and its place in the queue."""

    run: Run
    session_key: str
    session_id: str
    queue_position: int = 0
    blocking_run_id: str = ""
    told: int = 1  # the event up to which the row tells what happened; further ones are for a wait to tell
    parties: frozenset[int | None] = frozenset()  # the sessions on both sides of its exchange

    @property
    def size(self) -> int:
        """About how many bytes of text it has."""
        return len(self.run.reply or "") + len(self.run.failure_message)

    @property
    def input_message_id(self) -> str:
        """The message that the run answers; empty when it has none in the transcript."""
        if self.run.input_place is None:
            return ""
        return message_id(self.session_id, messages.sequence_at(self.run.input_place))


def as_run(row: Row) -> Run:
    """A row of COLUMNS as the model's run."""
    return Run._make(row)


def as_followed(row: Row) -> tuple[Run, str]:
    """A run that was locked, and the id of the first queued one behind it; empty when there is none."""
    return Run._make(row[1:]), row[0] or ""


def find(tx: Tx, run_id: str, scope: Scope = EVERYTHING) -> PlacedRun | None:
    """The run, if the scope shows its session, and the place from which a wait goes on after what this tells."""
    rows = ask(tx, run_id, scope)()
    return as_placed(tx, rows[0]) if rows else None


def find_all(tx: Tx, run_ids: Sequence[str]) -> list[PlacedRun | None]:
    """As find, for each of these, whoever may see them."""
    params = numbered("run", run_ids)
    found = [as_placed(tx, row) for row in tx.rows(_find_all(len(params)), **params)]
    by_id = {placed.run.id: placed for placed in found}
    return [by_id.get(run_id) for run_id in run_ids]


def ask(tx: Tx, run_id: str, scope: Scope = EVERYTHING) -> Later:
    """As find, to be looked at later with `as_placed`."""
    return tx.ask(_find(shape_of(scope)), run_id=run_id, **scope_params(scope))


def as_placed(tx: Tx, row: Row) -> PlacedRun:
    """A row that was asked for; the place of a run that is queued is counted."""
    key, session_id, head, requester, target, told, *columns = row
    run = Run._make(columns)
    position = _position(tx, run, head) if run.state == "queued" else 0
    parties = frozenset((requester, target))
    return PlacedRun(run, key, session_id, position, head if position else "", told or 0, parties)


def get(tx: Tx, run_id: str, lock: bool = False) -> Run | None:
    """The run's row alone; to lock it, lock its session's row first."""
    row = tx.row(_GET_LOCKED if lock else _GET, run_id=run_id)
    return as_run(row) if row else None


def ask_free(tx: Tx, run_ids: Sequence[str]) -> Callable[[], dict[str, Run]]:
    """The runs' rows, locked, without those that somebody has; to be looked at later. Ask for their sessions' first."""
    params = numbered("run", run_ids)
    asked = tx.ask(_lock_free(len(params)), **params)
    return lambda: {row[0]: as_run(row) for row in asked()}


def ask_locked(tx: Tx, run_ids: Sequence[str], waits: bool = True) -> Later:
    """The runs' rows, locked, to be looked at later with `as_followed`; ask for their sessions' rows first.

    Those that somebody has are waited for, or left out.
    """
    params = numbered("run", run_ids)
    return tx.ask(_lock(len(params), waits), **params)


def held(tx: Tx, token: LeaseToken) -> Run | None:
    """The run that this token holds, locked; None when the lease is somebody else's, or over."""
    row = tx.row(_HELD, run_id=token.run_id, fence=token.fence, secret=token.secret)
    run = as_run(row) if row else None
    # Not asked for: PostgreSQL would read all that are leased, when it last counted while there were none.
    return run if run is not None and run.state in LEASED_STATES else None


def note_event(tx: Tx, run_id: str, event: Event) -> None:
    """Append one event to a run that may have ended already, as its exchange goes on."""
    run = get(tx, run_id, lock=True)
    if run is not None:
        count = run_events.append(tx, run.id, run.event_count, [event])
        tx.run(_NOTE_EVENT, run_id=run.id, count=count)


def unfinished_of(tx: Tx, session: Session) -> list[Run]:
    """The unfinished runs of a session, in their order; looked for from the head on, so finished ones cost nothing."""
    if not session.active_run_id:
        return []
    return [as_run(row) for row in tx.rows(_UNFINISHED_OF, session=session.id, head=session.active_run_id)]


def ask_unanswered(tx: Tx, head: Run) -> Callable[[], set[int]]:
    """The places of the inputs of a session's unfinished runs, of which this is the first; to be looked at later."""
    rows = tx.ask(_UNANSWERED, session=head.session, first=head.run_order)
    return lambda: {row[0] for row in rows() if row[0] is not None}


def children(tx: Tx, run_id: str) -> list[str]:
    """The ids of the runs that a run caused, whether they have ended or not, the oldest first."""
    return [row[0] for row in tx.rows(_CHILDREN, run_id=run_id)]


def delete_some(tx: Tx, session: int, limit: int) -> int:
    """Remove up to this many runs of a session with their events; tells how many went."""
    found = [row[0] for row in tx.rows(_SOME, session=session, limit=limit)]
    tx.run_many(_DELETE_EVENTS, [{"run": run_id} for run_id in found])
    tx.run_many(_DELETE, [{"run": run_id} for run_id in found])
    return len(found)


def _position(tx: Tx, run: Run, head_id: str) -> int:
    """How many unfinished runs of the session go first; counted from the head, so finished ones cost nothing."""
    if run.id == head_id:
        return 0
    row = tx.row(_AHEAD, session=run.session, head=head_id, mine=run.run_order)
    return int(row[0]) if row else 0


# All that a run's row tells happened up to there.
_LAST_CHANGE = (
    sa.select(events_table.c.sequence)
    .where(events_table.c.run_id == runs.c.id, events_table.c.kind == sa.literal_column("'state'"))
    .order_by(events_table.c.sequence.desc())
    .limit(1)
    .scalar_subquery()
)


_PLACED = (
    sa.select(
        sessions.c.key,
        session_generations.c.session_id,
        sessions.c.active_run_id,
        exchanges.c.requester_session,
        exchanges.c.target_session,
        _LAST_CHANGE,
        *COLUMNS,
    )
    .select_from(runs)
    .join(sessions, sessions.c.id == runs.c.session)
    .join(session_generations, session_generations.c.id == runs.c.generation)
    .outerjoin(exchanges, exchanges.c.id == runs.c.exchange_id)
)


@lru_cache
def _find(shape: ScopeShape) -> Statement:
    return Statement("a visible run", _PLACED.where(runs.c.id == sa.bindparam("run_id"), visible(shape)))


@lru_cache
def _find_all(count: int) -> Statement:
    return Statement("runs and what is told of them", _PLACED.where(runs.c.id.in_(numbers("run", count))))


_behind = runs.alias("behind")
_FIRST_BEHIND = (
    sa.select(_behind.c.id)
    .where(_behind.c.session == runs.c.session, _behind.c.run_order > runs.c.run_order)
    .where(_behind.c.state == sa.literal_column("'queued'"))
    .order_by(_behind.c.run_order)
    .limit(1)
    .scalar_subquery()
)


@lru_cache
def _lock_free(count: int) -> Statement:
    found = sa.select(*COLUMNS).where(runs.c.id.in_(numbers("run", count)))
    return Statement("runs that nobody has, locked", found.with_for_update(skip_locked=True))


@lru_cache
def _lock(count: int, waits: bool) -> Statement:
    # In any order: whoever waits asks for one. What is queued behind each changes only under its session's lock.
    found = sa.select(_FIRST_BEHIND, *COLUMNS).where(runs.c.id.in_(numbers("run", count)))
    return Statement("runs, locked, and who is behind them", found.with_for_update(of=runs, skip_locked=not waits))


_by_id = sa.select(*COLUMNS).where(runs.c.id == sa.bindparam("run_id"))
_GET = Statement("a run", _by_id)
_GET_LOCKED = Statement("a run, locked", _by_id.with_for_update())
_HELD = Statement(
    "the run of a lease",
    _by_id.where(
        runs.c.fence == sa.bindparam("fence"), runs.c.lease_secret == sa.bindparam("secret")
    ).with_for_update(),
)
_head = runs.alias("head")
_from_head_on = runs.c.run_order >= sa.func.coalesce(
    sa.select(_head.c.run_order).where(_head.c.id == sa.bindparam("head")).scalar_subquery(), sa.literal_column("0")
)
_UNFINISHED_OF = Statement(
    "the unfinished runs of a session",
    sa.select(*COLUMNS)
    .where(runs.c.session == sa.bindparam("session"), _from_head_on, UNFINISHED)
    .order_by(runs.c.run_order),
)
_UNANSWERED = Statement(
    "the inputs of the unfinished runs of a session",
    sa.select(runs.c.input_place).where(
        runs.c.session == sa.bindparam("session"), runs.c.run_order >= sa.bindparam("first"), UNFINISHED
    ),
)
_CHILDREN = Statement(
    "the runs that a run caused",
    sa.select(runs.c.id)
    .where(runs.c.parent_run_id == sa.bindparam("run_id"), runs.c.parent_run_id != sa.literal_column("''"))
    .order_by(runs.c.queue_ms, runs.c.id),
)
_AHEAD = Statement(
    "how many unfinished runs go before one",
    sa.select(sa.func.count())
    .select_from(runs)
    .where(
        runs.c.session == sa.bindparam("session"),
        _from_head_on,
        runs.c.run_order < sa.bindparam("mine"),
        UNFINISHED,
    ),
)
_NOTE_EVENT = Statement(
    "count an event on its run",
    sa.update(runs)
    .where(runs.c.id == sa.bindparam("run_id"))
    .values(event_count=sa.bindparam("count"), version=runs.c.version + 1),
)
_SOME = Statement(
    "some runs of a session",
    sa.select(runs.c.id)
    .where(runs.c.session == sa.bindparam("session"))
    .limit(sa.bindparam("limit", type_=sa.BigInteger)),
)
_DELETE_EVENTS = Statement(
    "forget a run's events", sa.delete(events_table).where(events_table.c.run_id == sa.bindparam("run"))
)
_DELETE = Statement("forget a run", sa.delete(runs).where(runs.c.id == sa.bindparam("run")))
