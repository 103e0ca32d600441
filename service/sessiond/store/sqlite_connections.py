"""How a SQLite connection is set up, and which of its errors are the surroundings' fault."""

from __future__ import annotations

import sqlite3
import time

import sqlalchemy as sa

BUSY_TIMEOUT_MS = 10_000
_PRAGMAS = (
    "PRAGMA synchronous=FULL",
    f"PRAGMA busy_timeout={BUSY_TIMEOUT_MS}",
    "PRAGMA foreign_keys=ON",
    "PRAGMA cache_size=-65536",
    "PRAGMA temp_store=MEMORY",
)
_RETRY_S = 0.005
_PRIMARY_CODE = 0xFF  # the part of SQLite's error codes that says the kind
_OUTAGES = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_PROTOCOL,
        sqlite3.SQLITE_READONLY,
    }
)


def prepare(driver: sqlite3.Connection, _record: object) -> None:
    """Make sure that nothing begins a transaction but ourselves, and that a commit is on the disk."""
    driver.isolation_level = None
    _switch_to_wal(driver)
    for pragma in _PRAGMAS:
        driver.execute(pragma).fetchall()


def own_connection(engine: sa.Engine) -> sqlite3.Connection:
    """A connection that is nobody's but the caller's."""
    connection = engine.raw_connection()
    driver = connection.driver_connection
    connection.detach()
    assert isinstance(driver, sqlite3.Connection)  # noqa: S101 - tells the type checker what the dialect gives
    return driver


def is_outage(problem: BaseException) -> bool:
    """Whether SQLite refused because of where it runs, not because of what it was asked."""
    return _kind_of(problem) in _OUTAGES


def is_busy(problem: BaseException) -> bool:
    """Whether another program has the file."""
    return _kind_of(problem) == sqlite3.SQLITE_BUSY


def _switch_to_wal(driver: sqlite3.Connection) -> None:
    """Unlike for any other lock SQLite does not wait here, where programs that make one file at once meet."""
    give_up = time.monotonic() + BUSY_TIMEOUT_MS / 1000
    while True:
        try:
            driver.execute("PRAGMA journal_mode=WAL").fetchall()
        except sqlite3.OperationalError as problem:
            if not is_busy(problem) or time.monotonic() > give_up:
                raise
            time.sleep(_RETRY_S)
        else:
            return


def _kind_of(problem: BaseException) -> int:
    code: int = getattr(problem, "sqlite_errorcode", sqlite3.SQLITE_OK)
    return code & _PRIMARY_CODE
