"""What the store promises on either database: whole works or nothing, answered when durable, none lost."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import NoneType

import psycopg
import pytest
import sqlalchemy as sa

from sessiond.model.errors import StoreUnavailable
from sessiond.model.visibility import EVERYTHING
from sessiond.store import session_pages, sessions
from sessiond.store.database import MAX_READS, Database
from sessiond.store.opening import engine_of, open_database
from sessiond.store.schema import sessions as sessions_table
from sessiond.store.session_pages import ListFilter
from sessiond.store.statement import Statement
from sessiond.store.transaction import Tx
from tests.making import count, found, make_session, put_session, session_of
from tests.store.conftest import Heard

WRITERS = 500
_COUNT = Statement("count", sa.select(sa.func.count()).select_from(sessions_table))
_RENAME = Statement("rename all", sa.update(sessions_table).values(label="renamed"))


@contextmanager
def beside(url: str) -> Iterator[sa.Connection]:
    """A connection that has nothing to do with the store under test."""
    engine = engine_of(url)
    with engine.connect() as connection:
        yield connection
    engine.dispose()


def seen_beside(url: str) -> int:
    with beside(url) as connection:
        return connection.scalar(sa.select(sa.func.count()).select_from(sessions_table)) or 0


async def test_a_work_that_raises_is_rolled_back_alone(db: Database) -> None:
    def fail(tx: Tx) -> bool:
        put_session(tx, "agent:main:lost")
        raise LookupError("changed its mind")

    before, failed, after = await asyncio.gather(  # asked for at once, so that on SQLite they share a group
        db.write(lambda tx: bool(put_session(tx, "agent:main:before"))),
        db.write(fail),
        db.write(lambda tx: bool(put_session(tx, "agent:main:after"))),
        return_exceptions=True,
    )

    assert (before, after) == (True, True)
    assert isinstance(failed, LookupError)
    assert await session_of(db, "agent:main:lost") is None
    assert await count(db, sessions_table) == 2


def put_all(tx: Tx, names: Sequence[str]) -> list[str | Exception]:
    """A batch that refuses what is called `bad`, and can't be done when `poison` is part of it."""
    assert "poison" not in names
    good = [name for name in names if name != "bad"]
    return [put_session(tx, f"agent:main:{name}").key if name in good else LookupError(name) for name in names]


async def test_items_that_wait_are_written_in_one_batch(db: Database) -> None:
    sizes: list[int] = []

    def put_counted(tx: Tx, names: Sequence[str]) -> list[str | Exception]:
        sizes.append(len(names))
        return put_all(tx, names)

    names = [str(number) for number in range(100)]
    answers = await asyncio.gather(*(db.write_together(put_counted, name) for name in names))

    assert answers == [f"agent:main:{name}" for name in names]
    assert sum(sizes) == 100
    assert len(sizes) <= 2
    assert await count(db, sessions_table) == 100


async def test_an_item_that_is_refused_is_refused_alone(db: Database) -> None:
    names = ("1", "bad", "2")

    first, refused, last = await asyncio.gather(
        *(db.write_together(put_all, name) for name in names), return_exceptions=True
    )

    assert (first, type(refused), last) == ("agent:main:1", LookupError, "agent:main:2")
    assert await count(db, sessions_table) == 2


async def test_a_batch_that_raises_is_run_again_with_each_item_alone(db: Database) -> None:
    names = ("1", "poison", "2")

    first, failed, last = await asyncio.gather(
        *(db.write_together(put_all, name) for name in names), return_exceptions=True
    )

    assert (first, type(failed), last) == ("agent:main:1", AssertionError, "agent:main:2")
    assert await count(db, sessions_table) == 2


async def test_what_comes_behind_a_batch_that_raises_is_written_once(db: Database) -> None:  # property 2
    names = [f"agent:main:{number}" for number in range(40)]
    await asyncio.gather(*(make_session(db, name) for name in names))

    def mark(tx: Tx, keys: Sequence[str]) -> list[None]:
        for key in sorted(keys):
            session = found(tx, key)
            sessions.change(tx, session, {"label": session.label + "x"})
        if names[3] in keys:
            raise AssertionError(names[3])
        return [None] * len(keys)

    marking = []
    for name in names:
        marking.append(asyncio.ensure_future(db.write_together(mark, name)))
        await db.read(lambda tx: None)  # some of them come while others are being written
    done = await asyncio.gather(*marking, return_exceptions=True)

    marked = await asyncio.gather(*(session_of(db, name) for name in names))
    assert [type(each) for each in done] == [AssertionError if name == names[3] else NoneType for name in names]
    assert [each.label for each in marked if each] == ["" if name == names[3] else "x" for name in names]


@pytest.mark.parametrize("items", [1, 5])
async def test_what_is_left_for_the_end_of_a_work_is_done_before_its_answer(db: Database, items: int) -> None:
    def mark(tx: Tx, names: Sequence[str]) -> list[str]:
        put_all(tx, names)
        results = list(names)
        tx.meanwhile(lambda: results.__setitem__(slice(None), [name.upper() for name in names]))
        return results

    names = [f"n{number}" for number in range(items)]

    assert await asyncio.gather(*(db.write_together(mark, name) for name in names)) == [name.upper() for name in names]
    assert None not in [await session_of(db, f"agent:main:{name}") for name in names]


@pytest.mark.parametrize("way", ["glance_together", "read_together"])
async def test_what_is_asked_at_once_is_looked_up_once(db: Database, way: str) -> None:
    await db.write(lambda tx: put_all(tx, ["a", "b", "c"]))
    looks: list[list[str]] = []

    def look(tx: Tx, names: Sequence[str]) -> list[bool | Exception]:
        looks.append(list(names))
        known = {key for *_, key in session_pages.page(tx, EVERYTHING, ListFilter(), None, 10)}
        return [LookupError(name) if name == "bad" else f"agent:main:{name}" in known for name in names]

    at_once = (getattr(db, way)(look, name) for name in ("a", "b", "bad", "nobody"))
    seen = await asyncio.gather(*at_once, return_exceptions=True)
    later = await getattr(db, way)(look, "c")

    assert (seen[0], seen[1], seen[3], later) == (True, True, False, True)
    assert isinstance(seen[2], LookupError)
    assert looks == [["a", "b", "bad", "nobody"], ["c"]]


async def test_of_many_that_read_at_once_only_so_many_do_together(db: Database) -> None:  # property 9
    looks: list[int] = []

    def look(tx: Tx, items: Sequence[int]) -> list[int | Exception]:
        looks.append(len(items))
        return [item * 2 for item in items]

    def between(tx: Tx, items: Sequence[int]) -> list[int | Exception]:
        asyncio.get_running_loop().call_soon(looks.append, 0)  # somebody else who wants to have a turn
        return look(tx, items)

    seen = await asyncio.gather(*(db.read_together(between, item) for item in range(MAX_READS + 1)))

    assert seen == [item * 2 for item in range(MAX_READS + 1)]
    assert looks[:3] == [MAX_READS, 0, 1]


async def test_whoever_looked_with_others_hears_with_them_that_it_failed(db: Database) -> None:
    def look(tx: Tx, names: Sequence[str]) -> list[str | Exception]:
        raise ZeroDivisionError("a bug")

    seen = await asyncio.gather(*(db.glance_together(look, name) for name in "ab"), return_exceptions=True)

    assert [type(each) for each in seen] == [ZeroDivisionError] * 2


async def test_what_was_answered_is_committed(listening_db: Database, store_url: str) -> None:  # X2
    for number in range(20):
        await make_session(listening_db, f"agent:main:{number}")

        assert seen_beside(store_url) == number + 1


async def test_nothing_is_lost_among_many_writers_that_read_before_they_write(db: Database) -> None:
    await make_session(db, label="0")

    def add_one(tx: Tx) -> int:
        session = found(tx, "agent:main:main")
        changed = sessions.change(tx, session, {"label": str(int(session.label) + 1)})
        return int(changed.label)

    answers = await asyncio.gather(*(db.write(add_one) for _ in range(WRITERS)))

    assert sorted(answers) == list(range(1, WRITERS + 1))
    session = await session_of(db, "agent:main:main")
    assert session is not None
    assert session.label == str(WRITERS)


async def test_a_read_sees_one_snapshot(listening_db: Database, store_url: str) -> None:
    def look_twice(tx: Tx) -> tuple[object, object]:
        first = tx.rows(_COUNT)[0][0]
        with beside(store_url) as connection:
            connection.execute(_foreign_session())
            connection.commit()
        return first, tx.rows(_COUNT)[0][0]

    assert await listening_db.read(look_twice) == (0, 0)
    assert await count(listening_db, sessions_table) == 1


def _foreign_session() -> sa.Insert:
    values = {"key": "agent:main:x", "agent_id": "main", "kind": "other", "generation": 1, "session_id": "x"}
    return sa.insert(sessions_table).values(**values, created_ms=1, updated_ms=1)


async def test_a_read_cannot_write(db: Database) -> None:
    await make_session(db, label="as it was")

    with pytest.raises((StoreUnavailable, psycopg.errors.ReadOnlySqlTransaction)):
        await db.read(lambda tx: tx.run(_RENAME))

    session = await session_of(db, "agent:main:main")
    assert session is not None
    assert session.label == "as it was"


async def test_a_caller_that_leaves_does_not_undo_its_commit(listening_db: Database, heard: Heard) -> None:  # S8
    loop = asyncio.get_running_loop()

    def put_and_leave(tx: Tx) -> None:
        put_session(tx, "agent:main:main")
        tx.notify("session")
        loop.call_soon_threadsafe(writing.cancel)

    writing = asyncio.create_task(listening_db.write(put_and_leave))

    with pytest.raises(asyncio.CancelledError):
        await writing
    await heard.something()
    assert set(heard.topics) == {"session"}
    assert await session_of(listening_db, "agent:main:main") is not None


async def test_only_committed_works_wake_anybody(listening_db: Database, heard: Heard) -> None:
    def fail(tx: Tx) -> None:
        tx.notify("failed")
        raise LookupError

    writes = [listening_db.write(lambda tx, number=number: tx.notify(f"topic {number}")) for number in range(3)]  # type: ignore[misc]
    await asyncio.gather(listening_db.write(fail), *writes, return_exceptions=True)

    assert sorted(heard.topics) == ["topic 0", "topic 1", "topic 2"]


async def test_closing_finishes_what_was_asked_before(store_url: str) -> None:  # X4
    database = await open_database(store_url, on_commit=lambda topics: None)
    asked = []
    for number in range(50):
        write = database.write(lambda tx, number=number: bool(put_session(tx, f"agent:main:{number}")))  # type: ignore[misc]
        asked.append(asyncio.create_task(write))
    await asyncio.sleep(0)  # let all of them be queued
    closing = asyncio.create_task(database.close())

    assert all(await asyncio.gather(*asked))
    await closing
    assert seen_beside(store_url) == 50


async def test_a_closed_store_says_that_it_is_away(store_url: str) -> None:  # X3
    database = await open_database(store_url, on_commit=lambda topics: None)
    await database.close()

    with pytest.raises(StoreUnavailable):
        await database.write(lambda tx: None)
    with pytest.raises(StoreUnavailable):
        await database.read(lambda tx: None)


async def test_what_goes_wrong_after_a_commit_undoes_and_doubles_nothing(
    store_url: str, caplog: pytest.LogCaptureFixture
) -> None:  # X2
    def fail(topics: object) -> None:
        raise RuntimeError("a listener went wrong")

    db = await open_database(store_url, on_commit=fail)
    tries: list[int] = []

    def count_tries(tx: Tx, items: Sequence[int]) -> list[int]:
        tries.extend(items)
        return list(items)

    answers = await asyncio.gather(*(db.write_together(count_tries, item) for item in (1, 2)))
    await db.close()

    assert (answers, tries) == ([1, 2], [1, 2])
    assert "could not be told" in caplog.text
