"""Runs that arrive: each with its input, its first event and its place in its session's queue (R2).

What arrives in one transaction is stored with one statement a table, however much it is.
"""

from __future__ import annotations

from operator import itemgetter
from typing import Any, NamedTuple

from sessiond.model.events import StateChanged
from sessiond.model.messages import Draft, Message, Role, message_id
from sessiond.model.runs import Pool, Run, RunKind, RunState
from sessiond.model.sessions import Route, Session
from sessiond.store import messages, run_events
from sessiond.store.run_queue import tell_of_turn
from sessiond.store.schema import default_of, runs, sessions
from sessiond.store.statement import Rows
from sessiond.store.transaction import Reach, Tx

# Nobody can wait for a run before it is stored; this is for the mirror, which follows all that happens. One on another
# replica looks by itself now and then.
ARRIVED_TOPIC = "arrived"


class NewRun(NamedTuple):
    """What a run is queued with."""

    id: str
    kind: RunKind
    agent_id: str
    model: str
    pool: Pool
    is_external: bool
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
    """Gathers what arrives, then stores it; whoever adds holds the session's row and has its newest state."""

    def __init__(self, tx: Tx) -> None:
        self.tx = tx
        self._counts: dict[int, _Counts] = {}
        self._messages: list[dict[str, Any]] = []
        self._runs: list[dict[str, Any]] = []
        self._events: list[dict[str, Any]] = []
        self._turns: set[bool] = set()  # of runs for external runtimes, and for the built-in ones

    def unfinished(self, session: Session) -> int:
        """How many runs of the session are not over, those that were added here included."""
        counts = self._counts.get(session.id)
        return counts.unfinished_runs if counts else session.unfinished_runs

    def add(self, session: Session, new: NewRun, draft: Draft) -> Queued:
        """One run with its input, behind whatever was there or was added before."""
        tx = self.tx
        counts = self._counts.get(session.id)
        if counts is None:
            counts = self._counts[session.id] = _Counts(session)
        sequence = counts.last_sequence + 1
        message = Message(message_id(session.session_id, sequence), sequence, tx.now_ms, draft)
        self._messages.append(messages.row_of(session.generation, message))
        position = counts.unfinished_runs
        place = messages.place_of(session.generation, sequence)
        row = _row(session, new, counts.last_run_order + 1, place, tx.now_ms, is_ready=position == 0)
        self._runs.append(row)
        run = Run._make(_in_order(_DEFAULTS | row))  # as it will be read back
        queued = StateChanged(None, RunState.QUEUED, new.actor)
        self._events.append(run_events.row_of(run.id, 1, tx.now_ms, queued))
        if position == 0:
            counts.head, counts.head_state = run.id, _QUEUED
            self._turns.add(new.is_external)
        counts.last_sequence = sequence
        counts.tool_results += draft.role is Role.TOOL_RESULT
        counts.last_run_order += 1
        counts.unfinished_runs += 1
        return Queued(run, message, position, counts.head if position else "")

    def store(self) -> None:
        """Write all of it."""
        tx = self.tx
        messages.insert_rows(tx, self._messages)
        tx.store(_INSERT, self._runs)
        run_events.insert_rows(tx, self._events)
        tx.store(_COUNT, [_count_row(session, counts, tx.now_ms) for session, counts in self._counts.items()])
        if self._runs:
            tx.notify(ARRIVED_TOPIC, Reach.NOBODY)
        for is_external in self._turns:
            tell_of_turn(tx, is_external)


def enqueue(tx: Tx, session: Session, new: NewRun, draft: Draft) -> Queued:
    """Append the input and queue its run."""
    arrivals = Arrivals(tx)
    queued = arrivals.add(session, new, draft)
    arrivals.store()
    return queued


def _row(session: Session, new: NewRun, order: int, place: int, now_ms: int, *, is_ready: bool) -> dict[str, Any]:
    """What a run is queued with, by column."""
    parent = new.parent
    route = new.route or _NOWHERE
    return {
        "id": new.id,
        "session": session.id,
        "generation": session.generation,
        "run_order": order,
        "kind": new.kind.value,
        "state": _QUEUED,
        "agent_id": new.agent_id,
        "model": new.model,
        "pool": new.pool.value,
        "is_external": int(new.is_external),
        "is_ready": int(is_ready),
        "exchange_id": new.exchange_id,
        "turn": new.turn,
        "parent_run_id": parent.id if parent else "",
        "root_run_id": parent.root_run_id if parent else new.id,
        "trace_id": new.trace_id,
        "depth": parent.depth + 1 if parent else 0,
        "version": 1,
        "queue_ms": now_ms,
        "timeout_ms": new.timeout_ms,
        "input_place": place,
        "event_count": 1,
        "deliver": int(new.deliver),
        "route_channel": route.channel,
        "route_to": route.to,
        "route_account_id": route.account_id,
        "route_thread_id": route.thread_id,
    }


_NOWHERE = Route("", "")
_QUEUED = RunState.QUEUED.value
# The columns that a run is queued with; all others have their defaults.
_WRITTEN = (
    *("id", "session", "generation", "run_order", "kind", "state", "agent_id", "model", "pool"),
    *("is_external", "is_ready", "exchange_id", "turn", "parent_run_id", "root_run_id", "trace_id"),
    *("depth", "version", "queue_ms", "timeout_ms", "input_place", "event_count", "deliver"),
    *("route_channel", "route_to", "route_account_id", "route_thread_id"),
)
_DEFAULTS: dict[str, Any] = {name: default_of(runs.c[name]) for name in Run._fields if name not in _WRITTEN}
_in_order = itemgetter(*Run._fields)
_INSERT = Rows("queue runs", runs, _WRITTEN)
_COUNT = Rows(
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
