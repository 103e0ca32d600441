"""From a store URL to an open, migrated database."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.pool import NullPool

from sessiond.store.clock import Clock, embedded_clock
from sessiond.store.database import Database, OnCommit, StoreProblem
from sessiond.store.migrations import current_version, migrate
from sessiond.store.sqlite import SqliteDatabase
from sessiond.store.sqlite_connections import BUSY_TIMEOUT_MS, prepare

STATEMENT_S = 30.0


async def open_database(
    url: str,
    on_commit: OnCommit,
    pool_size: int = 8,
    clock: Clock | None = None,
    on_gap: Callable[[], None] = lambda: None,
    is_awaited: Callable[[str], bool] = lambda topic: False,
    statement_s: float = STATEMENT_S,
    busy_wait_s: float = 0.0,
) -> Database:
    """Open the store, bring its schema up to date, and hand it over; StoreProblem says why it can't be.

    `on_commit` gets the topics of what was committed, here or by another replica; `on_gap` tells that some of
    another's may have been missed; `is_awaited` says whether anybody here listens to a topic. A work that is alone
    stays awake for PostgreSQL's answer, for up to `busy_wait_s`.
    """
    parsed = _parse(url)
    engine = _engine(parsed, pool_size, statement_s)
    await asyncio.to_thread(_migrate, engine)
    if _is_sqlite(parsed):
        return SqliteDatabase(engine, on_commit, clock or embedded_clock)
    from sessiond.store.postgres import PostgresDatabase
    from sessiond.store.postgres_opening import connecting

    connect = connecting(engine, statement_s)
    return PostgresDatabase(connect, on_commit, pool_size, clock, on_gap, is_awaited, busy_wait_s)


def engine_of(url: str) -> sa.Engine:
    """A plain engine on the store, for commands that bring their own statements."""
    return _engine(_parse(url), pool_size=2)


def schema_of(url: str) -> str | None:
    """The version of the store's schema, left as it is; None for an empty one. StoreProblem says why not."""
    engine = engine_of(url)
    try:
        with engine.connect() as connection:
            return current_version(connection)
    except sa.exc.DBAPIError as problem:
        where = engine.url.render_as_string(hide_password=True)
        raise StoreProblem(f"{where} can't be opened: {' '.join(str(problem.orig).split())}") from problem
    finally:
        engine.dispose()


def sqlite_file(url: str) -> Path | None:
    """The file of a SQLite store; None for any other."""
    parsed = _parse(url)
    return Path(parsed.database or "").expanduser() if _is_sqlite(parsed) else None


def _parse(url: str) -> sa.URL:
    try:
        parsed = sa.make_url(url)
    except (sa.exc.ArgumentError, ValueError):  # ValueError: a port that is no number
        raise StoreProblem("store.url is not a URL; expected sqlite:///FILE or postgresql+psycopg://…") from None
    if parsed.drivername in ("postgresql", "postgres"):
        parsed = parsed.set(drivername="postgresql+psycopg")
    if parsed.drivername not in ("sqlite", "sqlite+pysqlite", "postgresql+psycopg"):
        raise StoreProblem(f"store.url names {parsed.drivername!r}; expected sqlite or postgresql+psycopg")
    return parsed


def _is_sqlite(url: sa.URL) -> bool:
    return url.get_backend_name() == "sqlite"


def _engine(url: sa.URL, pool_size: int, statement_s: float = STATEMENT_S) -> sa.Engine:
    if _is_sqlite(url):
        return _sqlite_engine(url)
    from sessiond.store.postgres_opening import postgres_engine

    return postgres_engine(url, pool_size, statement_s)


def _sqlite_engine(url: sa.URL) -> sa.Engine:
    if not url.database or url.database == ":memory:":
        raise StoreProblem("store.url: sqlite needs a file, as in sqlite:///sessiontools.db")
    file = Path(url.database).expanduser()
    folder = file.parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise StoreProblem(f"store.url: the folder {folder} can't be made: {problem.strerror}") from None
    _make_private(file)
    arguments = {"check_same_thread": False, "timeout": BUSY_TIMEOUT_MS / 1000}
    engine = sa.create_engine(url.set(database=str(file)), poolclass=NullPool, connect_args=arguments)
    event.listen(engine, "connect", prepare)
    event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
    return engine


def _make_private(file: Path) -> None:
    """Make a new database file for its owner's eyes only; SQLite gives the files beside it the same rights."""
    with suppress(OSError):  # an existing one keeps its rights; what else is wrong is told when it is opened
        os.close(os.open(file, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


def _migrate(engine: sa.Engine) -> None:
    where = engine.url.render_as_string(hide_password=True)
    try:
        migrate(engine)
    except sa.exc.DBAPIError as problem:
        if isinstance(problem.orig, sqlite3.DatabaseError) and not isinstance(problem.orig, sqlite3.OperationalError):
            raise StoreProblem(f"{where} is not a usable SQLite database: {problem.orig}") from problem
        raise StoreProblem(f"{where} can't be opened: {' '.join(str(problem.orig).split())}") from problem
    finally:
        engine.dispose()  # the store sets its connections up in its own way, so that it starts with none
