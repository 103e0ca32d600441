"""How a SQLite connection is set up: durable, in WAL mode, and patient where SQLite itself is not."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sessiond.store.sqlite_connections import is_outage, prepare

FULL = 2  # PRAGMA synchronous


class Contended(sqlite3.Connection):
    """A connection to a file that other programs are switching to WAL at the same moment."""

    refusals = 3

    def execute(self, sql: str, *params: Any) -> sqlite3.Cursor:
        if "journal_mode" in sql and self.refusals:
            self.refusals -= 1
            raise told(sqlite3.SQLITE_BUSY)
        return super().execute(sql, *params)


def told(code: int) -> sqlite3.OperationalError:
    """An error as SQLite reports it."""
    problem = sqlite3.OperationalError("not now")
    problem.sqlite_errorcode = code
    return problem


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[Contended]:
    """A new connection, in Python's own mode."""
    with closing(sqlite3.connect(tmp_path / "test.db", factory=Contended)) as connection:
        yield connection


def value(driver: sqlite3.Connection, pragma: str) -> object:
    return driver.execute(f"PRAGMA {pragma}").fetchone()[0]


def test_a_commit_is_on_the_disk(driver: Contended) -> None:  # X2
    prepare(driver, None)

    assert (value(driver, "journal_mode"), value(driver, "synchronous")) == ("wal", FULL)


def test_nothing_begins_a_transaction_but_ourselves(driver: Contended) -> None:
    prepare(driver, None)

    driver.execute("CREATE TABLE t (x)")
    driver.execute("INSERT INTO t VALUES (1)")

    assert not driver.in_transaction


def test_the_switch_to_wal_is_tried_until_nobody_is_in_the_way(driver: Contended) -> None:
    prepare(driver, None)

    assert driver.refusals == 0


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (sqlite3.SQLITE_FULL, True),
        (sqlite3.SQLITE_BUSY, True),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, True),
        (sqlite3.SQLITE_IOERR_FSYNC, True),
        (sqlite3.SQLITE_ERROR, False),
        (sqlite3.SQLITE_CONSTRAINT_UNIQUE, False),
    ],
)
def test_an_outage_is_told_from_a_mistake(code: int, expected: bool) -> None:  # X3
    assert is_outage(told(code)) is expected


def test_what_sqlite_did_not_say_is_no_outage() -> None:
    assert not is_outage(LookupError())
