"""Writing many rows at once: COPY on PostgreSQL, executemany on SQLite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import psycopg
import sqlalchemy as sa
from psycopg import sql
from sqlalchemy.dialects import postgresql

from sessiond.store.clock import POSTGRESQL_NOW, embedded_clock
from sessiond.store.schema import messages, session_generations, sessions

# For the loading connection alone: indexes that fit the cache, and their pages copied back once in 200 MB of log
# rather than after every transaction, which touches them all.
_LOADING_PRAGMAS = ("PRAGMA cache_size=-524288", "PRAGMA wal_autocheckpoint=50000")


def prepare(connection: sa.Connection) -> None:
    """Make the connection fit for loading."""
    if connection.dialect.name == "sqlite":
        for pragma in _LOADING_PRAGMAS:
            connection.exec_driver_sql(pragma)
        connection.rollback()


def now_ms(connection: sa.Connection) -> int:
    """The database's clock."""
    if connection.dialect.name == "sqlite":
        return embedded_clock()
    return int(connection.exec_driver_sql(POSTGRESQL_NOW).scalar_one())


def last_id(connection: sa.Connection, table: sa.Table) -> int:
    """The highest id that was ever given out, so that a purged one stays taken; 0 before the first."""
    if connection.dialect.name == "sqlite":
        kept = sa.table("sqlite_sequence", sa.column("name"), sa.column("seq"))
        return connection.scalar(sa.select(kept.c.seq).where(kept.c.name == table.name)) or 0
    return connection.scalar(sa.select(sa.func.pg_sequence_last_value(_serial(table)))) or 0


def reserve_ids(connection: sa.Connection, table: sa.Table, count: int) -> Sequence[int]:
    """Ids that nobody else gets, even while a server is writing too."""
    if connection.dialect.name == "sqlite":  # BEGIN IMMEDIATE keeps everyone else out until these are inserted
        last = last_id(connection, table)
        return range(last + 1, last + 1 + count)
    numbers = sa.func.generate_series(1, count).table_valued("number")
    return connection.scalars(sa.select(sa.func.nextval(_serial(table))).select_from(numbers)).all()


def insert_rows(
    connection: sa.Connection, table: sa.Table, columns: Sequence[str], rows: Sequence[tuple[Any, ...]]
) -> None:
    """Insert tuples that have these columns in this order."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(_insert_sql(connection, table, columns), list(rows))
        return
    copying = sql.SQL("COPY {} ({}) FROM STDIN").format(
        sql.Identifier(table.name), sql.SQL(", ").join(map(sql.Identifier, columns))
    )
    driver = connection.connection.driver_connection
    assert isinstance(driver, psycopg.Connection)  # noqa: S101 - tells the type checker what the dialect gives
    with driver.cursor() as cursor, cursor.copy(copying) as copy:
        for row in rows:
            copy.write_row(row)


def tidy(engine: sa.Engine) -> None:
    """Do now what PostgreSQL would do by itself later: without it the first plans after a bulk load are guesses."""
    if engine.dialect.name == "sqlite":
        return
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        for table in (sessions, session_generations, messages):
            connection.exec_driver_sql(f"VACUUM (ANALYZE) {table.name}")


def _insert_sql(connection: sa.Connection, table: sa.Table, columns: Sequence[str]) -> str:
    target = sa.table(table.name, *(sa.column(name) for name in columns))
    return str(target.insert().compile(dialect=connection.dialect))


def _serial(table: sa.Table) -> sa.ColumnElement[Any]:
    """The sequence behind a table's ids."""
    return sa.cast(sa.func.pg_get_serial_sequence(table.name, "id"), postgresql.REGCLASS)
