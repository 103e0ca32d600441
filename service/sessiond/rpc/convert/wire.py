"""Answers put together from messages that are serialised already.

The parts of a serialised message may simply stand one after the other, so a long list of what lies ready as bytes is
copied into an answer rather than parsed and serialised again.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain, repeat

from google.protobuf.message import Message

_LENGTH_DELIMITED = 2
_SEVEN_BITS = 0x7F
_MORE = 0x80


def with_entries(rest: bytes, field: int, entries: Sequence[bytes]) -> bytes:
    """A serialised message with these serialised messages added to its field of this number, which may have several."""
    heads = map(_head, repeat(field), map(len, entries))
    return rest + b"".join(chain.from_iterable(zip(heads, entries, strict=True)))


def number_of(message: type[Message], field: str) -> int:
    """The number of a field in its message."""
    number: int = message.DESCRIPTOR.fields_by_name[field].number
    return number


@lru_cache(maxsize=4096)
def _head(field: int, size: int) -> bytes:
    """What stands before an entry: its field and its length."""
    return _varint(field << 3 | _LENGTH_DELIMITED) + _varint(size)


def _varint(value: int) -> bytes:
    """Seven bits a byte, the lowest first; all but the last byte say that there are more."""
    written = bytearray()
    while value > _SEVEN_BITS:
        written.append(value & _SEVEN_BITS | _MORE)
        value >>= 7
    written.append(value)
    return bytes(written)
