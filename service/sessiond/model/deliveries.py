"""One outgoing text for one frozen route, and what becomes of it (D1-D3)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from sessiond.model.sessions import Routed

FIRST_BACKOFF_MS = 1_000
MAX_BACKOFF_MS = 300_000
# A delivery that backs off for longer than this no longer holds up the next one of its route.
PATIENCE_MS = 60_000


class DeliveryState(StrEnum):
    """Where a delivery stands; never a boolean."""

    PENDING = "pending"
    LEASED = "leased"
    UNCONFIRMED = "unconfirmed"
    DELIVERED = "delivered"
    SUPPRESSED = "suppressed"
    DEAD = "dead"

    @property
    def is_final(self) -> bool:
        """Whether it has an outcome; an owner can still bring a dead one back."""
        return self in (DeliveryState.DELIVERED, DeliveryState.SUPPRESSED, DeliveryState.DEAD)


OPEN_STATES = (DeliveryState.PENDING, DeliveryState.UNCONFIRMED, DeliveryState.LEASED)


@dataclass(frozen=True, slots=True)
class Delivery(Routed):
    """One row of deliveries, in the order in which the store selects it."""

    id: str
    exchange_id: str
    run_id: str
    step: str
    session: int
    route_channel: str
    route_to: str
    route_account_id: str
    route_thread_id: str
    text: str
    state: str
    suppressed_reason: str
    policy_rule: str
    attempts: int
    next_attempt_ms: int | None
    last_failure: str
    receipt: str
    possibly_delivered: int
    lease_token: str
    lease_expires_ms: int | None
    give_up_ms: int
    created_ms: int
    end_ms: int | None

    @property
    def delivery_state(self) -> DeliveryState:
        """The state as the model's word."""
        return DeliveryState(self.state)

    @property
    def is_final(self) -> bool:
        """Whether it has an outcome."""
        return self.delivery_state.is_final


def backoff_ms(attempts: int, retry_after_ms: int = 0) -> int:
    """How long to wait after so many failed attempts; a provider that asks for more gets it."""
    usual: int = FIRST_BACKOFF_MS * 2 ** min(max(attempts - 1, 0), 20)
    return max(min(usual, MAX_BACKOFF_MS), retry_after_ms)
