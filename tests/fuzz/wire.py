"""Requests as bytes: what no client of ours would write, but anybody can."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache

from google.protobuf.descriptor import Descriptor, FieldDescriptor

from tests.fuzz.texts import MIB

VARINT, FIXED64, LENGTH, GROUP, END_GROUP, FIXED32 = range(6)
ENTRIES = 100_000
ROOM = 4 * MIB - 4096  # what a request may take, but for what goes before and after
STRUCT = "google.protobuf.Struct"
SEARCHED = 5
NO_TEXTS = (b"\xff\xfe", b"\xed\xa0\x80", b"\xc0\x80", b"\xf5")  # in no encoding of Unicode

Path = tuple[FieldDescriptor, ...]


def varint(value: int) -> bytes:
    """A number as protobuf writes it."""
    written = bytearray()
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*written, value])


def field(number: int, data: bytes) -> bytes:
    """A field of this number that holds these bytes."""
    return varint(number << 3 | LENGTH) + varint(len(data)) + data


def mangled(rng: random.Random, data: bytes) -> bytes:
    """The same with something wrong in it."""
    at = rng.randrange(len(data) + 1)
    match rng.randrange(7):
        case 0:
            return data[:at]
        case 1:
            return data[:at] + rng.randbytes(rng.randrange(1, 9)) + data[at:]
        case 2:
            return data[:at] + rng.randbytes(1) + data[at + 1 :]
        case 3:
            return data + data
        case 4:
            return data + field(rng.randrange(1, 12), rng.choice((*NO_TEXTS, data)))
        case 5:
            return data + unknown(rng)
    return data[at:] + data[:at]


def unknown(rng: random.Random) -> bytes:
    """Fields that nobody knows, whole or not."""
    number = rng.choice((15, 99, 19_000, 2**29 - 1, 2**29, 0))
    tail = rng.choice((b"", b"\x00", b"\xff" * 10, b"\xff" * 11, b"\x80" * 9 + b"\x01", b"\x08\x01"))
    return varint(number << 3 | rng.randrange(8)) + tail


def garbage(rng: random.Random) -> bytes:
    """No message at all."""
    return rng.randbytes(rng.choice((1, 2, 5, 20, 300, 5000)))


def crowded(rng: random.Random, message: Descriptor) -> bytes:
    """A repeated field with as many entries as a request has room for; nothing where there is none."""
    paths = [path for path in paths_of(message) if path[-1].is_repeated]
    if not paths:
        return b""
    path = rng.choice(paths)
    last = path[-1]
    if last.type in (FieldDescriptor.TYPE_STRING, FieldDescriptor.TYPE_BYTES, FieldDescriptor.TYPE_MESSAGE):
        entry = field(last.number, rng.choice((b"", b"", b"main")) if last.message_type is None else b"")
        return within(path[:-1], entry * min(ENTRIES, ROOM // len(entry)))
    packed = varint(rng.choice((0, 1, 1, 2, 99))) * rng.choice((ENTRIES, ROOM))
    return within(path[:-1], field(last.number, packed))


def deep(rng: random.Random, message: Descriptor) -> bytes:
    """A Struct nested up to protobuf's bound and beyond; nothing where the request has room for none."""
    paths = [path for path in paths_of(message) if _is_struct(path[-1])]
    if not paths:
        return b""
    value = b"" if rng.random() < 0.5 else field(3, b"deep")
    for _ in range(rng.choice((10, 30, 44, 45, 46, 47, 48, 49, 50, 51, 100, 1000, 5000))):
        in_list = rng.random() < 0.9
        value = field(6, field(1, value)) if in_list else field(5, field(1, field(1, b"a") + field(2, value)))
    return within(rng.choice(paths), field(1, field(1, b"a") + field(2, value)))


@cache
def paths_of(message: Descriptor) -> tuple[Path, ...]:
    """Every way to a field of a message, and of the messages in it."""
    return tuple(_paths(message, SEARCHED))


def _paths(message: Descriptor, depth: int) -> Iterator[Path]:
    for each in message.fields:
        yield (each,)
        if depth and each.message_type is not None and not _is_struct(each):
            yield from ((each, *path) for path in _paths(each.message_type, depth - 1))


def _is_struct(each: FieldDescriptor) -> bool:
    return each.message_type is not None and each.message_type.full_name == STRUCT


def within(path: Path, data: bytes) -> bytes:
    """The bytes of a field inside of all the messages that lead to it."""
    for each in reversed(path):
        data = field(each.number, data)
    return data
