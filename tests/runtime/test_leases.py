"""Leases: held by heartbeats on the database's clock, fenced by a token that dies with them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from sessiond.model.errors import InvalidField, LeaseLost
from sessiond.model.events import Delta
from sessiond.model.messages import Role
from sessiond.model.runs import Failure, LeaseToken
from sessiond.runtime.append_run_events import AppendQuery, append_run_events
from sessiond.runtime.complete_run import Cancelled, CompleteQuery, complete_run
from sessiond.runtime.heartbeat_runs import MAX_LEASES, LeaseStatus, heartbeat_runs
from sessiond.runtime.release_run import ReleaseQuery, release_run
from tests.making import words
from tests.runtime.engine import A, B, C, Engine, token_of

pytest_plugins = ["tests.runtime.fixtures"]

LATE = words("late", Role.ASSISTANT)
Write = Callable[[Engine, str], Awaitable[object]]
WRITES: dict[str, Write] = {
    "reply": lambda engine, token: complete_run(engine.db, engine.rules, CompleteQuery(token, "late")),
    "failure": lambda engine, token: complete_run(engine.db, engine.rules, CompleteQuery(token, Failure("X"))),
    "cancelled": lambda engine, token: complete_run(engine.db, engine.rules, CompleteQuery(token, Cancelled())),
    "delta": lambda engine, token: append_run_events(engine.db, engine.rules, AppendQuery(token, 1, (Delta("x"),))),
    "message": lambda engine, token: append_run_events(engine.db, engine.rules, AppendQuery(token, 1, (LATE,))),
    "nothing": lambda engine, token: append_run_events(engine.db, engine.rules, AppendQuery(token, 0, ())),
    "release": lambda engine, token: release_run(engine.db, engine.rules, ReleaseQuery(token)),
}


async def beat(engine: Engine, *tokens: str) -> list[LeaseStatus]:
    return await heartbeat_runs(engine.db, engine.rules, list(tokens))


async def lost_lease(engine: Engine) -> str:
    """The token of a lease whose run has been leased again since."""
    engine.agent("main", requeue_on_loss=True)
    old = await engine.running()
    engine.clock.advance(seconds=31)
    await engine.sweep()
    await engine.take(old.placed.run.id)
    return token_of(old)


@pytest.mark.parametrize("name", WRITES)
async def test_a_write_with_an_old_token_is_refused_and_changes_nothing(engine: Engine, name: str) -> None:  # R3
    old = await lost_lease(engine)
    before = await engine.rows()

    with pytest.raises(LeaseLost):
        await WRITES[name](engine, old)

    assert await engine.rows() == before


@pytest.mark.parametrize("name", WRITES)
async def test_a_token_that_is_none_is_refused_like_a_lost_one(engine: Engine, name: str) -> None:  # R3
    for token in ("x", "a.b.c", "a.1.c", "no-run.1.secret", "a.-1.c", "a.١.c", f"a.{'9' * 30}.c"):
        with pytest.raises(LeaseLost):
            await WRITES[name](engine, token)


@pytest.mark.parametrize("name", WRITES)
async def test_a_token_is_required(engine: Engine, name: str) -> None:  # X1
    with pytest.raises(InvalidField) as refused:
        await WRITES[name](engine, "")

    assert [each.field for each in refused.value.fields] == ["lease_token"]


@pytest.mark.parametrize("name", WRITES)
async def test_neither_secret_nor_fence_can_be_made_up(engine: Engine, name: str) -> None:  # R3
    taken = await engine.running()
    before = await engine.rows()
    real = taken.lease_token

    for forged in (
        replace(real, secret=real.secret[:-1]),
        replace(real, fence=real.fence + 1),
        replace(real, run_id="other"),
    ):
        with pytest.raises(LeaseLost):
            await WRITES[name](engine, str(forged))

    assert LeaseToken.parse(str(real)) == real
    assert await engine.rows() == before


@pytest.mark.parametrize("name", WRITES)
async def test_after_the_server_ended_the_run_its_token_is_dead(engine: Engine, name: str) -> None:  # R3, R4
    taken = await engine.running()
    engine.clock.advance(seconds=31)
    await engine.sweep()
    before = await engine.rows()

    with pytest.raises(LeaseLost):
        await WRITES[name](engine, token_of(taken))

    assert await engine.rows() == before


async def test_the_new_holder_finishes_the_run(engine: Engine) -> None:  # R3
    engine.agent("main", requeue_on_loss=True)
    old = await engine.running()
    engine.clock.advance(seconds=31)
    await engine.sweep()
    new = await engine.take(old.placed.run.id)

    assert (new.lease_token.fence, new.placed.run.attempt) != (old.lease_token.fence, old.placed.run.attempt)
    assert (await engine.complete(new, "in time")).run.reply == "in time"


async def test_heartbeats_keep_a_lease_for_as_long_as_they_come(engine: Engine) -> None:  # R3
    taken = await engine.running()

    for _ in range(4):
        engine.clock.advance(seconds=20)
        (status,) = await beat(engine, token_of(taken))
        assert status.expires_ms == engine.clock.now_ms + 30_000
        assert await engine.sweep() == 0

    assert await engine.states(taken.placed.run.id) == ["running"]


async def test_an_append_renews_the_lease_too(engine: Engine) -> None:  # R3
    taken = await engine.running()
    engine.clock.advance(seconds=29)

    await append_run_events(engine.db, engine.rules, AppendQuery(token_of(taken), 0, ()))

    engine.clock.advance(seconds=29)
    assert await engine.sweep() == 0
    engine.clock.advance(seconds=2)
    assert await engine.sweep() == 1


async def test_one_heartbeat_speaks_for_all_runs_of_a_runtime(engine: Engine) -> None:  # R3, R6
    await engine.sessions(A, B, C)
    going, stopping, over = [await engine.running(key) for key in (A, B, C)]
    await engine.cancel(stopping.placed.run.id, reason="enough")
    await engine.complete(over)
    tokens = [token_of(each) for each in (over, stopping, going)]

    statuses = await beat(engine, *tokens, "nonsense", tokens[2])

    assert [each.lease_token for each in statuses] == [*tokens, "nonsense", tokens[2]]
    assert [each.is_lost for each in statuses] == [True, False, False, True, False]
    assert [each.cancel_requested for each in statuses] == [False, True, False, False, False]
    assert statuses[1].cancel_reason == "enough"


async def test_heartbeats_of_the_same_runs_at_once_all_succeed(engine: Engine) -> None:  # R3
    keys = [f"agent:main:{number}" for number in range(6)]
    await engine.sessions(*keys)
    tokens = [token_of(await engine.running(key)) for key in keys]

    answers = await asyncio.gather(*(beat(engine, *(tokens if turn % 2 else tokens[::-1])) for turn in range(8)))

    assert not any(status.is_lost for answer in answers for status in answer)


async def test_a_heartbeat_names_a_thousand_leases_at_most(engine: Engine) -> None:  # X6
    assert len(await beat(engine, *(f"r{number}.1.x" for number in range(MAX_LEASES)))) == MAX_LEASES
    with pytest.raises(InvalidField):
        await beat(engine, *["x"] * (MAX_LEASES + 1))
