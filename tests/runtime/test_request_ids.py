"""request_id on every write: the same request gives the first answer, another one is refused (R8)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from sessiond.gateway.sessions_reset import ResetQuery, sessions_reset
from sessiond.model.callers import Caller
from sessiond.model.errors import RequestIdReused
from sessiond.store.schema import request_ids, runs, session_generations
from sessiond.tools.sessions_spawn import SpawnQuery, sessions_spawn
from sessiond.worker.sweep import old_records, sweep_once
from tests.making import OWNER, acting_as, count
from tests.runtime.engine import A, Engine

pytest_plugins = ["tests.runtime.fixtures"]

# A write of each kind: what is asked, under which id, and what in its answer names the effect.
Write = Callable[[Engine, Caller, str, str], Awaitable[object]]


async def _send(engine: Engine, caller: Caller, what: str, request_id: str) -> object:
    sent = await engine.send(A, what, caller, request_id=request_id)
    return sent.placed.run.id, sent.message_id, sent.exchange_id


async def _chat(engine: Engine, caller: Caller, what: str, request_id: str) -> object:
    answer = await engine.chat(A, what, caller, request_id=request_id)
    return answer.run_id, answer.message_id, answer.queue_position


async def _spawn(engine: Engine, caller: Caller, what: str, request_id: str) -> object:
    spawned = await sessions_spawn(engine.db, engine.rules, caller, SpawnQuery(what, request_id=request_id))
    return spawned.placed.run.id, spawned.child.key, spawned.exchange_id


async def _cancel(engine: Engine, caller: Caller, what: str, request_id: str) -> object:
    victim = await engine.queue(A, request_id="the victim")
    return [each.run.id for each in await engine.cancel(victim, caller, reason=what, request_id=request_id)]


async def _reset(engine: Engine, caller: Caller, what: str, request_id: str) -> object:
    query = ResetQuery(A if what == "this" else "main", request_id)
    return (await sessions_reset(engine.db, engine.rules, caller, query)).previous_session_id


WRITES: dict[str, Write] = {"send": _send, "chat": _chat, "spawn": _spawn, "cancel": _cancel, "reset": _reset}


@pytest.fixture(params=WRITES)
def write(request: pytest.FixtureRequest) -> Write:
    return WRITES[request.param]


async def effects(engine: Engine) -> tuple[int, int]:
    return await count(engine.db, runs), await count(engine.db, session_generations)


async def test_a_retry_gets_the_first_answer_and_has_no_other_effect(engine: Engine, write: Write) -> None:
    await engine.sessions(A)
    first = await write(engine, OWNER, "this", "r1")
    before = await effects(engine)

    assert await write(engine, OWNER, "this", "r1") == first

    assert await effects(engine) == before


async def test_another_request_under_the_same_id_is_refused(engine: Engine, write: Write) -> None:
    await engine.sessions(A)
    await write(engine, OWNER, "this", "r1")
    before = await engine.rows()

    with pytest.raises(RequestIdReused):
        await write(engine, OWNER, "that", "r1")

    assert await engine.rows() == before


async def test_the_same_id_of_another_caller_is_another_request(engine: Engine, write: Write) -> None:
    await engine.sessions(A)
    first = await write(engine, OWNER, "this", "r1")

    second = await write(engine, replace(OWNER, name="otto"), "this", "r1")

    assert (first == second) is (write is _cancel)  # the same run is cancelled; everything else happens once more


async def test_the_same_id_acting_from_elsewhere_is_refused(engine: Engine, write: Write) -> None:
    await engine.sessions(A)
    await write(engine, acting_as("main"), "this", "r1")

    with pytest.raises(RequestIdReused):
        await write(engine, acting_as(A), "this", "r1")


async def test_twins_at_once_have_one_effect_and_one_answer(engine: Engine, write: Write) -> None:
    await engine.sessions(A)
    await engine.queue("agent:ops:main", request_id="warm")
    await write(engine, replace(OWNER, name="alone"), "this", "r0")
    alone = await effects(engine)

    answers = await asyncio.gather(*(write(engine, OWNER, "this", "r1") for _ in range(8)))

    assert all(each == answers[0] for each in answers)
    after = await effects(engine)
    assert sum(after) - sum(alone) == (0 if write is _cancel else 1 if write in (_send, _chat, _reset) else 2)


async def test_one_id_stands_for_one_method(engine: Engine) -> None:
    await engine.sessions(A)
    await _send(engine, OWNER, "this", "r1")

    with pytest.raises(RequestIdReused):
        await _chat(engine, OWNER, "this", "r1")


async def test_without_an_id_every_call_counts(engine: Engine) -> None:
    await engine.sessions(A)

    sent = {await engine.queue(A) for _ in range(3)}

    assert len(sent) == 3
    assert await count(engine.db, request_ids) == 0


async def test_the_timeout_is_no_part_of_the_request(engine: Engine) -> None:  # a retry may wait for longer
    first = await engine.send(request_id="r1")
    await engine.complete(await engine.take(), "answer")

    again = await engine.send(request_id="r1", timeout_s=30)

    assert (again.placed.run.id, again.placed.run.reply, again.waited) == (first.placed.run.id, "answer", True)


async def test_a_refused_request_leaves_its_id_free(engine: Engine) -> None:
    engine.limit(queue_depth=1)
    await engine.queue()
    with pytest.raises(Exception, match="queueDepth"):
        await engine.queue(message="again", request_id="r1")
    engine.limit(queue_depth=2)

    assert await engine.queue(message="something else", request_id="r1")


async def test_an_id_is_kept_for_a_day_at_least(engine: Engine) -> None:
    first = await engine.queue(request_id="r1")
    engine.clock.advance(minutes=24 * 60)
    await sweep_once(engine.db, engine.rules, old_records)
    assert await engine.queue(request_id="r1") == first

    engine.clock.advance(minutes=1)
    await sweep_once(engine.db, engine.rules, old_records)

    assert await count(engine.db, request_ids) == 0
