"""A store with many finished runs: one that really was, and copies of all its rows under other ids."""

from __future__ import annotations

import asyncio
import secrets
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import sqlalchemy as sa
from tqdm import tqdm

from bench.clients import acquired, completed, connected
from bench.requests import a_send, make_sessions
from bench.serving import ready, serving
from bench.stores import UNTOUCHED
from sessiond.ids import new_id
from sessiond.store.messages import place_of
from sessiond.store.opening import engine_of
from sessiond.store.schema import exchanges, messages, run_events, runs, sessions, traces
from sessiond.store.seeding import bulk

SESSIONS = 100
BATCH = 5_000
MESSAGES_EACH = 2
TABLES = (runs, run_events, exchanges, traces, messages)
Row = dict[str, Any]
Rows = dict[sa.Table, list[Row]]


async def fill_finished(database: str, url: str, count: int) -> None:
    """Make the store, and in it so many finished runs, spread over a hundred sessions."""
    async with serving(url, config=UNTOUCHED) as server, connected(server.address) as client:
        keys = await make_sessions(server.address, "finished", SESSIONS)
        await ready(server, a_send(keys[0]))
        await completed(client, (await acquired(client)).lease_token)
    print(f"filling {database}: {count:,} finished runs", file=sys.stderr)
    await asyncio.to_thread(_copy, url, count)


def _copy(url: str, count: int) -> None:
    engine = engine_of(url)
    with engine.connect() as connection, tqdm(total=count, unit=" runs", unit_scale=True, disable=None) as bar:
        bulk.prepare(connection)
        places = [(row.id, row.generation) for row in connection.execute(sa.select(sessions).order_by(sessions.c.id))]
        example = {table: [dict(row) for row in connection.execute(sa.select(table)).mappings()] for table in TABLES}
        connection.rollback()
        for first in range(1, count, BATCH):  # the example is the first
            numbers = range(first, min(first + BATCH, count))
            _insert(
                connection, [_copied(example, *places[number % SESSIONS], 1 + number // SESSIONS) for number in numbers]
            )
            bar.update(len(numbers))
        _count(connection, places, count)
    _tidy(engine)
    engine.dispose()


def _copied(example: Rows, session: int, generation: int, order: int) -> Rows:
    """The same run, as the session's so-many-th."""
    run_id, exchange_id, trace_id = new_id(), new_id(), secrets.token_hex(16)
    last = place_of(generation, order * MESSAGES_EACH)
    run = {"id": run_id, "root_run_id": run_id, "run_order": order, "exchange_id": exchange_id, "trace_id": trace_id}
    place = {"session": session, "generation": generation, "input_place": last - 1}
    exchange = {"id": exchange_id, "primary_run_id": run_id, "target_session": session, "request_place": last - 1}
    new: dict[sa.Table, Row] = {
        runs: run | place,
        run_events: {"run_id": run_id},
        exchanges: exchange,
        traces: {"trace_id": trace_id},
        messages: {},
    }
    copied = {table: [row | new[table] for row in rows] for table, rows in example.items()}
    for row in copied[run_events]:
        row["message_place"] = last if row["message_place"] else None
    for number, row in enumerate(copied[messages]):
        row["place"] = last - 1 + number
    return copied


def _insert(connection: sa.Connection, copies: Sequence[Rows]) -> None:
    for table in TABLES:
        columns = [column.name for column in table.columns]
        bulk.insert_rows(connection, table, columns, list(_tuples(table, columns, copies)))
    connection.commit()


def _tuples(table: sa.Table, columns: Sequence[str], copies: Sequence[Rows]) -> Iterator[tuple[Any, ...]]:
    for copied in copies:
        for row in copied[table]:
            yield tuple(row[name] for name in columns)


def _count(connection: sa.Connection, places: Sequence[tuple[int, int]], count: int) -> None:
    """What the sessions know of their runs."""
    for number, (session, _) in enumerate(places):
        orders = len(range(number, count, SESSIONS))
        values = {"last_run_order": orders, "last_sequence": orders * MESSAGES_EACH}
        connection.execute(sa.update(sessions).where(sessions.c.id == session).values(values))
    connection.commit()


def _tidy(engine: sa.Engine) -> None:
    """As `bulk.tidy` does for the tables of sessions."""
    bulk.tidy(engine)
    if engine.dialect.name == "postgresql":
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            for table in TABLES:
                connection.exec_driver_sql(f"VACUUM (ANALYZE) {table.name}")
