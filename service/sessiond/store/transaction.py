"""An open transaction: the only thing through which queries run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from sqlalchemy.engine.interfaces import Dialect

from sessiond.store.statement import Statement

Row = tuple[Any, ...]


class Cursor(Protocol):
    """What is used of a driver's cursor."""

    @property
    def rowcount(self) -> int: ...
    def execute(self, sql: str, params: Any = ..., /) -> object: ...
    def executemany(self, sql: str, params: Any, /) -> object: ...
    def fetchall(self) -> list[Row]: ...
    def fetchone(self) -> Row | None: ...


class Tx:
    """A transaction on one database; `now_ms` is that database's clock when it began."""

    __slots__ = ("_cursor", "_dialect", "has_written", "now_ms", "topics")

    def __init__(self, cursor: Cursor, dialect: Dialect, now_ms: int) -> None:
        self._cursor = cursor
        self._dialect = dialect
        self.now_ms = now_ms
        self.topics: list[str] = []
        self.has_written = False

    @property
    def database(self) -> str:
        """`sqlite` or `postgresql`."""
        return self._dialect.name

    def rows(self, statement: Statement, **params: Any) -> list[Row]:
        """All rows."""
        self._execute(statement, params)
        return self._cursor.fetchall()

    def row(self, statement: Statement, **params: Any) -> Row | None:
        """The first row, if any."""
        self._execute(statement, params)
        return self._cursor.fetchone()

    def run(self, statement: Statement, **params: Any) -> int:
        """Change rows; tells how many."""
        self._execute(statement, params)
        return self._cursor.rowcount

    def run_many(self, statement: Statement, params: Iterable[Mapping[str, Any]]) -> int:
        """Change rows, once for each set of parameters; tells how many."""
        compiled = statement.on(self._dialect)
        bound = [compiled.bind(each) for each in params]
        if not bound:
            return 0
        self.has_written = True
        self._cursor.executemany(compiled.sql, bound)
        return self._cursor.rowcount

    def notify(self, topic: str) -> None:
        """Wake whoever listens to the topic, once this transaction is committed."""
        self.topics.append(topic)

    def _execute(self, statement: Statement, params: dict[str, Any]) -> None:
        compiled = statement.on(self._dialect)
        self.has_written |= compiled.writes
        self._cursor.execute(compiled.sql, compiled.bind(params))
