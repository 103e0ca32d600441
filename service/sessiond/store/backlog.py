"""How far behind the work is: the oldest of what should have been done by now."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from sessiond.model.runs import Pool
from sessiond.store.runs import LEASED
from sessiond.store.schema import deliveries, runs
from sessiond.store.statement import Statement
from sessiond.store.transaction import Tx


@dataclass(frozen=True)
class Oldest:
    """One thing that waits, and since when."""

    id: str
    age_s: float


@dataclass(frozen=True)
class Backlog:
    """What waits longest of each kind; None when nothing of the kind waits."""

    queued_run: Oldest | None
    overdue_run: Oldest | None
    open_delivery: Oldest | None
    unanswered_delivery: Oldest | None

    @property
    def age_s(self) -> float:
        """The age of the oldest of all."""
        found = (self.queued_run, self.overdue_run, self.open_delivery, self.unanswered_delivery)
        return max((each.age_s for each in found if each is not None), default=0.0)


def backlog(tx: Tx) -> Backlog:
    """What waits longest now; every kind is the first entry of an index."""
    queued = [_oldest(tx, _QUEUED, is_external=external, pool=pool.value) for external in (0, 1) for pool in Pool]
    return Backlog(
        queued_run=max(filter(None, queued), key=lambda each: each.age_s, default=None),
        overdue_run=_oldest(tx, _OVERDUE, now=tx.now_ms),
        open_delivery=_oldest(tx, _OPEN),
        unanswered_delivery=_oldest(tx, _UNANSWERED, now=tx.now_ms),
    )


def dead_deliveries(tx: Tx) -> int:
    """How many deliveries were given up and wait for an owner; reads them all, so it is nothing to ask often."""
    row = tx.row(_DEAD)
    return int(row[0]) if row else 0


def _oldest(tx: Tx, statement: Statement, **params: object) -> Oldest | None:
    row = tx.row(statement, **params)
    return Oldest(row[0], max(0, tx.now_ms - row[1]) / 1000) if row else None


_now = sa.bindparam("now", type_=sa.BigInteger)
_QUEUED = Statement(
    "the run that has been ready longest",
    sa.select(runs.c.id, runs.c.queue_ms)
    .where(
        runs.c.is_ready == sa.literal_column("1"),
        runs.c.is_external == sa.bindparam("is_external", type_=sa.BigInteger),
        runs.c.pool == sa.bindparam("pool"),
    )
    .order_by(runs.c.queue_ms)
    .limit(1),
)
_OVERDUE = Statement(
    "the leased run that has been overdue longest",
    sa.select(runs.c.id, runs.c.due_ms).where(LEASED, runs.c.due_ms <= _now).order_by(runs.c.due_ms).limit(1),
)
_RESTING = deliveries.c.state.in_([sa.literal_column(f"'{state}'") for state in ("pending", "unconfirmed")])
_OPEN = Statement(
    "the delivery that has been open longest",
    sa.select(deliveries.c.id, deliveries.c.created_ms).where(_RESTING).order_by(deliveries.c.give_up_ms).limit(1),
)
_UNANSWERED = Statement(
    "the delivery whose gateway has been silent longest",
    sa.select(deliveries.c.id, deliveries.c.lease_expires_ms)
    .where(deliveries.c.state == sa.literal_column("'leased'"), deliveries.c.lease_expires_ms <= _now)
    .order_by(deliveries.c.lease_expires_ms)
    .limit(1),
)
_DEAD = Statement(
    "how many deliveries are dead",
    sa.select(sa.func.count()).select_from(deliveries).where(deliveries.c.state == sa.literal_column("'dead'")),
)
