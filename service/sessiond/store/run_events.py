"""A run's events: one gap-free sequence, counted on the run's row while that row is locked (W1, W5).

A global serial would not do: on PostgreSQL numbers are given before the commit, so a reader could pass one by.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from sessiond.model.events import Event, MessageWritten
from sessiond.store import codec
from sessiond.store.rows import NewRows
from sessiond.store.schema import messages, run_events
from sessiond.store.statement import Statement
from sessiond.store.transaction import Row, Tx


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """One event as stored: `body` is its serialised form, or for an appended message that message's."""

    sequence: int
    at_ms: int
    kind: str
    body: bytes
    message: bytes | None


def append(tx: Tx, run_id: str, after: int, events: Sequence[Event]) -> int:
    """Append events after this sequence; returns the last one's, for the run's row."""
    rows = [row_of(run_id, sequence, tx.now_ms, event) for sequence, event in enumerate(events, after + 1)]
    insert_rows(tx, rows)
    tx.notify(run_topic(run_id))
    return after + len(rows)


def insert_rows(tx: Tx, rows: list[Row]) -> None:
    """Store events as `row_of` made them; who follows their runs is told by the caller, if anybody can."""
    tx.store(_INSERT, rows)


def ask_after(tx: Tx, run_id: str, sequence: int, limit: int) -> Callable[[], list[StoredEvent]]:
    """The next events after a sequence, in order; to be looked at later."""
    rows = tx.ask(_AFTER, run=run_id, sequence=sequence, limit=limit)
    return lambda: [StoredEvent(*row) for row in rows()]


def run_topic(run_id: str) -> str:
    """What is notified when something happened to a run."""
    return f"run:{run_id}"


def end_topic(run_id: str) -> str:
    """What is notified beside, when it has ended: most who wait for a run want to know nothing else."""
    return f"end:{run_id}"


def row_of(run_id: str, sequence: int, at_ms: int, event: Event) -> Row:
    """An event as it is stored."""
    place = event.place if isinstance(event, MessageWritten) else None
    return run_id, sequence, at_ms, event.kind, place, codec.encode_event(event)


_INSERT = NewRows("append events", run_events, ["run_id", "sequence", "at_ms", "kind", "message_place", "body"])
_AFTER = Statement(
    "the events of a run after a sequence",
    sa.select(
        run_events.c.sequence,
        run_events.c.at_ms,
        run_events.c.kind,
        run_events.c.body,
        messages.c.body.label("message"),
    )
    .join(messages, messages.c.place == run_events.c.message_place, isouter=True)
    .where(run_events.c.run_id == sa.bindparam("run"), run_events.c.sequence > sa.bindparam("sequence"))
    .order_by(run_events.c.sequence)
    .limit(sa.bindparam("limit", type_=sa.BigInteger)),
)
