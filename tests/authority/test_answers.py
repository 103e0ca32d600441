"""Answers that speak of several sessions speak of those only that the caller may see (property 8)."""

from __future__ import annotations

from pathlib import Path

import pytest

from sessiontools.v1 import gateway_service_pb2 as gateway
from sessiontools.v1 import run_pb2
from sessiontools.v1 import session_tools_service_pb2 as tools
from tests.authority.cast import SETTINGS
from tests.authority.house import OWNER, SECRETS
from tests.authority.stage import ANN, BOB, Stage, staged
from tests.serving import acting, bearer

AS_IT_COMES = SETTINGS[0]


async def spawned_elsewhere(stage: Stage) -> tuple[str, tools.SessionsSpawnResponse]:
    """Ann's run under way, and what it spawned under another agent, which Bob does not see."""
    await stage.make(ANN, to="+49 151 1234567")
    await stage.make(BOB)
    ann = await stage.at_work(ANN)
    return ann.run.id, await stage.spawn("dig", bearer(ann.run_token), agent_id="ops")


async def test_a_cancel_stops_what_it_must_and_lists_what_the_caller_may_see(tmp_path: Path) -> None:  # R6
    async with staged(tmp_path, AS_IT_COMES) as stage:
        run_id, child = await spawned_elsewhere(stage)
        bob = await stage.at_work(BOB)

        request = tools.CancelRunRequest(run_id=run_id)
        answer = await stage.server.tools.CancelRun(request, metadata=bearer(bob.run_token))

        stopped = await stage.server.tools.GetRun(tools.GetRunRequest(run_id=child.run_id), metadata=OWNER)
    assert [run.id for run in answer.runs] == [run_id]
    assert stopped.run.state == run_pb2.RUN_STATE_CANCELLED


@pytest.mark.parametrize("names_run", [True, False])
async def test_an_abort_lists_what_the_caller_may_see(tmp_path: Path, names_run: bool) -> None:  # R6
    async with staged(tmp_path, AS_IT_COMES) as stage:
        run_id, _ = await spawned_elsewhere(stage)
        as_bob = (*bearer(SECRETS["gateway"]), *acting(BOB))

        request = gateway.ChatAbortRequest(session_key=ANN, run_id=run_id if names_run else "")
        answer = await stage.server.gateway.ChatAbort(request, metadata=as_bob)

    assert [run.id for run in answer.runs] == [run_id]


async def test_a_wait_does_not_tell_where_a_session_that_is_hidden_is_reached(tmp_path: Path) -> None:  # W4, W8
    async with staged(tmp_path, AS_IT_COMES) as stage:
        ops = await stage.at_work("agent:ops:main")
        _, child = await spawned_elsewhere(stage)
        await stage.complete(await stage.lease())  # the task
        await stage.complete(await stage.lease(), "found it")  # its report, which goes to Ann's route

        request = tools.WaitRunRequest(run_id=child.run_id, until=run_pb2.WAIT_UNTIL_SETTLED, max_wait_seconds=0)
        told = [each async for each in stage.server.tools.WaitRun(request, metadata=bearer(ops.run_token))]

    (changed,) = [each.delivery_changed.delivery for each in told if each.HasField("delivery_changed")]
    assert (changed.session_key, changed.route.to) == ("", "")
