"""Ids that grow with time, as those that services and gateways give out: rows made together lie together."""

from __future__ import annotations

import uuid
from random import Random


def growing_uuid(at_ms: int, rng: Random) -> str:
    """A version 7 UUID of a moment."""
    value = at_ms << 80 | rng.getrandbits(80)
    value = value & ~(0xF << 76) | 0x7 << 76
    return str(uuid.UUID(int=value & ~(0x3 << 62) | 0x2 << 62))


def growing_number(at_ms: int, rng: Random) -> int:
    """A moment and enough chance that no two sessions share one."""
    return at_ms << 40 | rng.getrandbits(40)
