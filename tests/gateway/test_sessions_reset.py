"""SessionsReset: a new generation under the same key, once for each request id."""

from __future__ import annotations

import asyncio

import pytest

from sessiond.gateway.sessions_reset import ResetAnswer, ResetQuery, sessions_reset
from sessiond.model.errors import RequestIdReused, SessionBusy, SessionNotFound
from sessiond.model.rules import Rules
from sessiond.store.codec import decode
from sessiond.store.database import Database
from sessiond.store.schema import session_generations
from sessiond.store.schema import sessions as sessions_table
from sessiond.tools.sessions_history import HistoryQuery, sessions_history
from tests.making import OWNER, acting_as, busy_with, count, make_session, rules_of, session_of, words


async def reset(db: Database, reference: str = "main", request_id: str = "") -> ResetAnswer:
    return await sessions_reset(db, Rules(), OWNER, ResetQuery(reference, request_id))


async def test_a_reset_keeps_the_key_and_the_settings_and_starts_an_empty_transcript(db: Database) -> None:
    before = await make_session(db, label="kept", drafts=[words("old")])

    answer = await reset(db)

    assert answer.previous_session_id == before.session_id
    assert (answer.session.key, answer.session.label, answer.session.last_sequence) == (before.key, "kept", 0)
    assert answer.session == await session_of(db, before.key)


async def test_the_old_transcript_stays_readable_by_its_id(db: Database) -> None:  # K8
    await make_session(db, drafts=[words("old")])
    answer = await reset(db)

    page = await sessions_history(db, Rules(), OWNER, HistoryQuery(answer.previous_session_id))

    assert [decode(body).text for body in page.messages] == ["old"]


async def test_a_retry_with_the_same_request_id_begins_no_other_generation(db: Database) -> None:  # R8
    await make_session(db)

    first, again = await reset(db, request_id="r1"), await reset(db, request_id="r1")

    assert again == first
    assert await count(db, session_generations) == 2


async def test_concurrent_twins_begin_one_generation(db: Database) -> None:  # R8
    await make_session(db)

    answers = await asyncio.gather(*(reset(db, request_id="r1") for _ in range(10)))

    assert len({(each.session, each.previous_session_id) for each in answers}) == 1
    assert await count(db, session_generations) == 2


async def test_without_a_request_id_each_reset_counts(db: Database) -> None:  # R8
    await make_session(db)

    answers = await asyncio.gather(*(reset(db) for _ in range(5)))

    assert len({each.previous_session_id for each in answers}) == 5
    assert await count(db, session_generations) == 6


async def test_a_request_id_that_stood_for_another_session_is_refused(db: Database) -> None:  # R8
    other = await make_session(db, "agent:main:other")
    await make_session(db)
    await reset(db, request_id="r1")

    with pytest.raises(RequestIdReused):
        await reset(db, "agent:main:other", request_id="r1")

    assert await session_of(db, other.key) == other


async def test_a_retry_answers_only_what_the_caller_may_still_see(db: Database) -> None:  # V5
    await make_session(db, "agent:main:a")
    await make_session(db, "agent:ops:b")
    caller, query = acting_as("agent:main:a"), ResetQuery("agent:ops:b", "r1")
    await sessions_reset(db, rules_of("ops", agent_to_agent=True), caller, query)

    with pytest.raises(SessionNotFound):
        await sessions_reset(db, rules_of("ops"), caller, query)


async def test_a_reset_that_was_refused_leaves_its_request_id_free(db: Database) -> None:  # R8
    with pytest.raises(SessionNotFound):
        await reset(db, "agent:main:x", request_id="r1")
    await make_session(db, "agent:main:x")

    assert (await reset(db, "agent:main:x", request_id="r1")).session.key == "agent:main:x"


async def test_a_session_with_an_unfinished_run_is_not_reset(db: Database) -> None:
    before = await make_session(db, **busy_with("run-1"))

    with pytest.raises(SessionBusy) as refused:
        await reset(db)

    assert refused.value.facts == {"run_id": "run-1"}
    assert await session_of(db, before.key) == before


async def test_the_first_use_of_a_main_session_makes_it_and_no_other(db: Database) -> None:  # K9
    assert (await reset(db)).session.key == "agent:main:main"
    with pytest.raises(SessionNotFound):
        await reset(db, "agent:main:cron:x")
    assert await count(db, sessions_table) == 1
