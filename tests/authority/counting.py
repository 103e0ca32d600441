"""What a call asks of the store: every statement by its purpose, with how many rows it brought or changed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import pytest

from sessiond.rpc import calls
from sessiond.store.database import Batch, Database, Item, Result, Work, alone
from sessiond.store.opening import open_database
from sessiond.store.rows import Given, Rows
from sessiond.store.statement import Statement
from sessiond.store.transaction import Row, Tx

T = TypeVar("T")


class Ledger:
    """The statements of calls; what the server does by itself is not among them."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, int]] = []

    async def of(self, answer: Awaitable[T]) -> tuple[T, list[tuple[str, int]]]:
        """An answer, and the statements that it took; one call at a time."""
        self.lines = []
        return await answer, self.lines


class NotedTx(Tx):
    """A transaction that writes down what is asked of it."""

    __slots__ = ("_ledger",)

    def __init__(self, tx: Tx, ledger: Ledger) -> None:
        super().__init__(tx._cursor, tx._dialect, tx.now_ms)
        self.topics = tx.topics
        self._ledger = ledger

    def rows(self, statement: Statement, **params: Any) -> list[Row]:
        """As always, and note how many."""
        found = super().rows(statement, **params)
        self._ledger.lines.append((statement.purpose, len(found)))
        return found

    def row(self, statement: Statement, **params: Any) -> Row | None:
        """As always, and note whether there is one."""
        found = super().row(statement, **params)
        self._ledger.lines.append((statement.purpose, int(found is not None)))
        return found

    def run(self, statement: Statement, **params: Any) -> None:
        """As always, and note it."""
        super().run(statement, **params)
        self._ledger.lines.append((statement.purpose, 0))

    def changed(self, statement: Statement, **params: Any) -> int:
        """As always, and note how many."""
        changed = super().changed(statement, **params)
        self._ledger.lines.append((statement.purpose, changed))
        return changed

    def run_many(self, statement: Statement, params: Iterable[Mapping[str, Any]]) -> None:
        """As always, and note how many."""
        known = list(params)
        super().run_many(statement, known)
        self._ledger.lines.append((statement.purpose, len(known)))

    def store(self, statement: Rows[Given], rows: Sequence[Given]) -> None:
        """As always, and note how many."""
        super().store(statement, rows)
        self._ledger.lines.append((statement.purpose, len(rows)))


class NotedDatabase:
    """A store that hands noted transactions to the works of calls."""

    def __init__(self, db: Database, ledger: Ledger) -> None:
        self._db = db
        self._ledger = ledger

    def __getattr__(self, name: str) -> Any:
        return getattr(self._db, name)

    async def write(self, work: Work[Result]) -> Result:
        """As always."""
        return await self._db.write(self._noted(work))

    async def write_together(self, batch: Batch[Item, Result], item: Item) -> Result:
        """Alone, so that it is known whose statements they are."""
        return await self.write(alone(batch, item))

    async def read(self, work: Work[Result]) -> Result:
        """As always."""
        return await self._db.read(self._noted(work))

    async def glance(self, work: Work[Result]) -> Result:
        """As a read, so that what is asked is noted once."""
        return await self.read(work)

    async def glance_together(self, batch: Batch[Item, Result], item: Item) -> Result:
        """Alone, so that it is known whose statements they are."""
        return await self.read(alone(batch, item))

    async def read_together(self, batch: Batch[Item, Result], item: Item) -> Result:
        """Alone, so that it is known whose statements they are."""
        return await self.read(alone(batch, item))

    def _noted(self, work: Work[Result]) -> Callable[[Tx], Result]:
        if calls._current.get(None) is None:
            return work

        def noted(tx: Tx) -> Result:
            own = NotedTx(tx, self._ledger)
            try:
                return work(own)
            finally:
                tx.has_written |= own.has_written

        return noted


def note_statements(monkeypatch: pytest.MonkeyPatch) -> Ledger:
    """Have servers that are started from now on note what calls ask of their store."""
    ledger = Ledger()

    async def opened(*args: Any, **named: Any) -> NotedDatabase:
        return NotedDatabase(await open_database(*args, **named), ledger)

    monkeypatch.setattr("sessiond.app.open_database", opened)
    return ledger
