"""The makers of requests: they reach every field, and a seed tells all that they make."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from google.protobuf.message import DecodeError, Message

from tests.fuzz import wire
from tests.fuzz.finds import Finds
from tests.fuzz.generator import PURGING, Generator
from tests.fuzz.methods import Method, all_methods
from tests.fuzz.shots import Shooter

METHODS = [method for method in all_methods() if method.is_ours]
TRIES, FEW = 300, 20


def rng(seed: str = "any") -> random.Random:
    return random.Random(seed)  # noqa: S311 - not for secrets


def names_in(message: Message) -> Iterator[str]:
    """The fields that are set, here and in the messages within."""
    for field, value in message.ListFields():
        yield f"{message.DESCRIPTOR.name}.{field.name}"
        for part in value if field.is_repeated else [value]:
            if isinstance(part, Message) and part.DESCRIPTOR.file.package != "google.protobuf":
                yield from names_in(part)


@pytest.mark.parametrize("method", METHODS, ids=lambda method: str(method.name))
def test_every_field_of_every_request_is_tried(method: Method) -> None:
    generator = Generator(rng(), Finds(), may_purge=True)
    wanted = {".".join(path[-1].full_name.split(".")[-2:]) for path in wire.paths_of(method.request)}

    tried = {name for _ in range(TRIES) for name in names_in(generator.request(method.request))}

    assert {name for name in wanted if not name.startswith(("Timestamp.", "FieldMask."))} <= tried


def test_nothing_is_purged_unless_it_may_be() -> None:
    generator = Generator(rng(), Finds(), may_purge=False)

    tried = {name for _ in range(FEW) for method in METHODS for name in names_in(generator.request(method.request))}

    assert not tried & PURGING


def test_a_seed_tells_every_shot() -> None:
    first, second = (Shooter(rng("one"), Finds(), may_purge=True) for _ in range(2))

    assert [first.next() for _ in range(TRIES)] == [second.next() for _ in range(TRIES)]


def test_structs_are_nested_up_to_what_can_be_read_and_beyond() -> None:
    chat = next(method for method in METHODS if method.name == "ChatSend")
    chance = rng()

    read = [_is_read(chat, wire.deep(chance, chat.request)) for _ in range(100)]

    assert {True, False} == set(read)


def test_a_repeated_field_is_filled_as_far_as_a_request_goes() -> None:
    listing = next(method for method in METHODS if method.name == "SessionsList")
    chance = rng()

    sizes = {len(wire.crowded(chance, listing.request)) for _ in range(20)}

    assert max(sizes) > wire.ROOM > min(sizes) >= wire.ENTRIES


def _is_read(method: Method, data: bytes) -> bool:
    try:
        method.read_request(data)
    except DecodeError:
        return False
    return True
