"""Keys that sign run tokens: the newest first, and gone when none of their tokens can live (V1)."""

from __future__ import annotations

from functools import partial

from sessiond.signing import first_key, new_key
from sessiond.store import signing_keys
from sessiond.store.database import Database
from tests.fakes.clock import ManualClock


async def test_a_new_database_gets_one_key_and_keeps_it(db: Database) -> None:
    await db.write(first_key)
    (made,) = await db.read(signing_keys.newest_first)

    await db.write(first_key)

    assert await db.read(signing_keys.newest_first) == [made]
    assert len(made.secret) == 32
    assert made.secret.hex() not in repr(made)


async def test_a_new_key_comes_first_and_the_old_one_stays(db: Database, clock: ManualClock) -> None:
    await db.write(first_key)
    clock.advance(seconds=1)

    new = await db.write(new_key)

    keys = await db.read(signing_keys.newest_first)
    assert [each.id == new.id for each in keys] == [True, False]


async def test_a_key_is_forgotten_once_its_successor_is_older_than_any_token(db: Database, clock: ManualClock) -> None:
    await db.write(first_key)
    clock.advance(seconds=60)
    new = await db.write(new_key)

    forgotten = [
        await db.write(partial(signing_keys.forget, before_ms=at))
        for at in (new.created_ms - 1, new.created_ms, new.created_ms + 1, new.created_ms + 1)
    ]

    assert forgotten == [0, 0, 1, 0]
    assert [each.id for each in await db.read(signing_keys.newest_first)] == [new.id]
