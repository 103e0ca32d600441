"""From a store URL to an open, migrated database."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.pool import NullPool

from sessiond.store.clock import Clock, embedded_clock
from sessiond.store.database import Database, OnCommit, StoreProblem
from sessiond.store.migrations import current_version, migrate
from sessiond.store.postgres import PostgresDatabase
from sessiond.store.sqlite import SqliteDatabase
from sessiond.store.sqlite_connections import BUSY_TIMEOUT_MS, prepare
from sessiond.store.wire import LIMITS_TRANSACTIONS

CONNECT_TIMEOUT_S = 10
# Unless whoever runs the server has one.
_LIMIT = "SELECT set_config('transaction_timeout', %s, false) WHERE current_setting('transaction_timeout') = '0'"
STATEMENT_S = 30.0
# What is read outside of BEGIN and COMMIT, too: questions that are sent together have one view. Not among the options
# that a connection is made with, since a URL may have others.
_ONE_VIEW = "SET default_transaction_isolation = 'repeatable read'"


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
    if parsed.get_backend_name() == "sqlite":
        engine = _sqlite_engine(parsed)
        await asyncio.to_thread(_migrate, engine)
        return SqliteDatabase(engine, on_commit, clock or embedded_clock)
    engine = _postgres_engine(parsed, pool_size, statement_s)
    await asyncio.to_thread(_migrate, engine)
    connect = partial(_postgres_connection, engine, statement_s)
    return PostgresDatabase(connect, on_commit, pool_size, clock, on_gap, is_awaited, busy_wait_s)


def engine_of(url: str) -> sa.Engine:
    """A plain engine on the store, for commands that bring their own statements."""
    parsed = _parse(url)
    return _sqlite_engine(parsed) if parsed.get_backend_name() == "sqlite" else _postgres_engine(parsed, 2)


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
    return Path(parsed.database or "").expanduser() if parsed.get_backend_name() == "sqlite" else None


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


def _postgres_engine(url: sa.URL, pool_size: int, statement_s: float = STATEMENT_S) -> sa.Engine:
    options = _postgres_options(url, statement_s)
    return sa.create_engine(url, pool_size=pool_size, max_overflow=0, connect_args=options)


async def _postgres_connection(engine: sa.Engine, statement_s: float) -> psycopg.AsyncConnection[Any]:
    """As the engine would connect, but on the event loop."""
    arguments, options = engine.dialect.create_connect_args(engine.url)
    options = {**options, **_postgres_options(engine.url, statement_s)}
    connection = await psycopg.AsyncConnection.connect(*arguments, **options, autocommit=True)
    try:
        await connection.execute(_ONE_VIEW)
        if connection.info.server_version >= LIMITS_TRANSACTIONS:  # an older one would refuse the whole connection
            await connection.execute(_LIMIT, [f"{2 * statement_s:g}s"])
    except BaseException:  # also when nobody wants it any more
        await connection.close()
        raise
    return connection


def _postgres_options(url: sa.URL, statement_s: float) -> dict[str, Any]:
    defaults = {
        "connect_timeout": CONNECT_TIMEOUT_S,
        "application_name": "sessiontools",
        "client_encoding": "utf8",
        # Of several hosts, the one that writes; a standby alone is no store.
        "target_session_attrs": "read-write",
        # A server whose machine is gone is noticed within about this many seconds, not after hours.
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "tcp_user_timeout": 25_000,
        "options": " ".join(f"-c {name}={value}" for name, value in _session(statement_s).items()),
    }
    return {name: value for name, value in defaults.items() if name not in url.query}


def _session(statement_s: float) -> dict[str, str]:
    """What holds for every connection; whatever takes longer is ended, so that one stuck session holds up no other."""
    return {
        # Every query is written for one index; planning it anew at each call can cost more than running it.
        "plan_cache_mode": "force_generic_plan",
        # And it goes by that index while there are few rows, too: a plan that reads all of them is kept, and read on by
        # it, while they become many. The price put on what is off must not make PostgreSQL compile a plan.
        **dict.fromkeys(("enable_seqscan", "enable_hashjoin", "enable_mergejoin", "jit"), "off"),
        "statement_timeout": f"{statement_s:g}s",
        "lock_timeout": f"{statement_s / 2:g}s",
        # A replica that is stopped in the middle of a transaction must not keep its locks.
        "idle_in_transaction_session_timeout": f"{statement_s:g}s",
    }


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
