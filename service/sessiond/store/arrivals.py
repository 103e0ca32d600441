"""Runs that arrive: each with its input, its first event and its place in its session's queue (R2).

What arrives in one transaction is stored with one statement a table, however much it is.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from sessiond.model.events import StateChanged
from sessiond.model.messages import Draft, Message, Role, message_id
from sessiond.model.runs import Pool, Run, RunKind, RunState
from sessiond.model.sessions import NOWHERE, Route, Session
from sessiond.store import messages, run_events
from sessiond.store.rows import ChangedRows, NewRows
from sessiond.store.run_queue import tell_of_turn
from sessiond.store.schema import default_of, runs, sessions
from sessiond.store.transaction import Reach, Row, Tx

# Nobody can wait for a run before it is stored; this is for the mirror, which follows all that happens. One on another
# replica looks by itself now and then.
ARRIVED_TOPIC = "arrived"


class RunSettings(NamedTuple):
    """What a run takes over from its session and its agent."""

    agent_id: str
    model: str
    pool: Pool
    is_external: bool


class NewRun(NamedTuple):
    """What a run is queued with."""

    id: str
    kind: RunKind
    settings: RunSettings
    actor: str
    trace_id: str
    parent: Run | None = None
    exchange_id: str = ""
    turn: int = 0
    timeout_ms: int = 0
    deliver: bool = False
    route: Route | None = None


class Queued(NamedTuple):
    """A run just queued, its input, and what stands before it."""

    run: Run
    input: Message
    queue_position: int
    blocking_run_id: str


class _Counts:
    """What a session's row will say once everything is stored that arrives for it."""

    __slots__ = ("head", "head_state", "last_run_order", "last_sequence", "tool_results", "unfinished_runs")

    def __init__(self, session: Session) -> None:
        self.last_sequence = session.last_sequence
        self.tool_results = session.tool_results
        self.last_run_order = session.last_run_order
        self.unfinished_runs = session.unfinished_runs
        self.head = session.active_run_id
        self.head_state = session.active_run_state


class Arrivals:
    """Gathers what arrives, then stores it; whoever adds holds the session's row and has its newest state.

    What is `single` is stored as it is added: if nobody else asks anything, PostgreSQL is at its message while the run
    is made.
    """

    def __init__(self, tx: Tx, *, single: bool = False) -> None:
        self.tx = tx
        self._is_single = single
        self._counts: dict[int, _Counts] = {}
        self._messages: list[Row] = []
        self._runs: list[Row] = []
        self._events: list[Row] = []
        self._turns: set[bool] = set()  # of runs for external runtimes, and for the built-in ones

    def unfinished(self, session: Session) -> int:
        """How many runs of the session are not over, those that were added here included."""
        counts = self._counts.get(session.id)
        return counts.unfinished_runs if counts else session.unfinished_runs

    def add(self, session: Session, new: NewRun, draft: Draft) -> Queued:
        """One run with its input, behind whatever was there or was added before."""
        now_ms = self.tx.now_ms
        counts = self._counts.get(session.id) or _Counts(session)
        sequence = counts.last_sequence + 1
        message = Message(message_id(session.session_id, sequence), sequence, now_ms, draft)
        place = messages.place_of(session.generation, sequence)
        self._messages.append(messages.row_of(place, message))  # or it is refused, and nothing stored
        self._counts[session.id] = counts
        position = counts.unfinished_runs
        if position == 0:
            counts.head, counts.head_state = new.id, _QUEUED
            self._turns.add(new.settings.is_external)
        counts.last_sequence = sequence
        counts.tool_results += draft.role is Role.TOOL_RESULT
        counts.last_run_order += 1
        counts.unfinished_runs += 1
        if self._is_single:
            self._store_inputs()
        row = _row(session, new, counts.last_run_order, place, now_ms, is_ready=position == 0)
        self._runs.append(row)
        run = Run._make(row + _DEFAULTS)  # as it will be read back
        queued = StateChanged(None, RunState.QUEUED, new.actor)
        self._events.append(run_events.row_of(run.id, _FIRST_EVENT, now_ms, queued))
        if self._is_single:
            self._store_runs()
        return Queued(run, message, position, counts.head if position else "")

    def store(self) -> None:
        """Write all of it that is not written yet."""
        if self._runs:
            self._store_inputs()
            self._store_runs()

    def _store_inputs(self) -> None:
        tx, now_ms = self.tx, self.tx.now_ms
        tx.store(_COUNT, [_count_row(session, counts, now_ms) for session, counts in self._counts.items()])
        messages.insert_rows(tx, self._messages)
        self._counts, self._messages = {}, []

    def _store_runs(self) -> None:
        tx = self.tx
        tx.store(_INSERT, self._runs)
        run_events.insert_rows(tx, self._events)
        tx.notify(ARRIVED_TOPIC, Reach.NOBODY)
        for is_external in self._turns:
            tell_of_turn(tx, is_external)
        self._runs, self._events, self._turns = [], [], set()


def enqueue(tx: Tx, session: Session, new: NewRun, draft: Draft) -> Queued:
    """Append the input and queue its run."""
    return Arrivals(tx, single=True).add(session, new, draft)


def _row(session: Session, new: NewRun, order: int, place: int, now_ms: int, *, is_ready: bool) -> Row:
    """What a run is queued with, in the order of the columns that Run begins with."""
    settings, parent, route = new.settings, new.parent, new.route or NOWHERE
    return (
        new.id,
        session.id,
        session.generation,
        order,
        str(new.kind),
        _QUEUED,
        settings.agent_id,
        settings.model,
        str(settings.pool),
        int(settings.is_external),
        int(is_ready),
        new.exchange_id,
        new.turn,
        parent.id if parent else "",
        parent.root_run_id if parent else new.id,
        new.trace_id,
        parent.depth + 1 if parent else 0,
        _FIRST_VERSION,
        now_ms,
        new.timeout_ms,
        place,
        _FIRST_EVENT,
        int(new.deliver),
        route.channel,
        route.to,
        route.account_id,
        route.thread_id,
    )


_QUEUED = RunState.QUEUED.value
_FIRST_VERSION = 1
_FIRST_EVENT = 1
_WRITTEN = Run._fields[: Run._fields.index("route_thread_id") + 1]
_DEFAULTS = tuple(default_of(runs.c[name]) for name in Run._fields[len(_WRITTEN) :])
_INSERT = NewRows("queue runs", runs, _WRITTEN)
_COUNT = ChangedRows(
    "count inputs and their runs on the session",
    sessions,
    [
        *("last_sequence", "tool_results", "last_run_order", "unfinished_runs", "updated_ms"),
        *("active_run_id", "active_run_state", "is_archived", "archived_ms"),
    ],
    key="id",
    counter="version",
)


def _count_row(session: int, counts: _Counts, now_ms: int) -> dict[str, Any]:
    return {
        "id": session,
        "last_sequence": counts.last_sequence,
        "tool_results": counts.tool_results,
        "last_run_order": counts.last_run_order,
        "unfinished_runs": counts.unfinished_runs,
        "updated_ms": now_ms,
        "active_run_id": counts.head,
        "active_run_state": counts.head_state,
        "is_archived": 0,  # what gets a message is no longer put away
        "archived_ms": None,
    }
