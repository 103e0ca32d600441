"""Every statement of the store compiles for both databases, names its purpose, and fits the schema."""

from __future__ import annotations

import importlib
import pkgutil
import re
import sqlite3
from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.engine.default import DefaultDialect

from sessiond import store
from sessiond.model.deliveries import DeliveryState
from sessiond.model.keys import SessionKind
from sessiond.store import (
    deliveries,
    exchanges,
    messages,
    requests,
    run_queue,
    runs,
    session_pages,
    sessions,
    transcripts,
)
from sessiond.store.rows import NewRows, Rows
from sessiond.store.schema import metadata
from sessiond.store.statement import POSTGRESQL, SQLITE, Compiled, Statement
from sessiond.store.visibility import ScopeShape

DIALECTS = {"sqlite": SQLITE, "postgresql": POSTGRESQL}
SCOPES = [
    ScopeShape(None, False, False),
    ScopeShape(0, True, False),
    ScopeShape(1, True, True),
    ScopeShape(7, True, True),
]
KINDS: list[tuple[SessionKind, ...]] = [(), (SessionKind.MAIN,), (SessionKind.CRON, SessionKind.GROUP)]
BOTH = (False, True)
# Statements that are made for a shape: the shapes that callers ask for. Those of one database alone name it first.
SHAPES: dict[Any, list[tuple[Any, ...]]] = {
    deliveries._change: [
        (("state", "end_ms"),),
        (("attempts", "last_failure", "lease_expires_ms", "next_attempt_ms"),),
    ],
    deliveries._page: [
        (states, named, goes_on)
        for states in ((), (DeliveryState.PENDING,), tuple(DeliveryState))
        for named in ((), ("exchange_id", "run_id", "session"))
        for goes_on in BOTH
    ],
    exchanges._get_all: [(1,), (256,)],
    exchanges._lock_of_runs: [(1, True), (256, False)],
    messages._bodies_at: [(1,), (2,), (2048,)],
    messages._recent_sizes: [(1,), (256,)],
    requests._known: [(1,), (256,)],
    run_queue._ready: [(0,), (1,), (100,)],
    runs._find: [(scope,) for scope in SCOPES],
    runs._find_all: [(1,), (256,)],
    runs._lock: [(1, True), (256, False)],
    runs._lock_free: [(1,), (128,)],
    sessions._change: [(("label",),), (("chat_type", "group_subject", "kind", "route_channel", "route_to"),)],
    sessions._get_all: [(1,), (256,)],
    sessions._lock_free: [(1,), (128,)],
    sessions._find_by: [(column, scope, lock) for column in ("key", "session_id") for scope in SCOPES for lock in BOTH],
    sessions._find_by_keys: [(1,), (256,)],
    sessions._find_by_label: [(scope, in_agent) for scope in SCOPES for in_agent in BOTH],
    sessions._find_by_old: [(scope,) for scope in SCOPES],
    sessions._lock_of_runs: [(1, True), (256, False)],
}
PAGES = [
    (scope, kinds, has_agent, has_label, is_active_only, include_archived, goes_on)
    for scope in SCOPES
    for kinds in KINDS
    for has_agent, has_label, is_active_only, include_archived, goes_on in (
        (False, False, False, False, False),
        (True, True, True, True, True),
        (False, True, False, True, True),
    )
]


def modules() -> list[Any]:
    names = [each.name for each in pkgutil.walk_packages(store.__path__, f"{store.__name__}.")]
    return [importlib.import_module(name) for name in names if ".migrations" not in name]


def written_down() -> Iterator[Statement | Rows[Any]]:
    """The statements that stand in the modules, alone or several together."""
    for module in modules():
        for value in vars(module).values():
            if isinstance(value, Statement | Rows):
                yield value
            elif isinstance(value, tuple):
                yield from (each for each in value if isinstance(each, Statement))


def made(database: str) -> Iterator[Statement]:
    """The statements that are made for a shape, in the shapes of this database."""
    for factory, shapes in SHAPES.items():
        for shape in shapes:
            yield factory(*shape)
    for page in PAGES:
        yield session_pages._statement(session_pages._Shape(database, *page))
    yield transcripts._changed(database)


def compiled(database: str) -> list[tuple[Statement | Rows[Any], Compiled]]:
    dialect: DefaultDialect = DIALECTS[database]
    return [(each, each.on(dialect)) for each in {*written_down(), *made(database)}]


def test_every_maker_of_statements_is_tried() -> None:
    kept = {each for module in modules() for each in vars(module).values() if hasattr(each, "cache_info")}
    makers = {each for each in kept if each.__annotations__["return"] == Statement.__name__}

    assert makers == {*SHAPES, session_pages._statement, transcripts._changed}


@pytest.mark.parametrize("database", DIALECTS)
def test_every_statement_compiles_and_says_what_it_is_for(database: str) -> None:
    found = compiled(database)

    assert len(found) > 100
    for statement, text in found:
        assert text.sql.strip(), statement.purpose
        assert "POSTCOMPILE" not in text.sql, statement.purpose
        assert statement.purpose[0].islower() or statement.purpose[0].isdigit(), statement.purpose
        assert len(statement.purpose.split()) > 1, statement.purpose


def test_a_statement_is_compiled_once_for_each_database() -> None:
    for statement in written_down():
        assert statement.on(SQLITE) is statement.on(SQLITE)
        assert statement.on(SQLITE) is not statement.on(POSTGRESQL)


def test_every_statement_fits_the_schema() -> None:
    connection = sqlite3.connect(":memory:")
    for table in metadata.sorted_tables:
        connection.execute(str(sa.schema.CreateTable(table).compile(dialect=SQLITE)))

    for statement, text in compiled("sqlite"):
        try:
            connection.execute(f"EXPLAIN {text.sql}", text.bind(_anything_for(statement)))
        except sqlite3.Error as problem:
            raise AssertionError(f"{statement.purpose}: {problem}") from problem
    connection.close()


@pytest.mark.parametrize("database", DIALECTS)
def test_every_update_of_a_session_counts_its_version(database: str) -> None:
    """What lists remember of a row is found by its version: an update that keeps it would never be seen."""
    updates = [(each, text.sql) for each, text in compiled(database) if text.sql.startswith("UPDATE sessions ")]

    assert len(updates) > 8
    for statement, sql in updates:
        assert re.search(r"\bversion ?= ?\(?sessions\.version \+ ", sql), statement.purpose


def _anything_for(statement: Statement | Rows[Any]) -> Any:
    if isinstance(statement, NewRows):
        return (0,) * len(statement.columns)
    return _Anything()


class _Anything(dict[str, Any]):
    """A value for every parameter; a plan asks for none in particular."""

    def __contains__(self, name: object) -> bool:
        return True

    def __missing__(self, name: str) -> int:
        return 0
