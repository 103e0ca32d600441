"""What the holder of a lease may change, and which leases are over (R3-R6)."""

from __future__ import annotations

import sqlalchemy as sa

from sessiond.model.events import StateChanged
from sessiond.model.messages import Usage
from sessiond.model.runs import Run, RunState
from sessiond.store import run_events, runs
from sessiond.store.run_queue import set_head
from sessiond.store.schema import runs as table
from sessiond.store.statement import Statement
from sessiond.store.transaction import Tx

# Notified when a runtime is to stop a run, so that a built-in one does so at once.
STOP_TOPIC = "stop"


def extend(tx: Tx, run: Run, lease_ms: int) -> int:
    """Renew a lease; returns when it ends now. A run being cancelled keeps the end of its grace."""
    expires = tx.now_ms + lease_ms
    timeout = (run.start_ms or tx.now_ms) + run.timeout_ms if run.timeout_ms else expires
    due = run.due_ms if run.state == RunState.CANCELLING else min(expires, timeout)
    tx.run(_EXTEND, run_id=run.id, expires=expires, due=due)
    return expires


def note_progress(tx: Tx, run: Run, event_count: int, appended: int, usage: Usage | None) -> None:
    """Count what the runtime appended, and keep what it has used so far."""
    tx.run(_PROGRESS, run_id=run.id, count=event_count, new_appended=appended)
    if usage is not None:
        tx.run(_USAGE, run_id=run.id, **usage_columns(usage))


def ask_to_stop(tx: Tx, run: Run, actor: str, reason: str, grace_ms: int) -> None:
    """Tell a running run to stop; it has the grace to do so."""
    reason = reason or "CANCELLED"
    changed = StateChanged(run.state, RunState.CANCELLING, actor, reason)
    count = run_events.append(tx, run.id, run.event_count, [changed])
    tx.run(_ASK_TO_STOP, run_id=run.id, due=tx.now_ms + grace_ms, reason=reason, actor=actor, count=count)
    set_head(tx, run.session, run.id, RunState.CANCELLING)
    tx.notify(STOP_TOPIC)


def due(tx: Tx, limit: int) -> list[Run]:
    """Leased runs whose lease, timeout or grace is over, the longest overdue first."""
    return [runs.as_run(row) for row in tx.rows(_DUE, now=tx.now_ms, limit=limit)]


def usage_columns(usage: Usage) -> dict[str, object]:
    """Where a run's usage is stored; a total that was not told is the sum."""
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "total_tokens": usage.total_tokens or usage.input_tokens + usage.output_tokens,
        "cost_usd": usage.cost_usd,
    }


_mine = table.c.id == sa.bindparam("run_id")
_EXTEND = Statement(
    "renew a lease",
    sa.update(table).where(_mine).values(lease_expires_ms=sa.bindparam("expires"), due_ms=sa.bindparam("due")),
)
_PROGRESS = Statement(
    "count what a runtime appended",
    sa.update(table)
    .where(_mine)
    .values(event_count=sa.bindparam("count"), appended=sa.bindparam("new_appended"), version=table.c.version + 1),
)
_USAGE = Statement(
    "keep what a run has used so far",
    sa.update(table)
    .where(_mine)
    .values({name: sa.bindparam(name) for name in ("input_tokens", "output_tokens", "total_tokens", "cost_usd")}),
)
_ASK_TO_STOP = Statement(
    "tell a run to stop",
    sa.update(table)
    .where(_mine)
    .values(
        state=RunState.CANCELLING.value,
        version=table.c.version + 1,
        due_ms=sa.bindparam("due"),
        cancel_reason=sa.bindparam("reason"),
        cancel_actor=sa.bindparam("actor"),
        event_count=sa.bindparam("count"),
    ),
)
_DUE = Statement(
    "leased runs that are overdue",
    sa.select(*runs.COLUMNS)
    .where(runs.LEASED, table.c.due_ms <= sa.bindparam("now"))
    .order_by(table.c.due_ms)
    .limit(sa.bindparam("limit", type_=sa.BigInteger)),
)
