"""CancelRun: a queued run ends at once, a running one is told, and what a run caused goes with it (R6)."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from sessiond.model.errors import InvalidField, RunNotFound
from sessiond.model.visibility import VisibilityRules, VisibilitySetting
from sessiond.tools.sessions_spawn import SpawnQuery, sessions_spawn
from tests.making import acting_as, session_of
from tests.runtime.engine import A, B, C, Engine, agent_of

pytest_plugins = ["tests.runtime.fixtures"]


async def test_a_queued_run_ends_at_once(engine: Engine) -> None:
    run_id = await engine.queue()

    (placed,) = await engine.cancel(run_id, reason="enough")

    assert (placed.run.id, placed.run.state) == (run_id, "cancelled")
    assert await engine.transitions(run_id) == [("queued", "olivia", ""), ("cancelled", "olivia", "enough")]
    assert await engine.acquire() == []


async def test_a_running_run_is_told_and_goes_on_until_it_stops(engine: Engine) -> None:
    taken = await engine.running()

    (placed,) = await engine.cancel(taken.placed.run.id)

    assert (placed.run.state, placed.run.end_ms) == ("cancelling", None)
    assert (await engine.transitions(placed.run.id))[-1] == ("cancelling", "olivia", "CANCELLED")
    session = await session_of(engine.db, "agent:main:main")
    assert session is not None
    assert session.active_run_state == "cancelling"


async def test_a_queued_run_in_the_middle_leaves_the_order_of_the_others(engine: Engine) -> None:  # R2
    first, second, third = [await engine.queue() for _ in range(3)]

    await engine.cancel(second)

    await engine.complete(await engine.take(first))
    await engine.take(third)


async def test_a_cancelled_head_lets_the_next_have_its_turn(engine: Engine) -> None:  # R2
    first, second = [await engine.queue() for _ in range(2)]

    await engine.cancel(first)

    await engine.take(second)


async def family(engine: Engine) -> tuple[str, str, str]:
    """A running run, what it sent to another session, and what that spawned."""
    await engine.sessions(A, B)
    root = await engine.running(A)
    child = await engine.running(B, caller=agent_of(root))
    spawned = await sessions_spawn(engine.db, engine.rules, agent_of(child), SpawnQuery("task"))
    return root.placed.run.id, child.placed.run.id, spawned.placed.run.id


async def test_children_go_with_it_and_the_answer_lists_every_run(engine: Engine) -> None:
    root, child, grandchild = await family(engine)

    touched = await engine.cancel(root, reason="enough")

    assert [each.run.id for each in touched] == [root, child, grandchild]
    assert [each.run.state for each in touched] == ["cancelling", "cancelling", "cancelled"]
    for run_id in (child, grandchild):
        assert (await engine.transitions(run_id))[-1][1:] == ("olivia", "enough")


async def test_children_stay_when_they_are_to_be_kept(engine: Engine) -> None:
    root, child, grandchild = await family(engine)

    touched = await engine.cancel(root, keep_children=True)

    assert [each.run.id for each in touched] == [root]
    assert await engine.states(child, grandchild) == ["running", "queued"]


async def test_a_finished_run_stays_as_it_is_and_its_children_are_stopped(engine: Engine) -> None:  # R1
    await engine.sessions(A, B)
    root = await engine.running(A)
    child = await engine.queue(B, caller=agent_of(root))
    done = await engine.complete(root, "done")

    touched = await engine.cancel(root.placed.run.id)

    assert [each.run.id for each in touched] == [done.run.id, child]
    assert [each.run.state for each in touched] == ["succeeded", "cancelled"]


async def test_a_grandchild_is_stopped_also_when_the_run_between_has_ended(engine: Engine) -> None:
    await engine.sessions(A, B, C)
    root = await engine.running(A)
    child = await engine.running(B, caller=agent_of(root), max_turns=0)
    grandchild = await engine.queue(C, caller=agent_of(child))
    await engine.complete(child)

    touched = await engine.cancel(root.placed.run.id)

    assert [each.run.id for each in touched] == [root.placed.run.id, grandchild]
    assert await engine.states(grandchild) == ["cancelled"]


async def test_cancelled_twice_it_ends_once(engine: Engine) -> None:  # R1
    run_id = await engine.queue()

    answers = await asyncio.gather(*(engine.cancel(run_id, reason=f"{number}") for number in range(6)))

    assert {each.run.state for answer in answers for each in answer} == {"cancelled"}
    assert len(await engine.transitions(run_id)) == 2


async def test_cancelled_and_taken_at_once_it_is_one_or_the_other(engine: Engine) -> None:  # R1
    run_id = await engine.queue()

    _, taken = await asyncio.gather(engine.cancel(run_id), engine.acquire())

    assert await engine.states(run_id) == ["cancelling" if taken else "cancelled"]


async def test_the_session_remembers_that_its_last_run_was_aborted(engine: Engine) -> None:  # L6
    await engine.cancel(await engine.queue())
    session = await session_of(engine.db, "agent:main:main")
    assert session is not None
    assert session.aborted_last_run == 1

    await engine.complete(await engine.running())

    session = await session_of(engine.db, "agent:main:main")
    assert session is not None
    assert session.aborted_last_run == 0


async def test_a_run_out_of_sight_cannot_be_cancelled(engine: Engine) -> None:  # V5
    await engine.sessions(A, B)
    hidden = await engine.queue(B)
    engine.rules = replace(engine.rules, visibility=VisibilityRules(VisibilitySetting.SELF))

    told = []
    for run_id in (hidden, "no such run"):
        with pytest.raises(RunNotFound) as refused:
            await engine.cancel(run_id, acting_as(A))
        told.append(refused.value.text)

    assert told[0] == told[1]
    assert await engine.states(hidden) == ["queued"]


@pytest.mark.parametrize(("run_id", "reason", "field"), [("", "", "run_id"), ("x", "x" * 257, "reason")])
async def test_what_is_asked_is_checked(engine: Engine, run_id: str, reason: str, field: str) -> None:  # X1
    with pytest.raises(InvalidField) as refused:
        await engine.cancel(run_id, reason=reason)

    assert [each.field for each in refused.value.fields] == [field]
