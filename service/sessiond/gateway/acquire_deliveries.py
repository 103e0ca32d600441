"""AcquireDeliveries: outgoing texts, leased to a gateway, the oldest of each route first (D2)."""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import dataclass

from sessiond.egress import end, moved, verdict_on
from sessiond.model.deliveries import Delivery, DeliveryState
from sessiond.model.errors import FieldProblem, InvalidField
from sessiond.model.exchanges import Suppressed
from sessiond.model.rules import Rules
from sessiond.store import deliveries, sessions
from sessiond.store.database import Database
from sessiond.store.deliveries import DELIVERY_TOPIC, PlacedDelivery
from sessiond.store.transaction import Tx
from sessiond.waiting import DRAIN_TOPIC, Waits

DEFAULT_LIMIT = 10
MAX_WAIT_S = 55
MAX_CHANNELS = 100
# One answer stays below the 4 MiB that a client takes by default.
ANSWER_BYTES = 3 * 1024 * 1024
# Backoffs end, and hints get lost, without a word to this process; then the next look finds the delivery.
POLL_S = 1.0


@dataclass(frozen=True)
class AcquireQuery:
    """Which texts a gateway can send, and how long it waits for one."""

    channels: tuple[str, ...] = ()
    limit: int = 0
    wait_s: float = 0


async def acquire_deliveries(db: Database, rules: Rules, waits: Waits, query: AcquireQuery) -> list[PlacedDelivery]:
    """Lease what may go now; with a wait, as soon as something may."""
    _check(query)
    loop = asyncio.get_running_loop()
    until = loop.time() + query.wait_s
    with waits.wake.listen(DELIVERY_TOPIC, DRAIN_TOPIC) as changed:
        while True:
            changed.clear()
            taken = [] if waits.is_draining else await db.write(lambda tx: _take(tx, rules, query))
            left = until - loop.time()
            if taken or left <= 0 or waits.is_draining:
                return taken
            await changed.wait_at_most(min(left, POLL_S))


def _check(query: AcquireQuery) -> None:
    problems = []
    if query.wait_s > MAX_WAIT_S:
        problems.append(FieldProblem("wait_seconds", f"is more than {MAX_WAIT_S}; ask again instead"))
    if len(query.channels) > MAX_CHANNELS or not all(query.channels):
        problems.append(FieldProblem("channels", f"names no channel, or more than {MAX_CHANNELS}"))
    if problems:
        raise InvalidField(*problems)


def _take(tx: Tx, rules: Rules, query: AcquireQuery) -> list[PlacedDelivery]:
    limit = min(query.limit or DEFAULT_LIMIT, rules.deliveries.max_per_acquire)
    taken: list[PlacedDelivery] = []
    room = ANSWER_BYTES
    routes = set()
    for found in deliveries.next_ones(tx, query.channels, limit):
        room -= len(found.text.encode())
        if found.route in routes or (room < 0 and taken):
            continue
        routes.add(found.route)
        leased = _lease(tx, rules, found)
        if leased is not None:
            taken.append(leased)
    return taken


def _lease(tx: Tx, rules: Rules, found: Delivery) -> PlacedDelivery | None:
    """Hand it out, unless the policy has changed its mind since it was written (Q3)."""
    session = sessions.get(tx, found.session)
    verdict = verdict_on(rules, session)
    if not verdict.allowed:
        reason = Suppressed.POLICY.value
        end(tx, found, DeliveryState.SUPPRESSED, suppressed_reason=reason, policy_rule=verdict.rule)
        return None
    leased = deliveries.change(
        tx,
        found,
        state=DeliveryState.LEASED.value,
        attempts=found.attempts + 1,
        lease_token=secrets.token_urlsafe(18),
        lease_expires_ms=tx.now_ms + rules.deliveries.lease_ms,
    )
    moved(tx, leased)
    return PlacedDelivery(leased, session.key)
