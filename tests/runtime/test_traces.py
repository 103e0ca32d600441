"""Traces: every run knows its trace, root, parent and depth, and a trace has a budget (R9)."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from sessiond.model.errors import TraceBudget
from sessiond.rpc.convert.runtime import traceparent_of
from sessiond.store.schema import runs, traces
from sessiond.tools.sessions_spawn import SpawnQuery, sessions_spawn
from tests.making import OWNER, acting_as, count
from tests.runtime.engine import A, B, C, Engine, agent_of

pytest_plugins = ["tests.runtime.fixtures"]

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
TRACED = replace(OWNER, traceparent=f"00-{TRACE}-00f067aa0ba902b7-01")


async def test_a_run_without_a_trace_begins_one(engine: Engine) -> None:
    await engine.sessions(A, B)

    first, second = [await engine.run(await engine.queue(key)) for key in (A, B)]

    assert len(first.trace_id) == 32
    assert first.trace_id != second.trace_id
    assert (first.root_run_id, first.parent_run_id, first.depth) == (first.id, "", 0)


async def test_a_traceparent_that_comes_in_goes_out_with_the_run(engine: Engine) -> None:
    taken = await engine.running(caller=TRACED)

    assert taken.placed.run.trace_id == TRACE
    version, trace, parent, flags = traceparent_of(taken.placed.run).split("-")
    assert (version, trace, flags) == ("00", TRACE, "01")
    assert len(parent) == 16
    assert int(parent, 16) > 0


@pytest.mark.parametrize(
    "given",
    [
        "nonsense",
        f"00-{'0' * 32}-00f067aa0ba902b7-01",
        f"00-{TRACE.upper()}-00f067aa0ba902b7-01",
        f"00-{TRACE}-00f067aa0ba902b7",
        f"00-{TRACE}-00f067aa0ba902b7-01\n",
    ],
)
async def test_a_malformed_traceparent_is_as_good_as_none(engine: Engine, given: str) -> None:
    run = await engine.run(await engine.queue(caller=replace(OWNER, traceparent=given)))

    assert len(run.trace_id) == 32
    assert run.trace_id.lower() != TRACE


async def test_what_a_run_causes_belongs_to_its_trace(engine: Engine) -> None:
    await engine.sessions(A, B, C)
    root = await engine.running(A, caller=TRACED)
    child = await engine.running(B, caller=agent_of(root))
    spawned = await sessions_spawn(engine.db, engine.rules, agent_of(child), SpawnQuery("task"))
    grandchild = spawned.placed.run

    assert (child.placed.run.trace_id, grandchild.trace_id) == (TRACE, TRACE)
    assert (child.placed.run.parent_run_id, grandchild.parent_run_id) == (root.placed.run.id, child.placed.run.id)
    assert (child.placed.run.root_run_id, grandchild.root_run_id) == (root.placed.run.id, root.placed.run.id)
    assert (child.placed.run.depth, grandchild.depth) == (1, 2)


async def test_the_unfinished_run_of_an_acting_session_is_the_parent(engine: Engine) -> None:
    await engine.sessions(A, B)
    head = await engine.queue(A)
    await engine.queue(A)

    run = await engine.run(await engine.queue(B, caller=replace(acting_as(A), traceparent=TRACED.traceparent)))

    assert run.parent_run_id == head
    assert run.trace_id == (await engine.run(head)).trace_id != TRACE


async def test_a_trace_out_of_budget_is_refused_before_anything_is_stored(engine: Engine) -> None:
    engine.limit(max_runs_per_trace=3)
    await engine.sessions(A, B)
    for key in (A, B, A):
        await engine.queue(key, caller=TRACED)
    before = await engine.rows()

    for call in (engine.queue(B, caller=TRACED), engine.chat(B, caller=TRACED), _spawn(engine)):
        with pytest.raises(TraceBudget) as refused:
            await call
        assert refused.value.facts["config_key"] == "session.agentToAgent.maxRunsPerTrace"

    assert await engine.rows() == before
    assert await engine.queue(B)


async def test_a_trace_that_began_here_is_counted_from_its_first_run_on(engine: Engine) -> None:
    engine.limit(max_runs_per_trace=3)
    await engine.sessions(A, B)
    first = await engine.run(await engine.queue(A))
    caller = replace(OWNER, traceparent=f"00-{first.trace_id}-00f067aa0ba902b7-01")
    for key in (A, B):
        await engine.queue(key, caller=caller)

    with pytest.raises(TraceBudget):
        await engine.queue(B, caller=caller)

    assert {(await engine.run(run)).trace_id for run in (first.id, await engine.queue(B))} > {first.trace_id}


async def test_the_only_run_of_a_trace_is_all_there_may_be_if_the_budget_is_one(engine: Engine) -> None:
    engine.limit(max_runs_per_trace=1)
    await engine.sessions(A, B)
    root = await engine.running(A)

    with pytest.raises(TraceBudget):
        await engine.queue(B, caller=agent_of(root))

    assert await count(engine.db, traces) == 0


async def _spawn(engine: Engine) -> None:
    await sessions_spawn(engine.db, engine.rules, TRACED, SpawnQuery("task"))


async def test_callers_at_once_share_the_budget_exactly(engine: Engine) -> None:
    engine.limit(max_runs_per_trace=5)
    keys = [f"agent:main:{number}" for number in range(12)]
    await engine.sessions(*keys)

    answers = await asyncio.gather(*(engine.queue(key, caller=TRACED) for key in keys), return_exceptions=True)

    assert sum(isinstance(each, str) for each in answers) == 5
    assert sum(isinstance(each, TraceBudget) for each in answers) == 7
    assert await count(engine.db, runs) == 5
