"""How a database would answer: the plans of whatever a work asks, with what is wrong with them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any, cast

import psycopg
import sqlalchemy as sa

from sessiond.store.statement import POSTGRESQL, SQLITE
from sessiond.store.transaction import Row, Tx

BIG_TABLES = ("sessions", "session_generations", "messages", "runs", "exchanges")
_FOUND_BEFORE = ("page", "CONSTANT")  # what SQLite may scan: the rows of a CTE, and a row of parameters
Node = dict[str, Any]


class ExplainingCursor:
    """A driver's cursor that notes how each statement would be executed, then executes it."""

    def __init__(self, cursor: Any, prefix: str) -> None:
        self._cursor = cursor
        self._prefix = prefix
        self.plans: list[list[Row]] = []

    @property
    def rowcount(self) -> int:
        return int(self._cursor.rowcount)

    def execute(self, sql: str, params: Any = (), /) -> object:
        self._cursor.execute(self._prefix + sql, params)
        self.plans.append(self._cursor.fetchall())
        return self._cursor.execute(sql, params)

    def executemany(self, sql: str, params: Any, /) -> object:
        return [self.execute(sql, each) for each in params]

    def fetchall(self) -> list[Row]:
        rows: list[Row] = self._cursor.fetchall()
        return rows

    def fetchone(self) -> Row | None:
        row: Row | None = self._cursor.fetchone()
        return row


def faults(engine: sa.Engine, work: Callable[[Tx], object]) -> list[str]:
    """What is wrong with the plans of a work: full scans of big tables, and sorts of more than a row."""
    judge = _sqlite_faults if engine.dialect.name == "sqlite" else _postgres_faults
    return [fault for plan in _plans(engine, work) for fault in judge(plan)]


def indexes(engine: sa.Engine, work: Callable[[Tx], object]) -> set[str]:
    """By which indexes PostgreSQL would find what a work asks for."""
    roots = (_root(plan) for plan in _plans(engine, work))
    return {node["Index Name"] for root in roots for node in _nodes(root) if "Index Name" in node}


def whole_reads(engine: sa.Engine, work: Callable[[Tx], object]) -> list[str]:
    """Where PostgreSQL would read all rows of a big table, or all of an index, for what a work asks."""
    roots = [_root(plan) for plan in _plans(engine, work)]
    return [str(_outline(root)) for root in roots for node in _nodes(root) if _reads_all(node)]


def _reads_all(node: Node) -> bool:
    is_scan = node["Node Type"] in ("Seq Scan", "Index Scan", "Index Only Scan")
    return is_scan and node["Relation Name"] in BIG_TABLES and "Index Cond" not in node


def _plans(engine: sa.Engine, work: Callable[[Tx], object]) -> list[list[Row]]:
    is_sqlite = engine.dialect.name == "sqlite"
    connection = engine.raw_connection()
    try:
        # The statements number their parameters, as PostgreSQL does and psycopg's own do not.
        raw: Any = connection.cursor() if is_sqlite else psycopg.RawCursor(cast("Any", connection.driver_connection))
        cursor = ExplainingCursor(raw, "EXPLAIN QUERY PLAN " if is_sqlite else "EXPLAIN (FORMAT JSON) ")
        work(Tx(cursor, SQLITE if is_sqlite else POSTGRESQL, 1))
        connection.rollback()
    finally:
        connection.close()
    assert cursor.plans, "nothing was asked"
    return cursor.plans


def _sqlite_faults(plan: list[Row]) -> Iterator[str]:
    details = [str(row[3]) for row in plan]
    for detail in details:
        is_scan = detail.startswith("SCAN") and detail.split()[1] not in _FOUND_BEFORE
        if is_scan or "TEMP B-TREE" in detail or "AUTOMATIC" in detail:
            yield f"{detail} in {details}"


def _postgres_faults(plan: list[Row]) -> Iterator[str]:
    root = _root(plan)
    for node in _nodes(root):
        if node["Node Type"] == "Seq Scan" and node["Relation Name"] in BIG_TABLES:
            yield f"Seq Scan of {node['Relation Name']} in {_outline(root)}"
        if "Sort" in node["Node Type"] and not _is_of_known_rows(node):
            yield f"{node['Node Type']} by {node['Sort Key']} in {_outline(root)}"


def _is_of_known_rows(sort: Node) -> bool:
    """Whether all that is below a sort are searches for rows by their ids, such as the acting session."""
    leaves = [node for node in _nodes(sort) if "Plans" not in node]
    return all(leaf.get("Index Name", "").endswith("_pkey") and "Index Cond" in leaf for leaf in leaves)


def _root(plan: list[Row]) -> Node:
    found = plan[0][0]
    root: Node = (json.loads(found) if isinstance(found, str) else found)[0]["Plan"]
    return root


def _nodes(node: Node) -> Iterator[Node]:
    yield node
    for child in node.get("Plans", ()):
        yield from _nodes(child)


def _outline(root: Node) -> list[str]:
    return [f"{node['Node Type']} {node.get('Index Name', '')}".strip() for node in _nodes(root)]
