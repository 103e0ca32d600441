"""PostgreSQL's pipeline: statements whose answers nobody looks at are sent with the next one that somebody does.

Every wait for an answer costs more than most statements: a round trip, and Python's lock given away and waited for.
"""

from __future__ import annotations

import logging
from typing import Any

from sessiond.store.transaction import Row

# At the end of a pipeline in which something went wrong it tells that once more; we have told it by then.
logging.getLogger("psycopg").setLevel(logging.ERROR)


class PipelinedCursor:
    """Looks like one cursor, but has one for each statement: answers come later, and each to its own.

    Answers come in binary, which costs half as much to read.
    """

    def __init__(self, driver: Any, pipeline: Any) -> None:
        self._driver = driver
        self._pipeline = pipeline
        self._latest: Any = None

    @property
    def rowcount(self) -> int:
        """How many rows the latest statement changed."""
        self._pipeline.sync()
        count: int = self._latest.rowcount
        return count

    def execute(self, sql: str, params: Any = None) -> None:
        """Send a statement, or put it on the pile."""
        self._latest = self._driver.cursor(binary=True)
        self._latest.execute(sql, params)

    def executemany(self, sql: str, params: Any) -> None:
        """The same, with each of these."""
        self._latest = self._driver.cursor(binary=True)
        self._latest.executemany(sql, params)

    def fetchall(self) -> list[Row]:
        """Wait for the rows of the latest statement."""
        rows: list[Row] = self._latest.fetchall()
        return rows

    def fetchone(self) -> Row | None:
        """Wait for the first of them."""
        row: Row | None = self._latest.fetchone()
        return row
