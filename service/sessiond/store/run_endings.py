"""The one place where a run ends: its state, its reply, its event and the next run's turn (R1, R7).

What ends in one transaction is stored with one statement a table, however much it is, and nothing of it is looked at,
so that it costs one round trip.
"""

from __future__ import annotations

from typing import Any

from sessiond.model.events import Event, MessageWritten, StateChanged
from sessiond.model.messages import Draft, Message, Role, Text, Usage, message_id
from sessiond.model.runs import LEASED_STATES, Ending, Run, RunState
from sessiond.model.sessions import Session
from sessiond.store import messages, run_events
from sessiond.store.rows import ChangedRows
from sessiond.store.run_leases import STOP_TOPIC, usage_columns
from sessiond.store.run_queue import SLOT_TOPIC, tell_of_turn
from sessiond.store.schema import runs as table
from sessiond.store.schema import sessions
from sessiond.store.transaction import Row, Tx


class Endings:
    """Gathers how runs end, then stores it; whoever adds holds the session's and the run's row, and their newest state.

    One of a session at most: what it changes there is worked out from the row as it was before.
    """

    def __init__(self, tx: Tx) -> None:
        self._tx = tx
        self._messages: list[Row] = []
        self._events: list[Row] = []
        self._runs: list[dict[str, Any]] = []
        self._sessions: list[dict[str, Any]] = []
        self._next: list[dict[str, Any]] = []

    def add(self, session: Session, run: Run, ending: Ending, next_run_id: str, keeps_token: bool = False) -> Run:
        """One run, as it will be stored; `next_run_id` is queued behind it, if any is.

        A runtime that ended its run may ask again with its token and get the same answer; any other end kills the
        token.
        """
        tx = self._tx
        written = self._write_reply(session, run, ending)
        told = [*written, StateChanged(run.state, ending.state, ending.actor, ending.reason)]
        for sequence, event in enumerate(told, run.event_count + 1):
            self._events.append(run_events.row_of(run.id, sequence, tx.now_ms, event))
        fence = run.fence if keeps_token else run.fence + 1
        changes = _changes(run, ending, tx.now_ms, event_count=run.event_count + len(told), fence=fence)
        self._runs.append({"id": run.id, **changes})
        self._sessions.append(_counted(session, run, ending, next_run_id, len(written), tx.now_ms))
        tx.notify(run_events.run_topic(run.id))
        if session.active_run_id == run.id:
            self._give_turn(run, next_run_id)
        if not keeps_token and run.state in LEASED_STATES:
            tx.notify(STOP_TOPIC)
        return run._replace(**changes)

    def store(self) -> None:
        """Write all of it."""
        tx = self._tx
        messages.insert_rows(tx, self._messages)
        run_events.insert_rows(tx, self._events)
        tx.store(_FINISH, self._runs)
        tx.store(_COUNT, self._sessions)
        tx.store(_READY, self._next)

    def _write_reply(self, session: Session, run: Run, ending: Ending) -> list[Event]:
        """The reply becomes a message of the transcript; silence leaves none."""
        if not ending.reply:
            return []
        draft = Draft(Role.ASSISTANT, (Text(ending.reply),), run_id=run.id, model=run.model, usage=ending.usage)
        sequence = session.last_sequence + 1
        message = Message(message_id(session.session_id, sequence), sequence, self._tx.now_ms, draft)
        place = messages.place_of(session.generation, sequence)
        self._messages.append(messages.row_of(place, message))
        return [MessageWritten(place)]

    def _give_turn(self, ended: Run, next_run_id: str) -> None:
        """The head of a session's queue has ended."""
        if next_run_id:
            self._next.append({"id": next_run_id, "is_ready": 1})
            # It is for the same runtimes, unless its agent was configured anew; those find it with their next look.
            tell_of_turn(self._tx, bool(ended.is_external))
        self._tx.notify(SLOT_TOPIC)


def _changes(run: Run, ending: Ending, now_ms: int, *, event_count: int, fence: int) -> dict[str, Any]:
    """What a run's row says of its end."""
    usage, failure = ending.usage or run.usage, ending.failure
    return {
        "state": str(ending.state),
        "version": run.version + 1,
        "end_ms": now_ms,
        "reply": ending.reply,
        "is_skipped": int(ending.is_skipped),
        "failure_reason": failure.reason if failure else None,
        "failure_message": failure.message if failure else "",
        "failure_retryable": int(failure.is_retryable) if failure else 0,
        "end_actor": ending.actor,
        "end_reason": ending.reason,
        "event_count": event_count,
        "fence": fence,
        "is_ready": 0,
        "due_ms": None,
        **(usage_columns(usage) if usage else _NO_USAGE),
    }


def _counted(session: Session, run: Run, ending: Ending, next_run_id: str, written: int, now_ms: int) -> dict[str, Any]:
    """What happened, as the session's row counts it, and who is the head of its queue now."""
    tokens, total = _tokens(ending.usage or run.usage), session.total_tokens
    head, head_state = session.active_run_id, session.active_run_state
    if head == run.id:
        head, head_state = next_run_id, _QUEUED if next_run_id else None
    return {
        "id": session.id,
        "last_sequence": session.last_sequence + written,
        "unfinished_runs": session.unfinished_runs - 1,
        "updated_ms": now_ms,
        "aborted_last_run": int(ending.state is RunState.CANCELLED),
        "system_sent": 1,
        "total_tokens": total if tokens is None else (total or 0) + tokens,
        "active_run_id": head,
        "active_run_state": head_state,
    }


def _tokens(usage: Usage | None) -> int | None:
    return None if usage is None else usage.total_tokens or usage.input_tokens + usage.output_tokens


_QUEUED = RunState.QUEUED.value
_NO_USAGE = dict.fromkeys(("input_tokens", "output_tokens", "total_tokens", "cost_usd"))
_CHANGED = (
    *("state", "version", "end_ms", "reply", "is_skipped", "failure_reason", "failure_message", "failure_retryable"),
    *("end_actor", "end_reason", "event_count", "fence", "is_ready", "due_ms", *_NO_USAGE),
)
_FINISH = ChangedRows("end runs", table, _CHANGED, key="id")
_COUNT = ChangedRows(
    "count runs that ended on their sessions",
    sessions,
    [
        *("last_sequence", "unfinished_runs", "updated_ms", "aborted_last_run", "system_sent", "total_tokens"),
        *("active_run_id", "active_run_state"),
    ],
    key="id",
    counter="version",
)
_READY = ChangedRows("let the next runs of sessions have their turn", table, ["is_ready"], key="id")
