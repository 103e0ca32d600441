"""ListDeliveries, RetryDelivery and DiscardDelivery: an operator's view of the outbox (D3)."""

from __future__ import annotations

from dataclasses import dataclass

from sessiond.access import find_session, view_of
from sessiond.egress import end, moved
from sessiond.model.callers import Caller
from sessiond.model.deliveries import Delivery, DeliveryState
from sessiond.model.errors import DeliveryNotFound, DeliveryStateRefused, invalid
from sessiond.model.exchanges import Suppressed
from sessiond.model.paging import page_token, position_of
from sessiond.model.rules import Rules
from sessiond.store import deliveries, exchanges
from sessiond.store.database import Database
from sessiond.store.deliveries import DeliveryFilter, PlacedDelivery
from sessiond.store.transaction import Tx

DEFAULT_LIMIT = 100
MAX_LIMIT = 200
PAGE_BYTES = 3 * 1024 * 1024


@dataclass(frozen=True)
class ListQuery:
    """Which deliveries to list; empty = any."""

    states: tuple[DeliveryState, ...] = ()
    exchange_id: str = ""
    run_id: str = ""
    reference: str = ""
    limit: int | None = None
    page_token: str = ""


@dataclass(frozen=True)
class DeliveryPage:
    """One page, the newest first."""

    deliveries: list[PlacedDelivery]
    next_page_token: str
    limit_applied: int


async def list_deliveries(db: Database, rules: Rules, caller: Caller, query: ListQuery) -> DeliveryPage:
    """A page of deliveries, cut where it would grow too large."""
    return await db.read(lambda tx: _page(tx, rules, caller, query))


async def retry_delivery(db: Database, rules: Rules, delivery_id: str) -> PlacedDelivery:
    """Back to PENDING, to be offered at once."""
    return await db.write(lambda tx: _retry(tx, rules, delivery_id))


async def discard_delivery(db: Database, delivery_id: str) -> PlacedDelivery:
    """Given up for good."""
    return await db.write(lambda tx: _discard(tx, delivery_id))


def _page(tx: Tx, rules: Rules, caller: Caller, query: ListQuery) -> DeliveryPage:
    limit = min(query.limit or DEFAULT_LIMIT, MAX_LIMIT)
    request = (tuple(sorted(query.states)), query.exchange_id, query.run_id, query.reference)
    position = position_of(query.page_token, (int, str), *request)
    view = view_of(tx, rules, caller)
    session = find_session(tx, rules, view, query.reference).id if query.reference else None
    wanted = DeliveryFilter(tuple(sorted(set(query.states))), query.exchange_id, query.run_id, session)
    found = deliveries.page(tx, wanted, (position[0], position[1]) if position else None, limit + 1)
    shown = _fitting(found[:limit])
    token = page_token([shown[-1].created_ms, shown[-1].id], *request) if len(found) > len(shown) else ""
    return DeliveryPage([deliveries.placed(tx, each) for each in shown], token, limit)


def _fitting(found: list[Delivery]) -> list[Delivery]:
    room = PAGE_BYTES
    for number, each in enumerate(found):
        room -= len(each.text.encode())
        if room < 0 and number:
            return found[:number]
    return found


def _retry(tx: Tx, rules: Rules, delivery_id: str) -> PlacedDelivery:
    found = _found(tx, delivery_id)
    if found.state not in (DeliveryState.DEAD, DeliveryState.UNCONFIRMED):
        raise DeliveryStateRefused(found.state, "dead or unconfirmed")
    changed = deliveries.change(
        tx,
        found,
        state=DeliveryState.PENDING.value,
        next_attempt_ms=tx.now_ms,
        give_up_ms=tx.now_ms + rules.deliveries.give_up_ms,
        end_ms=None,
    )
    if found.exchange_id:
        exchanges.reopen(tx, found.exchange_id)
    moved(tx, changed)
    return deliveries.placed(tx, changed)


def _discard(tx: Tx, delivery_id: str) -> PlacedDelivery:
    found = _found(tx, delivery_id)
    if found.state in (DeliveryState.DELIVERED, DeliveryState.SUPPRESSED):
        raise DeliveryStateRefused(found.state, "not final, or dead")
    reason = Suppressed.DISCARDED.value
    return deliveries.placed(tx, end(tx, found, DeliveryState.SUPPRESSED, suppressed_reason=reason))


def _found(tx: Tx, delivery_id: str) -> Delivery:
    if not delivery_id:
        raise invalid("delivery_id", "is required")
    found = deliveries.get(tx, delivery_id, lock=True)
    if found is None:
        raise DeliveryNotFound
    return found
