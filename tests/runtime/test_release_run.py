"""ReleaseRun: back to the head of its queue, with nothing used up."""

from __future__ import annotations

import pytest

from sessiond.model.errors import LeaseLost
from sessiond.model.events import Delta
from sessiond.runtime.append_run_events import AppendQuery, append_run_events
from sessiond.runtime.assignments import Assignment
from sessiond.runtime.release_run import ReleaseQuery, release_run
from sessiond.store.runs import PlacedRun
from tests.making import session_of
from tests.runtime.engine import Engine, token_of

pytest_plugins = ["tests.runtime.fixtures"]


async def release(engine: Engine, taken: Assignment, reason: str = "") -> PlacedRun:
    return await release_run(engine.db, engine.rules, ReleaseQuery(token_of(taken), reason))


async def test_a_released_run_is_the_next_again_and_no_attempt_is_used(engine: Engine) -> None:
    first, _second = await engine.running(), await engine.queue()

    placed = await release(engine, first, "DRAINING")

    assert (placed.run.state, placed.run.attempt, placed.queue_position) == ("queued", 0, 0)
    again = await engine.take(first.placed.run.id)
    assert again.placed.run.attempt == 1
    assert await engine.transitions(placed.run.id) == [
        ("queued", "olivia", ""),
        ("running", "rt", ""),
        ("queued", "runtime", "DRAINING"),
        ("running", "rt", ""),
    ]


async def test_the_session_shows_the_released_run_as_queued(engine: Engine) -> None:
    taken = await engine.running()

    await release(engine, taken)

    session = await session_of(engine.db, "agent:main:main")
    assert session is not None
    assert (session.active_run_id, session.active_run_state) == (taken.placed.run.id, "queued")


async def test_released_often_it_still_has_all_its_attempts(engine: Engine) -> None:  # R4
    engine.agent("main", requeue_on_loss=True, max_attempts=2)
    run_id = await engine.queue()
    for _ in range(5):
        await release(engine, await engine.take(run_id))

    for expected in ("queued", "failed"):
        await engine.take(run_id)
        engine.clock.advance(seconds=31)
        await engine.sweep()
        assert await engine.states(run_id) == [expected]


async def test_the_next_holder_appends_from_one(engine: Engine) -> None:
    taken = await engine.running()
    await append_run_events(engine.db, engine.rules, AppendQuery(token_of(taken), 1, (Delta("a"), Delta("b"))))
    await release(engine, taken)
    again = await engine.take()

    done = await append_run_events(engine.db, engine.rules, AppendQuery(token_of(again), 1, (Delta("c"),)))

    assert done.next_sequence == 2


async def test_a_run_that_is_being_cancelled_ends_instead(engine: Engine) -> None:  # R6
    taken = await engine.running()
    await engine.cancel(taken.placed.run.id, reason="enough")

    placed = await release(engine, taken)

    assert (placed.run.state, placed.run.end_actor, placed.run.end_reason) == ("cancelled", "olivia", "enough")


async def test_released_twice_the_second_is_refused(engine: Engine) -> None:  # R3
    taken = await engine.running()
    await release(engine, taken)
    before = await engine.rows()

    with pytest.raises(LeaseLost):
        await release(engine, taken)

    assert await engine.rows() == before
