"""Run tokens: their holder is that agent in that session, for as long as the lease lasts (V1)."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from sessiond.access import policy_of
from sessiond.model.callers import CallerRole
from sessiond.model.errors import SessionNotFound, ToolDenied, Unauthenticated
from sessiond.model.tools import ToolPolicy
from sessiond.model.visibility import VisibilityRules, VisibilitySetting
from sessiond.rpc.authority import REQUIRED, authorize
from sessiond.runtime.assignments import Assignment
from sessiond.runtime.release_run import ReleaseQuery, release_run
from sessiond.tools.sessions_history import HistoryQuery, sessions_history
from sessiond.tools.sessions_list import ListQuery, sessions_list
from sessiond.worker.sweep import overdue_runs, sweep_once
from tests.making import acting_as, make_session
from tests.runtime.engine import A, B, Engine, agent_of, token_of

pytest_plugins = ["tests.runtime.fixtures"]


async def seen(engine: Engine, lease: Assignment) -> set[str]:
    page = await sessions_list(engine.db, engine.rules, agent_of(lease), ListQuery())
    return {each.key for each in page.sessions}


@pytest.mark.parametrize("setting", VisibilitySetting)
async def test_an_agent_sees_what_its_session_sees(engine: Engine, setting: VisibilitySetting) -> None:  # V1, V3
    own = await make_session(engine.db, A)
    await make_session(engine.db, "agent:ops:subagent:1", spawned_by=own)
    await engine.sessions(B, "agent:ops:main")
    engine.rules = replace(engine.rules, visibility=VisibilityRules(setting))
    lease = await engine.running(A)

    page = await sessions_list(engine.db, engine.rules, acting_as(A), ListQuery())

    assert await seen(engine, lease) == {each.key for each in page.sessions}


async def test_its_words_come_from_its_session_and_run(engine: Engine) -> None:  # S7
    await engine.sessions(A, B)
    lease = await engine.running(A)

    sent = await engine.send("agent:main:b", "hi", agent_of(lease))

    assert sent.placed.run.parent_run_id == lease.placed.run.id
    target = await engine.take()
    assert target.context is not None
    assert target.context.requester_session_key == A


async def test_a_token_dies_with_the_end_of_its_run(engine: Engine) -> None:  # V1
    lease = await engine.running()
    await seen(engine, lease)

    await engine.complete(lease)

    with pytest.raises(Unauthenticated):
        await seen(engine, lease)


async def test_a_token_dies_with_its_lease_also_when_the_run_goes_on(engine: Engine) -> None:  # V1, R3
    lease = await engine.running()
    await release_run(engine.db, engine.rules, ReleaseQuery(token_of(lease)))
    with pytest.raises(Unauthenticated):
        await seen(engine, lease)

    again = await engine.take(lease.placed.run.id)

    assert await seen(engine, again) == {"agent:main:main"}
    with pytest.raises(Unauthenticated):
        await seen(engine, lease)


async def test_a_token_lives_on_while_its_run_is_being_cancelled(engine: Engine) -> None:  # R6: to clean up
    lease = await engine.running()

    await engine.cancel(lease.placed.run.id)

    assert await seen(engine, lease) == {"agent:main:main"}


async def test_a_token_lives_for_as_long_as_its_runtime_may_write(engine: Engine) -> None:  # V1, R3
    lease = await engine.running()
    engine.clock.advance(seconds=31)
    await seen(engine, lease)

    await sweep_once(engine.db, engine.rules, overdue_runs)

    with pytest.raises(Unauthenticated):
        await seen(engine, lease)


async def test_a_token_is_bound_to_one_lease_of_one_attempt_in_one_session(engine: Engine) -> None:  # V1
    lease = await engine.running()
    token = lease.run_token

    for other in (replace(token, session=99), replace(token, attempt=99), replace(token, fence=99)):
        with pytest.raises(Unauthenticated):
            await sessions_list(engine.db, engine.rules, replace(agent_of(lease), run_token=other), ListQuery())


async def test_a_tool_that_the_session_may_not_use_is_refused(engine: Engine) -> None:  # P6, V6
    denied = ToolPolicy(deny=("sessions_send", "get_run")).stored()
    await make_session(engine.db, A, tool_policy=denied)
    lease = await engine.running(A)

    refused = []
    for method, required in REQUIRED.items():
        if CallerRole.AGENT in required.roles:
            try:
                await authorize(agent_of(lease), method, partial(policy_of, engine.db))
            except ToolDenied as refusal:
                refused.append((method, refusal.facts["tool"]))

    tools = "sessiontools.v1.SessionToolsService"
    assert sorted(refused) == [(f"{tools}/GetRun", "get_run"), (f"{tools}/SessionsSend", "sessions_send")]


async def test_a_token_whose_lease_is_over_is_nobodys_whatever_the_method(engine: Engine) -> None:  # V1
    lease = await engine.running()
    await engine.complete(lease)

    for method in (*REQUIRED, "no.such/Method"):
        with pytest.raises(Unauthenticated):
            await authorize(agent_of(lease), method, partial(policy_of, engine.db))


async def test_what_it_may_not_see_is_not_there_for_it(engine: Engine) -> None:  # V5
    await engine.sessions(A, "agent:ops:main")
    engine.rules = replace(engine.rules, visibility=VisibilityRules(VisibilitySetting.SELF))
    lease = await engine.running(A)

    with pytest.raises(SessionNotFound):
        await sessions_history(engine.db, engine.rules, agent_of(lease), HistoryQuery("agent:ops:main"))
