"""What happens to a run, as its waiters are told (W5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sessiond.model.deliveries import Delivery


@dataclass(frozen=True)
class StateChanged:
    """The run went from one state to another; from None when it was just made."""

    kind: ClassVar[str] = "state"
    from_state: str | None
    to_state: str
    actor: str
    reason: str = ""


@dataclass(frozen=True)
class MessageWritten:
    """The run wrote a message; `place` is where it lies in the transcript."""

    kind: ClassVar[str] = "message"
    place: int


@dataclass(frozen=True)
class Delta:
    """A piece of what the model is writing."""

    kind: ClassVar[str] = "delta"
    text: str


@dataclass(frozen=True)
class TurnTaken:
    """The run's exchange went on to its next run; turn 0 is an announcement."""

    kind: ClassVar[str] = "turn"
    exchange_id: str
    turn: int
    session_key: str
    run_id: str


@dataclass(frozen=True)
class DeliveryMoved:
    """A delivery of the run, or of its exchange, was written or changed its state."""

    kind: ClassVar[str] = "delivery"
    delivery: Delivery
    session_key: str


Event = StateChanged | MessageWritten | Delta | TurnTaken | DeliveryMoved
