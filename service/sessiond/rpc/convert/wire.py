"""Answers put together from messages that are serialised already.

The parts of a serialised message may simply stand one after the other, so a long list of what lies ready as bytes is
copied into an answer rather than parsed and serialised again.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from google.protobuf.message import Message

_LENGTH_DELIMITED = 2
_SEVEN_BITS = 0x7F
_MORE = 0x80
_USUAL_BYTES = 4096


def with_entries(rest: bytes, field: int, entries: Sequence[bytes]) -> bytes:
    """A serialised message with these serialised messages added to its field of this number, which may have several."""
    parts = [rest] * (1 + 2 * len(entries))
    parts[1::2] = map(_heads(field).__getitem__, map(len, entries))
    parts[2::2] = entries
    return b"".join(parts)


def number_of(message: type[Message], field: str) -> int:
    """The number of a field in its message."""
    number: int = message.DESCRIPTOR.fields_by_name[field].number
    return number


class _Heads(dict[int, bytes]):
    """What stands before an entry of this field: the field and the entry's length. Those of usual lengths are kept."""

    def __init__(self, field: int) -> None:
        super().__init__()
        self._tag = _varint(field << 3 | _LENGTH_DELIMITED)

    def __missing__(self, size: int) -> bytes:
        head = self._tag + _varint(size)
        if size <= _USUAL_BYTES:
            self[size] = head
        return head


_heads = cache(_Heads)


def _varint(value: int) -> bytes:
    """Seven bits a byte, the lowest first; all but the last byte say that there are more."""
    written = bytearray()
    while value > _SEVEN_BITS:
        written.append(value & _SEVEN_BITS | _MORE)
        value >>= 7
    written.append(value)
    return bytes(written)
