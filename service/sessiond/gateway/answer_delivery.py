"""AckDelivery and NackDelivery: what became of a text that a gateway took (D2, D3)."""

from __future__ import annotations

from dataclasses import dataclass

from sessiond.egress import end, moved
from sessiond.model.deliveries import Delivery, DeliveryState, backoff_ms
from sessiond.model.errors import DeliveryNotFound, FieldProblem, InvalidField, LeaseLost
from sessiond.store import deliveries
from sessiond.store.database import Database
from sessiond.store.deliveries import PlacedDelivery
from sessiond.store.transaction import Tx

MAX_TEXT = 1024


@dataclass(frozen=True)
class AckQuery:
    """The text was sent."""

    delivery_id: str
    lease_token: str
    receipt: str = ""


@dataclass(frozen=True)
class NackQuery:
    """The text was not sent."""

    delivery_id: str
    lease_token: str
    reason: str = ""
    permanent: bool = False
    retry_after_s: int = 0


async def ack_delivery(db: Database, query: AckQuery) -> PlacedDelivery:
    """DELIVERED; asked again with the same token, the same answer."""
    _check(query.delivery_id, query.lease_token, "receipt", query.receipt)
    return await db.write(lambda tx: _ack(tx, query))


async def nack_delivery(db: Database, query: NackQuery) -> PlacedDelivery:
    """PENDING again after a while, or DEAD."""
    _check(query.delivery_id, query.lease_token, "reason", query.reason)
    return await db.write(lambda tx: _nack(tx, query))


def _check(delivery_id: str, lease_token: str, name: str, text: str) -> None:
    problems = [
        FieldProblem(field, "is required")
        for field, value in (("delivery_id", delivery_id), ("lease_token", lease_token))
        if not value
    ]
    if len(text) > MAX_TEXT:
        problems.append(FieldProblem(name, f"is longer than {MAX_TEXT} characters"))
    if problems:
        raise InvalidField(*problems)


def _ack(tx: Tx, query: AckQuery) -> PlacedDelivery:
    held = _held(tx, query.delivery_id, query.lease_token)
    # An answer that comes after the lease has ended is still the truth about this text, as long as nobody else has it.
    if held.state in (DeliveryState.LEASED, DeliveryState.UNCONFIRMED):
        held = end(tx, held, DeliveryState.DELIVERED, receipt=query.receipt, next_attempt_ms=None)
    elif held.state != DeliveryState.DELIVERED:
        raise LeaseLost
    return deliveries.placed(tx, held)


def _nack(tx: Tx, query: NackQuery) -> PlacedDelivery:
    held = _held(tx, query.delivery_id, query.lease_token)
    if held.state == DeliveryState.PENDING or (held.state == DeliveryState.DEAD and held.last_failure == query.reason):
        return deliveries.placed(tx, held)  # a repeat
    if held.state not in (DeliveryState.LEASED, DeliveryState.UNCONFIRMED):
        raise LeaseLost
    next_ms = tx.now_ms + backoff_ms(held.attempts, query.retry_after_s * 1000)
    if query.permanent or next_ms >= held.give_up_ms:
        return deliveries.placed(tx, end(tx, held, DeliveryState.DEAD, last_failure=query.reason))
    changed = deliveries.change(
        tx,
        held,
        state=DeliveryState.PENDING.value,
        next_attempt_ms=next_ms,
        last_failure=query.reason,
        lease_expires_ms=None,
    )
    moved(tx, changed)
    return deliveries.placed(tx, changed)


def _held(tx: Tx, delivery_id: str, lease_token: str) -> Delivery:
    found = deliveries.get(tx, delivery_id, lock=True)
    if found is None:
        raise DeliveryNotFound
    if found.lease_token != lease_token:
        raise LeaseLost
    return found
