"""What is old: archives, purges and records that nobody needs any more (P11, R8); always in small batches."""

from __future__ import annotations

import sqlalchemy as sa

from sessiond.model.sessions import Session
from sessiond.store import deliveries, messages, runs, transcripts
from sessiond.store import sessions as session_rows
from sessiond.store.schema import exchanges, request_ids, sessions, traces
from sessiond.store.sessions import COLUMNS, as_session
from sessiond.store.statement import Statement
from sessiond.store.transaction import Tx


def idle_subagents(tx: Tx, before_ms: int, limit: int) -> list[Session]:
    """Live sub-agents that are done, and have been since before a time; locked."""
    return [as_session(row) for row in tx.rows(_IDLE, before=before_ms, limit=limit)]


def children_to_delete(tx: Tx, limit: int) -> list[Session]:
    """Children whose exchange is settled and that were to be deleted then; locked."""
    return [as_session(row) for row in tx.rows(_TO_DELETE, limit=limit)]


def archived_before(tx: Tx, before_ms: int, limit: int) -> list[Session]:
    """Sessions that have been archived since before a time, and are done; locked."""
    return [as_session(row) for row in tx.rows(_ARCHIVED, before=before_ms, limit=limit)]


def purge_some(tx: Tx, session: Session, limit: int) -> bool:
    """Remove a batch of what hangs on a session; the session itself goes with the last. Tells whether there is more."""
    generations = session_rows.generations(tx, session)
    for generation in generations:
        if messages.delete_some(tx, generation, limit):
            transcripts.note_removed(tx, [generation])
            return True
    if deliveries.delete_of(tx, session.id, limit) or runs.delete_some(tx, session.id, limit):
        return True
    tx.run(_DELETE_EXCHANGES, session=session.id)
    transcripts.note_removed(tx, generations)
    session_rows.delete(tx, session)
    return False


def forget_request_ids(tx: Tx, before_ms: int, limit: int) -> int:
    """Forget requests from before a time; tells how many."""
    return tx.changed(_FORGET_REQUESTS, before=before_ms, limit=limit)


def forget_traces(tx: Tx, before_ms: int, limit: int) -> int:
    """Forget traces from before a time; tells how many."""
    return tx.changed(_FORGET_TRACES, before=before_ms, limit=limit)


_limit = sa.bindparam("limit", type_=sa.BigInteger)
_before = sa.bindparam("before", type_=sa.BigInteger)
_open = exchanges.alias("open_exchange")
_is_open = sa.exists().where(_open.c.state == sa.literal_column("'open'"))
_done = sa.and_(
    sessions.c.unfinished_runs == 0,
    sa.not_(_is_open.where(_open.c.target_session == sessions.c.id)),
    sa.not_(_is_open.where(_open.c.requester_session == sessions.c.id)),
)
_IDLE = Statement(
    "live sub-agents that are done",
    sa.select(*COLUMNS)
    .where(
        sessions.c.is_archived == sa.literal_column("0"),
        sessions.c.spawn_depth > sa.literal_column("0"),
        sessions.c.kind == sa.literal_column("'other'"),
        sessions.c.updated_ms <= _before,
        _done,
    )
    .order_by(sessions.c.updated_ms)
    .limit(_limit)
    .with_for_update(skip_locked=True, of=sessions),
)
_TO_DELETE = Statement(
    "children that were to be deleted after their announce",
    sa.select(*COLUMNS)
    .join(exchanges, exchanges.c.target_session == sessions.c.id)
    .where(
        exchanges.c.cleanup == sa.literal_column("'delete'"),
        exchanges.c.state == sa.literal_column("'settled'"),
        _done,
    )
    .limit(_limit)
    .with_for_update(skip_locked=True, of=sessions),
)
_ARCHIVED = Statement(
    "sessions that were archived long ago",
    sa.select(*COLUMNS)
    .where(sessions.c.is_archived == sa.literal_column("1"), sessions.c.archived_ms <= _before, _done)
    .limit(_limit)
    .with_for_update(skip_locked=True, of=sessions),
)
_DELETE_EXCHANGES = Statement(
    "forget the exchanges for a session",
    sa.delete(exchanges).where(exchanges.c.target_session == sa.bindparam("session")),
)
_old_requests = (
    sa.select(request_ids.c.caller, request_ids.c.request_id).where(request_ids.c.created_ms < _before).limit(_limit)
)
_FORGET_REQUESTS = Statement(
    "forget old requests",
    sa.delete(request_ids).where(sa.tuple_(request_ids.c.caller, request_ids.c.request_id).in_(_old_requests)),
)
_old_traces = sa.select(traces.c.trace_id).where(traces.c.created_ms < _before).limit(_limit)
_FORGET_TRACES = Statement("forget old traces", sa.delete(traces).where(traces.c.trace_id.in_(_old_traces)))
