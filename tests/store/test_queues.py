"""Batches of different kinds: side by side when there is little to write, one after the other when there is much."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
import sqlalchemy as sa

from sessiond.model.errors import StoreUnavailable
from sessiond.store import queues
from sessiond.store.gathering import ENOUGH
from sessiond.store.opening import open_database
from sessiond.store.postgres import PostgresDatabase
from sessiond.store.queues import MANY
from sessiond.store.transaction import Tx
from tests.meeting import wait_here
from tests.store.spare import spare_database

FOR_EVER_S = 60
TURNS_OF_THE_LOOP = 20


class Kinds:
    """Two kinds of batches, of which the first is held up until it is let go."""

    def __init__(self) -> None:
        self.has_begun = asyncio.Event()
        self.may_end = asyncio.Event()
        self.begun: list[tuple[str, int]] = []  # each batch, and how many were in it

    def first(self, tx: Tx, items: Sequence[int]) -> Sequence[int]:
        self.begun.append(("first", len(items)))
        self.has_begun.set()
        wait_here(self.may_end.wait())
        return items

    def second(self, tx: Tx, items: Sequence[int]) -> Sequence[int]:
        self.begun.append(("second", len(items)))
        return items


async def ask(db: PostgresDatabase, kind: Any, count: int) -> asyncio.Future[list[int]]:
    asked = asyncio.gather(*(db.write_together(kind, number) for number in range(count)))
    for _ in range(TURNS_OF_THE_LOOP):  # whatever can begin has begun
        await asyncio.sleep(0)
    return asked


async def held_up(db: PostgresDatabase, count: int) -> tuple[Kinds, asyncio.Future[list[int]]]:
    """A batch of the first kind that has begun and does not end yet."""
    kinds = Kinds()
    first = await ask(db, kinds.first, count)
    await kinds.has_begun.wait()
    return kinds, first


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queues, "PATIENCE_S", FOR_EVER_S)


@pytest.mark.usefixtures("patient")
async def test_among_many_a_batch_waits_for_those_of_other_kinds_and_takes_all_who_come_meanwhile(
    postgres_db: PostgresDatabase,
) -> None:
    kinds, first = await held_up(postgres_db, MANY)

    seconds = [await ask(postgres_db, kinds.second, 1) for _ in range(3)]
    assert kinds.begun == [("first", MANY)]
    kinds.may_end.set()

    assert await first == list(range(MANY))
    assert [await each for each in seconds] == [[0], [0], [0]]
    assert kinds.begun == [("first", MANY), ("second", 3)]


async def test_among_few_nobody_waits_for_another_kind(postgres_db: PostgresDatabase) -> None:
    kinds, first = await held_up(postgres_db, 1)

    assert await (await ask(postgres_db, kinds.second, 1)) == [0]
    assert not first.done()
    kinds.may_end.set()
    await first


async def test_nobody_waits_for_long_for_a_batch_that_does_not_end(postgres_db: PostgresDatabase) -> None:  # X3
    kinds, first = await held_up(postgres_db, MANY)

    assert await (await ask(postgres_db, kinds.second, 2)) == [0, 1]
    assert not first.done()
    kinds.may_end.set()
    await first


@pytest.mark.usefixtures("patient")
async def test_who_waits_in_line_goes_before_the_next_batch_of_the_kind_that_it_waited_for(
    postgres_db: PostgresDatabase,
) -> None:
    kinds, first = await held_up(postgres_db, MANY)
    second = await ask(postgres_db, kinds.second, 1)
    more = await ask(postgres_db, kinds.first, ENOUGH)  # so many that they do not wait for more
    kinds.may_end.set()

    await asyncio.gather(first, second, more)
    assert kinds.begun == [("first", MANY), ("second", 1), ("first", ENOUGH)]


@pytest.mark.usefixtures("patient")
async def test_what_stands_in_line_when_the_store_closes_is_told_so(postgres: sa.Engine) -> None:  # X4
    with spare_database(postgres, "closing") as url:
        db = await open_database(url, on_commit=lambda topics: None)
        assert isinstance(db, PostgresDatabase)
        kinds, first = await held_up(db, MANY)
        second = await ask(db, kinds.second, 1)
        closing = asyncio.create_task(db.close())
        kinds.may_end.set()

        assert await first == list(range(MANY))
        with pytest.raises(StoreUnavailable):
            await second
        await closing


async def test_what_was_written_is_counted_no_more(postgres_db: PostgresDatabase) -> None:
    kinds = Kinds()
    kinds.may_end.set()

    await (await ask(postgres_db, kinds.first, MANY))

    assert postgres_db._turns.items == 0
