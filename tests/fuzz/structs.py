"""Arguments of tool calls: JSON in protobuf's form, right or odd."""

from __future__ import annotations

import random

from google.protobuf.struct_pb2 import Struct

from tests.fuzz.edges import floating
from tests.fuzz.texts import nasty

LEVELS = (0, 0, 1, 3, 20, 40)  # each is two of the hundred that protobuf reads; more of them come as bytes


def struct(rng: random.Random, is_nasty: bool) -> Struct:
    """Some fields, each nested as deep as chance wants."""
    made = Struct()
    for at in range(rng.randrange(4)):
        value = made.fields[nasty(rng) if is_nasty else f"a{at}"]
        for _ in range(rng.choice(LEVELS)):
            value = value.list_value.values.add()
        match rng.randrange(5):
            case 0:
                value.number_value = floating(rng, is_nasty)
            case 1:
                value.string_value = nasty(rng)
            case 2:
                value.null_value = 0  # type: ignore[assignment] # the only value that it has
            case 3:
                value.bool_value = True
    return made
