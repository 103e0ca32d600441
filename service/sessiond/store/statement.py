"""Core statements, compiled once per database and then executed straight on the driver.

Building and compiling a statement costs several times its execution on SQLite; here it happens once per process.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine.default import DefaultDialect
from sqlalchemy.engine.interfaces import Dialect
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.base import Executable
from sqlalchemy.sql.compiler import SQLCompiler

SQLITE: DefaultDialect = sqlite.dialect()
POSTGRESQL: DefaultDialect = postgresql.psycopg.dialect(paramstyle="numeric_dollar")  # type: ignore[no-untyped-call]

Params = Mapping[str, Any]
Bound = Sequence[Any] | Mapping[str, Any]


class Compiled(NamedTuple):
    """A statement's text for one database and how its parameters are laid out."""

    sql: str
    bind: Callable[[Any], Bound]
    writes: bool


class Statement:
    """One named query: what it is for, and its text on each database."""

    __slots__ = ("_clause", "_compiled", "_on_sqlite", "purpose")

    def __init__(self, purpose: str, clause: Executable, on_sqlite: Executable | None = None) -> None:
        self.purpose = purpose
        self._clause = clause
        self._on_sqlite = clause if on_sqlite is None else on_sqlite
        self._compiled: dict[str, Compiled] = {}

    def on(self, dialect: Dialect) -> Compiled:
        """The text for this database."""
        found = self._compiled.get(dialect.name)
        if found is None:
            clause = self._on_sqlite if dialect.name == "sqlite" else self._clause
            found = self._compiled[dialect.name] = _compile(clause, dialect)
        return found


def locking(purpose: str, found: sa.Select[Any], order: sa.ColumnElement[Any], **lock: Any) -> Statement:
    """A query that locks what it finds, in the order that everybody keeps.

    SQLite has one writer at a time, so nothing is locked there; and to sort wide rows costs more than to find them.
    """
    return Statement(purpose, found.order_by(order).with_for_update(**lock), on_sqlite=found)


class Among(sa.ColumnElement[Any]):
    """Whether a column has one of the values that a query finds, which is asked once and never joined.

    For rows to be locked. When PostgreSQL had to wait for a row that was changed meanwhile, it looks again whether that
    fits; a row that it found by way of a join with a union it then passes by.
    """

    inherit_cache = False
    type = sa.types.NullType()  # of a boolean column, SQLite would be asked whether it is 1, and look at every row

    def __init__(self, column: sa.ColumnElement[Any], values: sa.SelectBase) -> None:
        self.column = column
        self.values = values


@compiles(Among)
def _in(element: Among, compiler: SQLCompiler, **options: Any) -> str:
    return str(compiler.process(element.column.in_(element.values), **options))


@compiles(Among, "postgresql")
def _any(element: Among, compiler: SQLCompiler, **options: Any) -> str:
    column, values = (compiler.process(each, **options) for each in (element.column, element.values.scalar_subquery()))
    return f"{column} = ANY (ARRAY{values})"


def numbered(name: str, values: Sequence[Any]) -> dict[str, Any]:
    """Parameters for a list of values, repeated up to a power of two: a handful of statements serves every length."""
    size = 1 << (len(values) - 1).bit_length()
    padded = [*values, *[values[-1]] * (size - len(values))]
    return {f"{name}_{number}": value for number, value in enumerate(padded)}


def numbers(name: str, count: int, type_: sa.types.TypeEngine[Any] | None = None) -> list[sa.BindParameter[Any]]:
    """The parameters that `numbered` gives values to."""
    return [sa.bindparam(f"{name}_{number}", type_=type_) for number in range(count)]


def insert(table: sa.Table, columns: Sequence[str], ignore_conflicts: bool = False) -> postgresql.Insert:
    """An insert of these columns from parameters of the same names.

    PostgreSQL's construct, because it knows ON CONFLICT and SQLite's compiler writes the same words for it.
    """
    statement = postgresql.insert(table).values({name: sa.bindparam(name) for name in columns})
    return statement.on_conflict_do_nothing() if ignore_conflicts else statement


def _compile(clause: Executable, dialect: Dialect) -> Compiled:
    compiled = clause.compile(dialect=dialect, compile_kwargs={"render_postcompile": True})  # type: ignore[attr-defined]
    literals = {name: value for name, value in compiled.params.items() if value is not None}
    names = compiled.positiontup
    bind = _by_name(literals) if names is None else _by_position(tuple(names), literals)
    return Compiled(str(compiled), bind, writes=not isinstance(clause, sa.SelectBase))


def _by_name(literals: dict[str, Any]) -> Callable[[Params], Bound]:
    if not literals:
        return lambda params: params
    return lambda params: {**literals, **params}


def _by_position(names: tuple[str, ...], literals: dict[str, Any]) -> Callable[[Params], Bound]:
    if not literals:
        return lambda params: [params[name] for name in names]
    return lambda params: [params[name] if name in params else literals[name] for name in names]
