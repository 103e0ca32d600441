"""Rows of one table that are stored together, with one statement however many they are.

On SQLite the driver repeats the statement. On PostgreSQL each repetition would cost a message and a plan's start, so
there several rows are one parameter.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any, Generic, TypeVar

import sqlalchemy as sa
from pydantic_core import to_json
from sqlalchemy.engine.interfaces import Dialect

from sessiond.store.statement import Bound, Compiled

Given = TypeVar("Given")


class Rows(ABC, Generic[Given]):
    """How rows of a table are stored, each given as what its kind asks for."""

    def __init__(self, purpose: str, table: sa.Table, columns: Sequence[str]) -> None:
        self.purpose = purpose
        self.table = table
        self.columns = columns
        self._compiled: dict[str, Compiled] = {}
        self._compiled_list: Compiled | None = None

    def on(self, dialect: Dialect) -> Compiled:
        """The text for this database that takes one row."""
        found = self._compiled.get(dialect.name)
        if found is None:
            found = self._compiled[dialect.name] = self._single(dialect)
        return found

    def list_on(self, dialect: Dialect) -> Compiled:
        """The text whose one parameter is a list of rows; for PostgreSQL."""
        if self._compiled_list is None:
            self._compiled_list = self._listed(dialect)
        return self._compiled_list

    @abstractmethod
    def _single(self, dialect: Dialect) -> Compiled: ...

    @abstractmethod
    def _listed(self, dialect: Dialect) -> Compiled: ...

    def _name(self, dialect: Dialect) -> str:
        return dialect.identifier_preparer.quote(self.table.name)

    def _names(self, dialect: Dialect) -> list[str]:
        return [dialect.identifier_preparer.quote(name) for name in self.columns]

    def _from_list(self, dialect: Dialect, columns: Sequence[str]) -> list[str]:
        """The values of a list's row, by their places in it."""
        return [_typed(dialect, self.table.c[name].type, f"each ->> {place}") for place, name in enumerate(columns)]


class NewRows(Rows[tuple[Any, ...]]):
    """New rows, given as tuples in the order of the columns: they are many, and cheap to make like this."""

    def _single(self, dialect: Dialect) -> Compiled:
        names, marks = ", ".join(self._names(dialect)), ", ".join(_marks(dialect, len(self.columns)))
        return Compiled(f"INSERT INTO {self._name(dialect)} ({names}) VALUES ({marks})", tuple, writes=True)  # noqa: S608

    def _listed(self, dialect: Dialect) -> Compiled:
        names = ", ".join(self._names(dialect))
        values = ", ".join(self._from_list(dialect, self.columns))
        sql = f"INSERT INTO {self._name(dialect)} ({names}) SELECT {values} FROM {_EACH}"  # noqa: S608
        return Compiled(sql, _as_list, writes=True)


class ChangedRows(Rows[Mapping[str, Any]]):
    """Rows that are there, given by their key and the names of what changes; `counter` counts each change."""

    def __init__(self, purpose: str, table: sa.Table, columns: Sequence[str], key: str, counter: str = "") -> None:
        super().__init__(purpose, table, columns)
        self.key = key
        self.counter = counter
        self._in_order = itemgetter(*columns, key)

    def _single(self, dialect: Dialect) -> Compiled:
        *marks, key = _marks(dialect, len(self.columns) + 1)
        sql = f"{self._update(dialect, marks)} WHERE {self._key(dialect)} = {key}"
        return Compiled(sql, self._in_order, writes=True)

    def _listed(self, dialect: Dialect) -> Compiled:
        *values, key = self._from_list(dialect, [*self.columns, self.key])
        sql = f"{self._update(dialect, values)} FROM {_EACH} WHERE {self._name(dialect)}.{self._key(dialect)} = {key}"
        return Compiled(sql, lambda rows: _as_list(list(map(self._in_order, rows))), writes=True)

    def _update(self, dialect: Dialect, values: Sequence[str]) -> str:
        table = self._name(dialect)
        changes = [f"{name} = {value}" for name, value in zip(self._names(dialect), values, strict=True)]
        if self.counter:
            counter = dialect.identifier_preparer.quote(self.counter)
            changes.append(f"{counter} = {table}.{counter} + 1")
        return f"UPDATE {table} SET {', '.join(changes)}"  # noqa: S608

    def _key(self, dialect: Dialect) -> str:
        return dialect.identifier_preparer.quote(self.key)


def _marks(dialect: Dialect, count: int) -> list[str]:
    return [f"${number}" if dialect.name == "postgresql" else "?" for number in range(1, count + 1)]


def _as_list(rows: Sequence[Sequence[Any]]) -> Bound:
    """Rows as PostgreSQL takes them, in one parameter."""
    return (to_json(rows, bytes_mode="hex").decode(),)


def _typed(dialect: Dialect, type_: sa.types.TypeEngine[Any], text: str) -> str:
    """A value of a list, which is a text there whatever it is."""
    if isinstance(type_, sa.LargeBinary):
        return f"decode({text}, 'hex')"
    return f"({text})::{dialect.type_compiler_instance.process(type_)}"


_EACH = "jsonb_array_elements($1::jsonb) AS each"
