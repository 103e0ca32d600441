"""The database's clock, in integer milliseconds; both sides of every comparison come from it."""

from __future__ import annotations

import time
from collections.abc import Callable

Clock = Callable[[], int]

# PostgreSQL tells its own time in the same round trip that begins the transaction.
POSTGRESQL_CLOCK = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"
POSTGRESQL_NOW = f"SELECT {POSTGRESQL_CLOCK}"


def embedded_clock() -> int:
    """SQLite lives in this process, so its clock is the process's."""
    return time.time_ns() // 1_000_000
