"""Times, counts and presence."""

from __future__ import annotations

from collections.abc import Sized

from google.protobuf.message import Message
from google.protobuf.timestamp_pb2 import Timestamp

from sessiond.model.errors import invalid

MAX_UINT32 = 2**32 - 1
MAX_POLL_S = 55


def timestamp(millis: int) -> Timestamp:
    """An instant of the database's clock."""
    return Timestamp(seconds=millis // 1000, nanos=millis % 1000 * 1_000_000)


def timestamp_or_none(millis: int | None) -> Timestamp | None:
    """The same for an instant that may not have come yet."""
    return None if millis is None else timestamp(millis)


def count(value: int) -> int:
    """A counter in the contract's width."""
    return min(value, MAX_UINT32)


def count_or_none(value: int | None) -> int | None:
    """The same for a counter that may be unknown."""
    return None if value is None else count(value)


def at_most(limit: int, entries: Sized, field: str) -> None:
    """Refuse a list with more entries than anybody needs, before one of them is looked at (X6)."""
    if len(entries) > limit:
        raise invalid(field, f"has {len(entries)} entries, more than {limit}; use several calls")


def given(request: Message, field: str) -> int | None:
    """The value of an optional number; None when the caller did not set it."""
    return getattr(request, field) if request.HasField(field) else None


def before_deadline(wait_s: float, deadline_s: float | None) -> float:
    """How long to wait so that the answer is on its way before the caller gives up; too long a wait stays refused."""
    return wait_s if deadline_s is None or wait_s > MAX_POLL_S else min(wait_s, 0.8 * deadline_s)
