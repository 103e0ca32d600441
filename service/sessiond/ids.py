"""New ids: unguessable, and growing with time so that rows made together lie together."""

from __future__ import annotations

import os
import threading
import time

_POOL_BYTES = 4096
_VARIANT = "89ab" * 4


class _Pool(threading.local):
    """Random bytes of the system, fetched many at a time: a call for each id costs more than all the rest of it."""

    def __init__(self) -> None:
        self._bytes = b""
        self._used = 0
        self._millis = 0
        self._count = 0

    def tick(self, millis: int) -> int:
        """Count what is made in one millisecond, from a random start on, so that ids keep the order of their making."""
        if millis != self._millis:
            self._millis, self._count = millis, int.from_bytes(self.take(2)) % 0xF00
        else:
            self._count = (self._count + 1) & 0xFFF
        return self._count

    def take(self, count: int) -> bytes:
        """Bytes that nobody else gets."""
        if self._used + count > len(self._bytes):
            self._bytes, self._used = os.urandom(_POOL_BYTES), 0
        self._used += count
        return self._bytes[self._used - count : self._used]

    def forget(self) -> None:
        """What is left must not be used in two processes."""
        self._bytes = b""
        self._used = 0


_pool = _Pool()
os.register_at_fork(after_in_child=_pool.forget)


def new_id() -> str:
    """A random id that sorts by the time it was made at (a version 7 UUID)."""
    now = time.time_ns() // 1_000_000
    millis, random = f"{now:012x}", _pool.take(8).hex()
    variant = _VARIANT[int(random[0], 16)]
    return f"{millis[:8]}-{millis[8:]}-7{_pool.tick(now):03x}-{variant}{random[1:4]}-{random[4:]}"


def new_trace_id() -> str:
    """A random id of a trace, as W3C writes it."""
    return _pool.take(16).hex()
