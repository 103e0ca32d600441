"""Numbers at the edges of their types, and of the service's own bounds."""

from __future__ import annotations

import random
from typing import Any

from google.protobuf.descriptor import FieldDescriptor

BOUNDS = (0, 1, 2, 5, 6, 20, 21, 55, 60, 61, 100, 101, 200, 201, 1000, 1001, 3600, 3601, 86_400)
EDGES = {
    FieldDescriptor.CPPTYPE_UINT32: (0, 2**16, 2**31 - 1, 2**31, 2**32 - 1),
    FieldDescriptor.CPPTYPE_INT32: (-1, 0, 2**31 - 1, -(2**31)),
    FieldDescriptor.CPPTYPE_INT64: (-1, 0, 2**31, 2**53 + 1, 2**63 - 1, -(2**63)),
    FieldDescriptor.CPPTYPE_UINT64: (0, 2**63, 2**64 - 1),
}
FLOATS = (0.0, -0.0, 1.5, -1.0, 1e308, 5e-324, 2.0**53 + 2, float("nan"), float("inf"), float("-inf"))
# What is waited for is rather not waited for long: a caller that waits does no harm.
SENSIBLE = {
    **dict.fromkeys(("timeout_seconds", "max_wait_seconds", "wait_seconds"), (0, 0, 0, 1)),
    "run_timeout_seconds": (1, 2),
    "heartbeat_seconds": (1, 15, 60),
    "first_sequence": (1, 1, 2),
    "max_ping_pong_turns": (0, 1, 5),
}


def number(rng: random.Random, field: FieldDescriptor, is_nasty: bool) -> int:
    """A value of an integer field: one that makes sense for its name, or one at an edge."""
    if not is_nasty:
        return rng.choice(SENSIBLE.get(field.name, (1, 2, 5, 20)))
    return rng.choice((*BOUNDS, *EDGES[field.cpp_type], *EDGES[field.cpp_type]))


def floating(rng: random.Random, is_nasty: bool) -> float:
    """A value of a floating field."""
    return rng.choice(FLOATS) if is_nasty else rng.random()


def one_of_enum(rng: random.Random, enum: Any, is_nasty: bool) -> int:
    """A number of an enum: one that it has, or one that nobody ever gave it."""
    if is_nasty:
        return rng.choice((0, -1, 99, 2**31 - 1, -(2**31)))
    numbers: list[int] = [value.number for value in enum.values if value.number]
    return rng.choice(numbers)
