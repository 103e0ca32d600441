"""The one place where a run ends: a compare-and-set, its reply, its event and the next run's turn (R1, R7)."""

from __future__ import annotations

import sqlalchemy as sa

from sessiond.model.events import Event, MessageWritten, StateChanged
from sessiond.model.messages import Draft, Role, Text, Usage
from sessiond.model.runs import LEASED_STATES, Ending, Run, RunState
from sessiond.model.sessions import Session
from sessiond.store import messages, run_events, runs
from sessiond.store.run_leases import STOP_TOPIC, usage_columns
from sessiond.store.run_queue import QUEUE_TOPIC
from sessiond.store.schema import runs as table
from sessiond.store.schema import sessions
from sessiond.store.statement import Statement
from sessiond.store.transaction import Tx


def finish(tx: Tx, session: Session, run: Run, ending: Ending, keeps_token: bool = False) -> Run:
    """End the run; the caller holds the session's and the run's row and has their newest state.

    A runtime that ended its run may ask again with its token and get the same answer; any other end kills the token.
    """
    written = _write_reply(tx, session, run, ending)
    changed = StateChanged(run.state, ending.state, ending.actor, ending.reason)
    count = run_events.append(tx, run.id, run.event_count, [*written, changed])
    usage = ending.usage or run.usage
    row = tx.row(
        _FINISH,
        run_id=run.id,
        expected=run.version,
        new_state=ending.state.value,
        now=tx.now_ms,
        new_reply=ending.reply,
        skipped=int(ending.is_skipped),
        reason=ending.failure.reason if ending.failure else None,
        message=ending.failure.message if ending.failure else "",
        retryable=int(ending.failure.is_retryable) if ending.failure else 0,
        actor=ending.actor,
        why=ending.reason,
        count=count,
        fence_step=0 if keeps_token else 1,
        **(usage_columns(usage) if usage else _NO_USAGE),
    )
    assert row is not None  # noqa: S101 - its row is locked, so nobody else can have ended it
    tx.notify(run_events.end_topic(run.id))
    _next_turn(tx, session, run, ending, len(written))
    if not keeps_token and run.state in LEASED_STATES:
        tx.notify(STOP_TOPIC)
    return runs.as_run(row)


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
    was_head = session.active_run_id == run.id
    next_id, next_state = session.active_run_id, session.active_run_state
    if was_head:
        row = tx.row(_NEXT, session=session.id, ended=run.run_order) if session.unfinished_runs > 1 else None
        next_id, next_state = (row[0], RunState.QUEUED.value) if row else ("", None)
    tx.run(
        _COUNT_FINISHED,
        id_=session.id,
        now=tx.now_ms,
        written=written,
        head=next_id,
        head_state=next_state,
        aborted=int(ending.state is RunState.CANCELLED),
        tokens=_tokens(ending.usage or run.usage),
    )
    if was_head:  # the session's next run has its turn, or a slot came free for another session's
        tx.notify(QUEUE_TOPIC)


def _tokens(usage: Usage | None) -> int | None:
    return None if usage is None else usage.total_tokens or usage.input_tokens + usage.output_tokens


_FINISH = Statement(
    "end a run, once",
    sa.update(table)
    .where(table.c.id == sa.bindparam("run_id"), table.c.version == sa.bindparam("expected"), runs.UNFINISHED)
    .values(
        state=sa.bindparam("new_state"),
        version=table.c.version + 1,
        is_ready=0,
        end_ms=sa.bindparam("now"),
        reply=sa.bindparam("new_reply"),
        is_skipped=sa.bindparam("skipped"),
        failure_reason=sa.bindparam("reason"),
        failure_message=sa.bindparam("message"),
        failure_retryable=sa.bindparam("retryable"),
        end_actor=sa.bindparam("actor"),
        end_reason=sa.bindparam("why"),
        event_count=sa.bindparam("count"),
        fence=table.c.fence + sa.bindparam("fence_step"),
        due_ms=sa.null(),
        **{name: sa.bindparam(name, type_=table.c[name].type) for name in _NO_USAGE},
    )
    .returning(*runs.COLUMNS),
)
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
_NEXT = Statement(
    "let the next run of a session have its turn",
    sa.update(table).where(table.c.id == _next).values(is_ready=1).returning(table.c.id),
)
_COUNT_FINISHED = Statement(
    "count a finished run on its session",
    sa.update(sessions)
    .where(sessions.c.id == sa.bindparam("id_"))
    .values(
        last_sequence=sessions.c.last_sequence + sa.bindparam("written"),
        unfinished_runs=sessions.c.unfinished_runs - 1,
        updated_ms=sa.bindparam("now"),
        active_run_id=sa.bindparam("head"),
        active_run_state=sa.bindparam("head_state"),
        aborted_last_run=sa.bindparam("aborted"),
        system_sent=1,
        version=sessions.c.version + 1,
        total_tokens=sa.case(
            (sa.bindparam("tokens", type_=sa.BigInteger).is_(sa.null()), sessions.c.total_tokens),
            else_=sa.func.coalesce(sessions.c.total_tokens, sa.literal_column("0"))
            + sa.bindparam("tokens", type_=sa.BigInteger),
        ),
    ),
)
