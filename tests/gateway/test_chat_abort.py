"""ChatAbort: stop what a session is doing, or one of its runs (R6)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sessiond.gateway.chat_abort import AbortQuery, chat_abort
from sessiond.model.callers import Caller
from sessiond.model.errors import RunNotFound, SessionNotFound
from sessiond.model.visibility import VisibilityRules, VisibilitySetting
from sessiond.store.runs import PlacedRun
from sessiond.store.schema import sessions as sessions_table
from tests.making import OWNER, acting_as, count, session_of
from tests.runtime.engine import A, B, Engine, agent_of

pytest_plugins = ["tests.runtime.fixtures"]


async def abort(engine: Engine, key: str, run_id: str = "", caller: Caller = OWNER) -> list[PlacedRun]:
    touched, _ = await chat_abort(engine.db, engine.rules, caller, AbortQuery(key, run_id))
    return touched


async def test_every_unfinished_run_of_the_session_is_stopped(engine: Engine) -> None:
    await engine.sessions(A, B)
    lease, other = await engine.running(A), await engine.queue(B)
    queued = [await engine.queue(A) for _ in range(2)]

    touched = await abort(engine, A)

    assert [each.run.id for each in touched] == [lease.placed.run.id, *queued]
    assert [each.run.state for each in touched] == ["cancelling", "cancelled", "cancelled"]
    assert await engine.states(other) == ["queued"]
    assert (await engine.transitions(queued[0]))[-1] == ("cancelled", "olivia", "ABORTED")


async def test_none_of_them_gets_its_turn_on_the_way(engine: Engine) -> None:  # R2
    await engine.sessions(A)
    for _ in range(3):
        await engine.queue(A)

    await abort(engine, A)

    assert await engine.acquire() == []
    session = await session_of(engine.db, A)
    assert session is not None
    assert (session.unfinished_runs, session.active_run_id, session.aborted_last_run) == (0, "", 1)


async def test_what_they_caused_is_stopped_with_them(engine: Engine) -> None:
    await engine.sessions(A, B)
    lease = await engine.running(A)
    child = await engine.queue(B, caller=agent_of(lease))

    touched = await abort(engine, A)

    assert {each.run.id for each in touched} == {lease.placed.run.id, child}


async def test_one_run_can_be_named(engine: Engine) -> None:
    await engine.sessions(A)
    first, second, third = [await engine.queue(A) for _ in range(3)]

    assert [each.run.id for each in await abort(engine, A, second)] == [second]

    assert await engine.states(first, second, third) == ["queued", "cancelled", "queued"]


async def test_a_run_of_another_session_is_not_there(engine: Engine) -> None:
    await engine.sessions(A, B)
    other = await engine.queue(B)

    for run_id in (other, "no such run"):
        with pytest.raises(RunNotFound):
            await abort(engine, A, run_id)

    assert await engine.states(other) == ["queued"]


async def test_an_idle_session_has_nothing_to_stop(engine: Engine) -> None:
    await engine.sessions(A)

    assert await abort(engine, A) == []


async def test_a_session_that_is_not_there_is_not_made(engine: Engine) -> None:  # K9
    for key in ("main", "agent:main:nope"):
        with pytest.raises(SessionNotFound):
            await abort(engine, key)

    assert await count(engine.db, sessions_table) == 0


async def test_a_session_out_of_sight_is_not_there(engine: Engine) -> None:  # V5
    await engine.sessions(A, B)
    hidden = await engine.queue(B)
    engine.rules = replace(engine.rules, visibility=VisibilityRules(VisibilitySetting.SELF))

    with pytest.raises(SessionNotFound):
        await abort(engine, B, caller=acting_as(A))

    assert await engine.states(hidden) == ["queued"]
