"""New ids: unguessable, and growing with time so that rows made together lie together."""

from __future__ import annotations

import os
import threading
import time

_POOL_BYTES = 4096
_VARIANTS = dict(zip("0123456789abcdef", "89ab" * 4, strict=True))


class _Pool(threading.local):
    """Random digits of the system, fetched many at a time: a call for each id costs more than all the rest of it."""

    def __init__(self) -> None:
        self._digits = ""
        self._used = 0
        self._millis = 0
        self._first = ""
        self._count = 0

    def first(self, millis: int) -> str:
        """The part of an id that says when: it counts what is made in one millisecond, from a random start on."""
        if millis != self._millis:
            digits = f"{millis:012x}"
            self._millis, self._first = millis, f"{digits[:8]}-{digits[8:]}-7"
            self._count = int(self.take(4), 16) % 0xF00
        else:
            self._count = (self._count + 1) & 0xFFF
        return f"{self._first}{self._count:03x}"

    def take(self, count: int) -> str:
        """Digits that nobody else gets."""
        start, self._used = self._used, self._used + count
        if self._used > len(self._digits):
            self._digits, start, self._used = os.urandom(_POOL_BYTES).hex(), 0, count
        return self._digits[start : self._used]

    def forget(self) -> None:
        """What is left must not be used in two processes."""
        self._digits = ""
        self._used = 0


_pool = _Pool()
os.register_at_fork(after_in_child=_pool.forget)


def new_id() -> str:
    """A random id that sorts by the time it was made at (a version 7 UUID)."""
    random = _pool.take(16)
    return f"{_pool.first(time.time_ns() // 1_000_000)}-{_VARIANTS[random[0]]}{random[1:4]}-{random[4:]}"
