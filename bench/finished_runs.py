"""A store with many finished runs: one that really was, and copies of all its rows under other ids."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from tqdm import tqdm

from bench.clients import acquired, completed, connected
from bench.requests import a_send, make_sessions
from bench.serving import ready, serving
from bench.stores import UNTOUCHED
from sessiond.store.opening import engine_of
from sessiond.store.schema import PLACE_SHIFT, exchanges, messages, run_events, runs, sessions
from sessiond.store.seeding import bulk

SESSIONS = 100
BATCH = 50_000
MESSAGES_EACH = 2
TABLES = (runs, run_events, exchanges, messages)
FIRST_PLACE = 2**PLACE_SHIFT + 1  # of the first session's messages
# So many digits of an id are the copy's number.
DIGITS = 12
Column = sa.ColumnElement[Any]
Example = dict[str, Any]


async def fill_finished(database: str, url: str, count: int) -> None:
    """Make the store, and in it so many finished runs, spread over a hundred sessions."""
    async with serving(url, config=UNTOUCHED) as server, connected(server.address) as client:
        keys = await make_sessions(server.address, "finished", SESSIONS)
        await ready(server, a_send(keys[0]))
        await completed(client, (await acquired(client)).lease_token)
    print(f"filling {database}: {count:,} finished runs", file=sys.stderr)
    await asyncio.to_thread(_copy, url, count)


def _copy(url: str, count: int) -> None:
    """The run that was there is number 0; the others are made by the database itself."""
    engine = engine_of(url)
    with engine.connect() as connection, tqdm(total=count, unit=" runs", unit_scale=True, disable=None) as bar:
        bulk.prepare(connection)
        _require_a_new_store(connection)
        example = dict(connection.execute(sa.select(runs)).mappings().one())
        for first in range(1, count, BATCH):
            last = min(first + BATCH, count) - 1
            for table in TABLES:
                connection.execute(_copies(table, example, first, last))
            connection.commit()
            bar.update(last - first + 1)
        _count(connection, count)
    _tidy(engine)
    engine.dispose()


def _require_a_new_store(connection: sa.Connection) -> None:
    """Sessions and their generations must be numbered from 1 on, since the copies reckon with it."""
    places = sa.select(sessions.c.id, sessions.c.generation).order_by(sessions.c.id)
    if [tuple(row) for row in connection.execute(places)] != [(number, number) for number in range(1, SESSIONS + 1)]:
        raise ValueError("the store that is to be filled is not a new one")


def _copies(table: sa.Table, example: Example, first: int, last: int) -> sa.Insert:
    """Each of the table's rows that belong to the example, once for each number."""
    row, new = table.alias("example"), _Numbered(example, _numbers(first, last))
    changed = _CHANGED[table](row, new)
    columns = [changed.get(column.name, row.c[column.name]) for column in table.columns]
    found = sa.select(*columns).select_from(row).join(new.numbers, sa.true()).where(_BELONGS[table](row, example))
    return sa.insert(table).from_select([column.name for column in table.columns], found)


def _numbers(first: int, last: int) -> sa.CTE:
    numbers = sa.select(sa.literal(first).label("number")).cte("numbers", recursive=True)
    return numbers.union_all(sa.select(numbers.c.number + 1).where(numbers.c.number < last))


class _Numbered:
    """What differs from copy to copy."""

    def __init__(self, example: Example, numbers: sa.CTE) -> None:
        self.numbers = numbers
        self._example = example
        self._number = sa.cast(numbers.c.number, sa.BigInteger)
        self.session = 1 + self._number % SESSIONS  # and its generation
        self.order = 1 + self._number // SESSIONS
        self.first_place = self.session * 2**PLACE_SHIFT + (self.order - 1) * MESSAGES_EACH + 1

    def id(self, name: str) -> Column:
        """The example's id of this name, with other last digits."""
        digits = sa.func.substr(sa.cast(10**DIGITS + self._number, sa.Text), 2)
        return sa.literal(self._example[name][:-DIGITS]) + digits


_BELONGS: dict[sa.Table, Callable[[sa.FromClause, Example], Column]] = {
    runs: lambda row, example: row.c.id == example["id"],
    run_events: lambda row, example: row.c.run_id == example["id"],
    exchanges: lambda row, example: row.c.id == example["exchange_id"],
    messages: lambda row, example: row.c.place.between(FIRST_PLACE, FIRST_PLACE + MESSAGES_EACH - 1),
}
_CHANGED: dict[sa.Table, Callable[[sa.FromClause, _Numbered], dict[str, Column]]] = {
    runs: lambda row, new: {
        "id": new.id("id"),
        "root_run_id": new.id("id"),
        "exchange_id": new.id("exchange_id"),
        "trace_id": new.id("trace_id"),
        "session": new.session,
        "generation": new.session,
        "run_order": new.order,
        "input_place": new.first_place,
    },
    run_events: lambda row, new: {
        "run_id": new.id("id"),
        "message_place": sa.case((row.c.message_place.is_not(None), new.first_place + MESSAGES_EACH - 1)),
    },
    exchanges: lambda row, new: {
        "id": new.id("exchange_id"),
        "primary_run_id": new.id("id"),
        "target_session": new.session,
        "request_place": new.first_place,
    },
    messages: lambda row, new: {"place": new.first_place + row.c.place - FIRST_PLACE},
}


def _count(connection: sa.Connection, count: int) -> None:
    """What the sessions know of their runs."""
    for number in range(SESSIONS):
        orders = len(range(number, count, SESSIONS))
        values = {"last_run_order": orders, "last_sequence": orders * MESSAGES_EACH}
        connection.execute(sa.update(sessions).where(sessions.c.id == 1 + number).values(values))
    connection.commit()


def _tidy(engine: sa.Engine) -> None:
    """As `bulk.tidy` does for the tables of sessions."""
    bulk.tidy(engine)
    if engine.dialect.name == "postgresql":
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            for table in TABLES:
                connection.exec_driver_sql(f"VACUUM (ANALYZE) {table.name}")
