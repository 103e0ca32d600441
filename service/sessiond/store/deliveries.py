"""Delivery rows: the outbox, handed out under leases, oldest of each route first (D1-D3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from typing import Any

import sqlalchemy as sa

from sessiond.model.deliveries import OPEN_STATES, PATIENCE_MS, Delivery, DeliveryState
from sessiond.model.exchanges import Suppressed
from sessiond.model.sessions import Route
from sessiond.store import sessions
from sessiond.store.schema import deliveries
from sessiond.store.sessions import route_columns
from sessiond.store.statement import Statement, insert
from sessiond.store.transaction import Tx

DELIVERY_TOPIC = "deliveries"
COLUMNS = [deliveries.c[field.name] for field in fields(Delivery)]


@dataclass(frozen=True)
class NewDelivery:
    """A text on its way out, or the reason why it does not go."""

    id: str
    exchange_id: str
    run_id: str
    step: str
    session: int
    route: Route | None
    text: str
    give_up_ms: int
    suppressed: Suppressed | None = None
    policy_rule: str = ""


@dataclass(frozen=True)
class PlacedDelivery:
    """A delivery and the key of its session."""

    delivery: Delivery
    session_key: str


def placed(tx: Tx, delivery: Delivery) -> PlacedDelivery:
    """The delivery with the key of its session."""
    return PlacedDelivery(delivery, sessions.get(tx, delivery.session).key)


def create(tx: Tx, new: NewDelivery) -> Delivery | None:
    """Write the row of a step, once; None when it is there already."""
    ended = new.suppressed is not None
    row = tx.row(
        _CREATE,
        id=new.id,
        exchange_id=new.exchange_id,
        run_id=new.run_id,
        step=new.step,
        session=new.session,
        text=new.text,
        state=(DeliveryState.SUPPRESSED if ended else DeliveryState.PENDING).value,
        suppressed_reason=new.suppressed.value if new.suppressed else "",
        policy_rule=new.policy_rule,
        next_attempt_ms=None if ended else tx.now_ms,
        give_up_ms=new.give_up_ms,
        created_ms=tx.now_ms,
        end_ms=tx.now_ms if ended else None,
        **route_columns(new.route),
    )
    tx.notify(DELIVERY_TOPIC)
    return Delivery(*row) if row else None


def get(tx: Tx, delivery_id: str, lock: bool = False) -> Delivery | None:
    """The delivery of this id."""
    row = tx.row(_GET_LOCKED if lock else _GET, delivery_id=delivery_id)
    return Delivery(*row) if row else None


def next_ones(tx: Tx, channels: Sequence[str], limit: int) -> list[Delivery]:
    """What may be taken now, locked: the oldest of each route that nothing before it holds up."""
    wanted = {"now": tx.now_ms, "patience": tx.now_ms + PATIENCE_MS, "limit": limit}
    if not channels:
        return [Delivery(*row) for row in tx.rows(_NEXT, **wanted)]
    asked = [tx.ask(_NEXT_OF_CHANNEL, channel=channel, **wanted) for channel in dict.fromkeys(channels)]
    found = [Delivery(*row) for rows in asked for row in rows()]
    return sorted(found, key=lambda each: (each.created_ms, each.id))[:limit]


def change(tx: Tx, delivery: Delivery, **values: Any) -> Delivery:
    """Set these columns."""
    columns = tuple(sorted(values))
    row = tx.row(_change(columns), id_=delivery.id, **{f"new_{name}": values[name] for name in columns})
    assert row is not None  # noqa: S101 - its row is locked by this transaction
    tx.notify(DELIVERY_TOPIC)
    return Delivery(*row)


def unanswered(tx: Tx, limit: int) -> list[Delivery]:
    """Leased ones whose gateway did not answer in time."""
    return [Delivery(*row) for row in tx.rows(_UNANSWERED, now=tx.now_ms, limit=limit)]


def given_up(tx: Tx, limit: int) -> list[Delivery]:
    """Open ones that have been tried for long enough."""
    return [Delivery(*row) for row in tx.rows(_GIVEN_UP, now=tx.now_ms, limit=limit)]


def has_open(tx: Tx, run_id: str) -> bool:
    """Whether a text of this run has no outcome yet."""
    return tx.row(_OPEN_OF, run=run_id) is not None


def has_open_from(tx: Tx, session: int) -> bool:
    """Whether a text out of this session has no outcome yet."""
    return tx.row(_OPEN_FROM, session=session) is not None


@dataclass(frozen=True)
class DeliveryFilter:
    """What a list is narrowed to; empty = any."""

    states: tuple[DeliveryState, ...] = ()
    exchange_id: str = ""
    run_id: str = ""
    session: int | None = None


def page(tx: Tx, wanted: DeliveryFilter, after: tuple[int, str] | None, limit: int) -> list[Delivery]:
    """Deliveries, the newest first, after a position."""
    named = {"exchange_id": wanted.exchange_id, "run_id": wanted.run_id, "session": wanted.session}
    params: dict[str, Any] = {"limit": limit} | {name: value for name, value in named.items() if value}
    statement = _page(wanted.states, tuple(sorted(params)), after is not None)
    if after is not None:
        params["after_ms"], params["after_id"] = after
    return [Delivery(*row) for row in tx.rows(statement, **params)]


def delete_of(tx: Tx, session: int, limit: int) -> int:
    """Remove some deliveries of a session; tells how many went."""
    return tx.changed(_DELETE_SOME, session=session, limit=limit)


def _of_states(*states: DeliveryState) -> sa.ColumnElement[bool]:
    return deliveries.c.state.in_([sa.literal_column(f"'{state.value}'") for state in states])


_limit = sa.bindparam("limit", type_=sa.BigInteger)
_ROUTE = ("route_channel", "route_to", "route_account_id", "route_thread_id")
_CREATE = Statement(
    "write the delivery of a step, once",
    insert(
        deliveries,
        [
            *("id", "exchange_id", "run_id", "step", "session", "text", "state", "suppressed_reason", "policy_rule"),
            *("next_attempt_ms", "give_up_ms", "created_ms", "end_ms", *_ROUTE),
        ],
        ignore_conflicts=True,
    ).returning(*COLUMNS),
)
_by_id = sa.select(*COLUMNS).where(deliveries.c.id == sa.bindparam("delivery_id"))
_GET = Statement("a delivery", _by_id)
_GET_LOCKED = Statement("a delivery, locked", _by_id.with_for_update())
_UNANSWERED = Statement(
    "leased deliveries whose gateway did not answer",
    sa.select(*COLUMNS)
    .where(_of_states(DeliveryState.LEASED), deliveries.c.lease_expires_ms <= sa.bindparam("now"))
    .order_by(deliveries.c.lease_expires_ms)
    .limit(_limit)
    .with_for_update(skip_locked=True),
)
_GIVEN_UP = Statement(
    "open deliveries that have been tried for long enough",
    sa.select(*COLUMNS)
    .where(_of_states(DeliveryState.PENDING, DeliveryState.UNCONFIRMED), deliveries.c.give_up_ms <= sa.bindparam("now"))
    .order_by(deliveries.c.give_up_ms)
    .limit(_limit)
    .with_for_update(skip_locked=True),
)
_OPEN_OF = Statement(
    "an open delivery of a run",
    sa.select(deliveries.c.id).where(deliveries.c.run_id == sa.bindparam("run"), _of_states(*OPEN_STATES)).limit(1),
)
_OPEN_FROM = Statement(
    "an open delivery of a session",
    sa.select(deliveries.c.id)
    .where(deliveries.c.session == sa.bindparam("session"), _of_states(*OPEN_STATES))
    .limit(1),
)
_some = sa.select(deliveries.c.id).where(deliveries.c.session == sa.bindparam("session")).limit(_limit)
_DELETE_SOME = Statement("remove some deliveries of a session", sa.delete(deliveries).where(deliveries.c.id.in_(_some)))


def _none_of_route(other: sa.FromClause, *conditions: sa.ColumnElement[bool]) -> sa.ColumnElement[bool]:
    """Whether no delivery on the same route is like that.

    A query for one, not NOT EXISTS: that PostgreSQL takes for a join, which it works out by comparing all with all.
    """
    same_route = [other.c[name] == deliveries.c[name] for name in _ROUTE]
    first = sa.select(other.c.id).where(*same_route, *conditions).limit(1).correlate(deliveries)
    return first.scalar_subquery().is_(None)


def _next_ones(of_channel: bool) -> Statement:
    """In an order that an index has, so that it ends with the last one that is taken, however many wait."""
    before, leased = deliveries.alias("before"), deliveries.alias("leased")
    # Compared as rows: of an OR, SQLite would look for one side in an index of all that were ever delivered.
    own_age, age = sa.tuple_(deliveries.c.created_ms, deliveries.c.id), sa.tuple_(before.c.created_ms, before.c.id)
    is_before = age < own_age
    is_next = sa.or_(
        before.c.state == sa.literal_column("'leased'"), before.c.next_attempt_ms <= sa.bindparam("patience")
    )
    is_open = before.c.state.in_([sa.literal_column(f"'{state.value}'") for state in OPEN_STATES])
    found = (
        sa.select(*COLUMNS)
        .where(
            _of_states(DeliveryState.PENDING, DeliveryState.UNCONFIRMED),
            deliveries.c.next_attempt_ms <= sa.bindparam("now"),
            _none_of_route(before, is_open, is_before, is_next),
            _none_of_route(leased, leased.c.state == sa.literal_column("'leased'")),
        )
        .limit(_limit)
        .with_for_update(skip_locked=True, of=deliveries)
    )
    if of_channel:
        found = found.where(deliveries.c.route_channel == sa.bindparam("channel")).order_by(deliveries.c.created_ms)
    else:
        found = found.order_by(deliveries.c.give_up_ms)
    return Statement("the deliveries that may be taken now", found)


_NEXT, _NEXT_OF_CHANNEL = _next_ones(of_channel=False), _next_ones(of_channel=True)


@lru_cache
def _change(columns: tuple[str, ...]) -> Statement:
    values = {name: sa.bindparam(f"new_{name}", type_=deliveries.c[name].type) for name in columns}
    changed = sa.update(deliveries).where(deliveries.c.id == sa.bindparam("id_")).values(values)
    return Statement("change a delivery", changed.returning(*COLUMNS))


@lru_cache
def _page(states: tuple[DeliveryState, ...], named: tuple[str, ...], goes_on: bool) -> Statement:
    found = sa.select(*COLUMNS).order_by(deliveries.c.created_ms.desc(), deliveries.c.id).limit(_limit)
    for name in named:
        if name != "limit":
            found = found.where(deliveries.c[name] == sa.bindparam(name))
    if states:
        found = found.where(_of_states(*states))
    if goes_on:
        after_ms = sa.bindparam("after_ms", type_=sa.BigInteger)
        found = found.where(
            deliveries.c.created_ms <= after_ms,
            sa.or_(deliveries.c.created_ms < after_ms, deliveries.c.id > sa.bindparam("after_id")),
        )
    return Statement("a page of deliveries, newest first", found)
