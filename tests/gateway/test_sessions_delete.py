"""SessionsDelete: archive, or purge in batches; a main or a busy session is neither."""

from __future__ import annotations

import asyncio

import pytest

from sessiond.gateway.sessions_delete import PURGE_BATCH, DeleteQuery, sessions_delete
from sessiond.model.errors import SessionBusy, SessionNotFound, SessionProtected
from sessiond.model.rules import Rules
from sessiond.store.codec import decode
from sessiond.store.database import Database
from sessiond.store.schema import messages, runs, session_generations
from sessiond.store.schema import sessions as sessions_table
from sessiond.tools.sessions_history import HistoryQuery, sessions_history
from sessiond.tools.sessions_list import ListQuery, sessions_list
from tests.making import (
    OWNER,
    busy_with,
    count,
    make_ended_runs,
    make_session,
    say,
    session_of,
    start_generation,
    words,
)

KEY = "agent:main:telegram:group:1"


async def delete(db: Database, reference: str = KEY, purge: bool = False) -> bool:
    return await sessions_delete(db, Rules(), OWNER, DeleteQuery(reference, purge))


async def listed(db: Database, include_archived: bool = False) -> list[str]:
    page = await sessions_list(db, Rules(), OWNER, ListQuery(include_archived=include_archived))
    return [each.key for each in page.sessions]


async def test_deleting_archives_and_loses_nothing(db: Database) -> None:  # L7
    await make_session(db, KEY, drafts=[words("kept")])

    assert await delete(db) is True

    assert (await listed(db), await listed(db, include_archived=True)) == ([], [KEY])
    page = await sessions_history(db, Rules(), OWNER, HistoryQuery(KEY))
    assert [decode(body).text for body in page.messages] == ["kept"]


async def test_deleting_again_says_that_there_was_nothing_to_do(db: Database) -> None:
    await make_session(db, KEY, archived=True)

    assert await delete(db) is False


async def test_a_purge_removes_everything_of_the_session_and_nothing_else(db: Database) -> None:
    other = await make_session(db, "agent:main:other", drafts=[words("kept")])
    session = await make_session(db, KEY, drafts=[words()] * (2 * PURGE_BATCH + 1))
    await make_ended_runs(db, session, PURGE_BATCH + 1)
    await make_ended_runs(db, other, 1)
    await start_generation(db, KEY)
    await say(db, KEY, words())

    assert await delete(db, purge=True) is True

    rows = {table.name: await count(db, table) for table in (sessions_table, session_generations, messages, runs)}
    assert rows == {"sessions": 1, "session_generations": 1, "messages": 1, "runs": 1}
    assert await session_of(db, other.key) == other


async def test_an_archived_session_can_be_purged(db: Database) -> None:
    await make_session(db, KEY, archived=True)

    assert await delete(db, purge=True) is True
    with pytest.raises(SessionNotFound):
        await delete(db, purge=True)


async def test_purges_of_one_session_at_once_all_end(db: Database) -> None:
    await make_session(db, KEY, drafts=[words()] * (PURGE_BATCH + 1))

    purges = await asyncio.gather(*(delete(db, purge=True) for _ in range(4)), return_exceptions=True)

    assert all(each is True or isinstance(each, SessionNotFound) for each in purges)
    assert [await count(db, table) for table in (sessions_table, session_generations, messages)] == [0, 0, 0]


@pytest.mark.parametrize("purge", [False, True])
@pytest.mark.parametrize("reference", ["main", "agent:ops:main"])
async def test_a_main_session_is_protected(db: Database, reference: str, purge: bool) -> None:
    session = await make_session(db, reference if ":" in reference else "agent:main:main")

    with pytest.raises(SessionProtected):
        await delete(db, reference, purge)

    assert await session_of(db, session.key) == session


@pytest.mark.parametrize("purge", [False, True])
async def test_a_session_with_an_unfinished_run_is_busy(db: Database, purge: bool) -> None:
    session = await make_session(db, KEY, **busy_with("run-1"))

    with pytest.raises(SessionBusy) as refused:
        await delete(db, purge=purge)

    assert refused.value.facts == {"run_id": "run-1"}
    assert await session_of(db, KEY) == session


@pytest.mark.parametrize("purge", [False, True])
async def test_a_main_session_that_is_not_there_is_not_made_to_be_refused(db: Database, purge: bool) -> None:  # K9
    with pytest.raises(SessionNotFound):
        await delete(db, "main", purge)

    assert await count(db, sessions_table) == 0
