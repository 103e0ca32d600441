"""Sends that are stored together: each is stored and answered as if it had been alone (S1-S6, R2, R8)."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from sessiond.model.errors import MessageTooLarge, QueueFull, Refusal, RequestIdReused, SessionNotFound
from sessiond.store import runs
from sessiond.store.opening import open_database
from sessiond.store.schema import exchanges, run_events
from sessiond.store.schema import runs as runs_table
from sessiond.tools import sends
from sessiond.tools.sends import Sending, SendQuery, Sent
from sessiond.tools.sessions_send import sessions_send
from tests.making import OWNER, count, session_of
from tests.runtime.engine import A, B, C, Engine

pytest_plugins = ["tests.runtime.fixtures"]


async def outcomes(*asked: object) -> list[Sent | BaseException]:
    return await asyncio.gather(*asked, return_exceptions=True)  # type: ignore[call-overload, no-any-return]


async def test_they_are_one_batch(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    together = sends._send_together

    def counted(tx: object, sendings: list[Sending]) -> object:
        sizes.append(len(sendings))
        return together(tx, sendings)  # type: ignore[arg-type]

    monkeypatch.setattr(sends, "_send_together", counted)
    await engine.sessions(A, B, C)

    await outcomes(*(engine.send((A, B, C)[number % 3], f"{number}") for number in range(60)))

    assert sum(sizes) == 60
    assert len(sizes) <= 3


async def test_each_has_its_message_run_event_and_exchange(engine: Engine) -> None:  # S3
    await engine.sessions(A, B)

    sent = await outcomes(*(engine.send(A if number % 2 else B, f"{number}") for number in range(20)))

    assert all(isinstance(each, Sent) for each in sent)
    for table in (runs_table, run_events, exchanges):
        assert await count(engine.db, table) == 20
    for each in sent:
        assert isinstance(each, Sent)
        assert await engine.db.read(lambda tx, each=each: runs.get(tx, each.placed.run.id)) == each.placed.run  # type: ignore[misc]


async def test_those_of_one_session_queue_up_in_the_order_in_which_they_came(engine: Engine) -> None:  # R2
    await engine.sessions(A)

    sent = await outcomes(*(engine.send(A, f"{number}") for number in range(10)))

    placed = [each.placed for each in sent if isinstance(each, Sent)]
    assert [each.queue_position for each in placed] == list(range(10))
    assert [each.run.run_order for each in placed] == list(range(1, 11))
    assert {each.blocking_run_id for each in placed[1:]} == {placed[0].run.id}
    session = await session_of(engine.db, A)
    assert session is not None
    assert (session.last_sequence, session.unfinished_runs, session.active_run_id) == (10, 10, placed[0].run.id)
    for each in placed:
        taken = await engine.take(each.run.id)
        await engine.complete(taken)


async def test_one_that_is_refused_leaves_nothing_and_the_others_are_stored(engine: Engine) -> None:  # S6
    engine.limit(queue_depth=2)
    await engine.sessions(A, B)

    found = await outcomes(
        engine.send(A, "1"),
        engine.send("agent:main:nowhere", "2"),
        engine.send(A, "3"),
        engine.send(A, "one too many"),
        engine.send(B, "x" * 1_048_577),
        engine.send(B, "4"),
    )

    assert [type(each) for each in found] == [Sent, SessionNotFound, Sent, QueueFull, MessageTooLarge, Sent]
    assert await count(engine.db, runs_table) == 3


async def test_an_answer_that_can_not_be_made_is_a_fault_of_that_one_alone(engine: Engine) -> None:
    await engine.sessions(A)

    def shape(sent: Sent) -> int:
        return 6 // (sent.placed.queue_position - 1)

    def asked(message: str) -> object:
        query = SendQuery(message, session_key=A, timeout_s=0)
        return sessions_send(engine.db, engine.rules, engine.waits, OWNER, query, shape)

    found = await outcomes(asked("1"), asked("2"), asked("3"), asked("4"))

    assert [found[0], type(found[1]), *found[2:]] == [-6, ZeroDivisionError, 6, 3]
    assert await count(engine.db, runs_table) == 4


async def test_a_session_may_be_named_by_its_id_or_be_the_first_use_of_a_main(engine: Engine) -> None:  # K8, K9
    await engine.sessions(A)
    session = await session_of(engine.db, A)
    assert session is not None

    found = await outcomes(engine.send(A), engine.send(session.session_id), engine.send("main"))

    assert [each.placed.session_key for each in found if isinstance(each, Sent)] == [A, A, "agent:main:main"]


async def test_a_request_id_counts_once_also_among_those_that_came_with_it(engine: Engine) -> None:  # R8
    await engine.sessions(A)

    found = await outcomes(
        *(engine.send(A, "same", request_id="r1") for _ in range(5)), engine.send(A, "other", request_id="r1")
    )

    assert len({each.placed.run.id for each in found if isinstance(each, Sent)}) == 1
    assert Counter(type(each) for each in found) == {Sent: 5, RequestIdReused: 1}
    assert await count(engine.db, runs_table) == 1
    again = await engine.send(A, "same", request_id="r1")
    assert again.placed.run.id == next(each for each in found if isinstance(each, Sent)).placed.run.id


async def test_a_request_id_that_is_too_long_is_refused(engine: Engine) -> None:  # R8
    await engine.sessions(A)

    good, bad = await outcomes(engine.send(A, request_id="r"), engine.send(A, request_id="r" * 257))

    assert isinstance(good, Sent)
    assert isinstance(bad, Refusal)
    assert await count(engine.db, runs_table) == 1


@asynccontextmanager
async def twin_of(engine: Engine, url: str) -> AsyncIterator[Engine]:
    """Another server on the same store; a file has one, so there it is the same."""
    if engine.db.name == "sqlite":
        yield engine
        return
    other = await open_database(url, on_commit=lambda topics: None, pool_size=4)
    twin = Engine(other, engine.clock, engine.wake)
    twin.rules = engine.rules
    yield twin
    await other.close()


async def test_twins_on_two_replicas_are_one(engine: Engine, engine_url: str) -> None:  # R8, X5
    await engine.sessions(A, B, C)
    async with twin_of(engine, engine_url) as twin:
        for number in range(20):
            key = (A, B, C)[number % 3]
            found = await outcomes(*(each.send(key, "x", request_id=f"r{number}") for each in (engine, twin)))
            assert [type(each) for each in found] == [Sent, Sent]
            assert len({each.placed.run.id for each in found if isinstance(each, Sent)}) == 1

    assert await count(engine.db, runs_table) == 20


async def test_batches_of_two_replicas_lock_sessions_in_one_order(engine: Engine, engine_url: str) -> None:  # X3
    keys = [f"agent:main:{number}" for number in range(16)]
    await engine.sessions(*keys)

    async with twin_of(engine, engine_url) as twin:
        orders = ((engine, keys), (twin, keys[::-1]))
        asked = [each.send(key) for _ in range(5) for each, order in orders for key in order]
        found = await outcomes(*asked)

    assert all(isinstance(each, Sent) for each in found)
    assert await count(engine.db, runs_table) == len(asked)
