"""New ids: unguessable, and growing with time so that rows made together lie together."""

from __future__ import annotations

import os
import threading
import time

_POOL_BYTES = 4096
_RANDOM_DIGITS = 20  # 16 for an id, and 4 for where a millisecond's count begins
_VARIANTS = dict(zip("0123456789abcdef", "89ab" * 4, strict=True))


class _Pool(threading.local):
    """Random digits of the system, fetched many at a time: a call for each id costs more than all the rest of it."""

    def __init__(self) -> None:
        self.digits = ""
        self.used = 0
        self.millis = 0
        self.first = ""  # what an id of this millisecond begins with
        self.count = 0  # how many were made in it, from a random start on

    def forget(self) -> None:
        """What is left must not be used in two processes."""
        self.digits = ""
        self.used = 0


_pool = _Pool()
os.register_at_fork(after_in_child=_pool.forget)


def new_id() -> str:
    """A random id that sorts by the time it was made at (a version 7 UUID)."""
    pool, millis = _pool, time.time_ns() // 1_000_000
    start = pool.used
    if start + _RANDOM_DIGITS > len(pool.digits):
        pool.digits, start = os.urandom(_POOL_BYTES).hex(), 0
    pool.used = start + _RANDOM_DIGITS
    random = pool.digits[start : pool.used]  # nobody else gets them
    if millis != pool.millis:
        digits = f"{millis:012x}"
        pool.millis, pool.first = millis, f"{digits[:8]}-{digits[8:]}-7"
        pool.count = int(random[16:], 16) % 0xF00
    else:
        pool.count = (pool.count + 1) & 0xFFF
    return f"{pool.first}{pool.count:03x}-{_VARIANTS[random[0]]}{random[1:4]}-{random[4:16]}"
