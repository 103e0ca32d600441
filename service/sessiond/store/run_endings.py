"""The one place where a run ends: its state, its reply, its event and the next run's turn (R1, R7).

All of it is told to the database without a look at an answer, so that the ends of many runs cost one round trip.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from sessiond.model.events import Event, MessageWritten, StateChanged
from sessiond.model.messages import Draft, Role, Text, Usage
from sessiond.model.runs import LEASED_STATES, Ending, Run, RunState
from sessiond.model.sessions import Session
from sessiond.store import messages, run_events
from sessiond.store.run_leases import STOP_TOPIC, usage_columns
from sessiond.store.run_queue import SLOT_TOPIC, queue_topic
from sessiond.store.schema import runs as table
from sessiond.store.schema import sessions
from sessiond.store.statement import Rows, Statement
from sessiond.store.transaction import Tx


def finish(tx: Tx, session: Session, run: Run, ending: Ending, keeps_token: bool = False) -> Run:
    """End the run; the caller holds the session's and the run's row and has their newest state.

    A runtime that ended its run may ask again with its token and get the same answer; any other end kills the token.
    """
    written = _write_reply(tx, session, run, ending)
    changed = StateChanged(run.state, ending.state, ending.actor, ending.reason)
    count = run_events.append(tx, run.id, run.event_count, [*written, changed])
    usage = ending.usage or run.usage
    changes: dict[str, Any] = {
        "state": ending.state.value,
        "version": run.version + 1,
        "end_ms": tx.now_ms,
        "reply": ending.reply,
        "is_skipped": int(ending.is_skipped),
        "failure_reason": ending.failure.reason if ending.failure else None,
        "failure_message": ending.failure.message if ending.failure else "",
        "failure_retryable": int(ending.failure.is_retryable) if ending.failure else 0,
        "end_actor": ending.actor,
        "end_reason": ending.reason,
        "event_count": count,
        "fence": run.fence if keeps_token else run.fence + 1,
        "is_ready": 0,
        "due_ms": None,
        **(usage_columns(usage) if usage else _NO_USAGE),
    }
    tx.store(_FINISH, [{"id": run.id, **changes}])
    tx.notify(run_events.end_topic(run.id))
    _next_turn(tx, session, run, ending, len(written))
    if not keeps_token and run.state in LEASED_STATES:
        tx.notify(STOP_TOPIC)
    return run._replace(**changes)


_NO_USAGE = dict.fromkeys(("input_tokens", "output_tokens", "total_tokens", "cost_usd"))


def _write_reply(tx: Tx, session: Session, run: Run, ending: Ending) -> list[Event]:
    """The reply becomes a message of the transcript; silence leaves none."""
    if not ending.reply:
        return []
    draft = Draft(Role.ASSISTANT, (Text(ending.reply),), run_id=run.id, model=run.model, usage=ending.usage)
    (message,) = messages.insert_next(tx, session, [draft])
    return [MessageWritten(messages.place_of(session.generation, message.sequence))]


def _next_turn(tx: Tx, session: Session, run: Run, ending: Ending, written: int) -> None:
    """Let the session's next queued run have its turn, and count what happened on the session's row."""
    counted = {
        "id_": session.id,
        "now": tx.now_ms,
        "written": written,
        "aborted": int(ending.state is RunState.CANCELLED),
        "tokens": _tokens(ending.usage or run.usage),
    }
    if session.active_run_id != run.id:
        tx.run(_COUNT_BEHIND, **counted)
        return
    if session.unfinished_runs > 1:
        tx.run(_READY_NEXT, session=session.id, ended=run.run_order)
        tx.run(_COUNT_AND_NEXT, session=session.id, ended=run.run_order, **counted)
        tx.notify(queue_topic(bool(run.is_external)))  # the next one's too, unless its agent was configured anew
    else:
        tx.run(_COUNT_LAST, **counted)
    tx.notify(SLOT_TOPIC)


def _tokens(usage: Usage | None) -> int | None:
    return None if usage is None else usage.total_tokens or usage.input_tokens + usage.output_tokens


_CHANGED = (
    *("state", "version", "end_ms", "reply", "is_skipped", "failure_reason", "failure_message", "failure_retryable"),
    *("end_actor", "end_reason", "event_count", "fence", "is_ready", "due_ms", *_NO_USAGE),
)
_FINISH = Rows("end runs", table, _CHANGED, key="id")
_next = (
    sa.select(table.c.id)
    .where(
        table.c.session == sa.bindparam("session"),
        table.c.run_order > sa.bindparam("ended"),  # not from the oldest on: those ended long ago
        table.c.state == sa.literal_column("'queued'"),
    )
    .order_by(table.c.run_order)
    .limit(1)
    .scalar_subquery()
)
_READY_NEXT = Statement(
    "let the next run of a session have its turn", sa.update(table).where(table.c.id == _next).values(is_ready=1)
)


def _count(purpose: str, **head: Any) -> Statement:
    counted = (
        sa.update(sessions)
        .where(sessions.c.id == sa.bindparam("id_"))
        .values(
            last_sequence=sessions.c.last_sequence + sa.bindparam("written"),
            unfinished_runs=sessions.c.unfinished_runs - 1,
            updated_ms=sa.bindparam("now"),
            aborted_last_run=sa.bindparam("aborted"),
            system_sent=1,
            version=sessions.c.version + 1,
            total_tokens=sa.case(
                (sa.bindparam("tokens", type_=sa.BigInteger).is_(sa.null()), sessions.c.total_tokens),
                else_=sa.func.coalesce(sessions.c.total_tokens, sa.literal_column("0"))
                + sa.bindparam("tokens", type_=sa.BigInteger),
            ),
            **head,
        )
    )
    return Statement(purpose, counted)


_COUNT_BEHIND = _count("count a finished run that was not the head of its queue")
_COUNT_LAST = _count("count the only run of a session as finished", active_run_id="", active_run_state=sa.null())
_COUNT_AND_NEXT = _count(
    "count a finished run and note the next as head",
    active_run_id=sa.func.coalesce(_next, sa.literal_column("''")),
    active_run_state=sa.case((_next.is_not(None), RunState.QUEUED.value)),
)
