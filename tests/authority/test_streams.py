"""What may be seen is asked again at every page of a stream, not only when it is opened (W8)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import grpc
import pytest

from sessiontools.v1 import gateway_service_pb2 as gateway
from sessiontools.v1 import run_pb2
from sessiontools.v1 import session_tools_service_pb2 as tools
from tests.authority.cast import SETTINGS
from tests.authority.house import OWNER, SECRETS
from tests.authority.stage import ANN, BOB, NEVER, Stage, staged
from tests.rpc.serving import error_info, rest, rich_status
from tests.rpc.test_send import refused
from tests.serving import Metadata, acting, bearer

AS_IT_COMES = SETTINGS[0]
GONE = (grpc.StatusCode.UNAUTHENTICATED, "UNAUTHENTICATED")


async def opened(stage: Stage, run_id: str, metadata: Metadata) -> Any:
    """A wait that has told how the run stands, and goes on."""
    wait = stage.wait(run_id, metadata, run_pb2.WAIT_UNTIL_REPLY)
    assert (await wait.read()).HasField("snapshot")
    assert (await wait.read()).HasField("state_changed")
    return wait


async def ending(wait: Any) -> tuple[grpc.StatusCode, str]:
    """The status and reason that an open stream is ended with."""
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await rest(wait)
    return error.value.code(), error_info(await rich_status(wait)).reason


async def cancel(stage: Stage, run_id: str) -> None:
    """Something happens to the run that is waited for."""
    await stage.server.tools.CancelRun(tools.CancelRunRequest(run_id=run_id), metadata=OWNER)


async def test_a_wait_ends_with_the_lease_of_the_run_that_waits(tmp_path: Path) -> None:  # V1, W8
    async with staged(tmp_path, AS_IT_COMES) as stage:
        await stage.make(ANN)
        await stage.make(BOB)
        ann = await stage.at_work(ANN)
        run_id = await stage.send(BOB, "hello", announce=NEVER)
        wait = await opened(stage, run_id, bearer(ann.run_token))

        await stage.complete(ann)
        await cancel(stage, run_id)

        assert await ending(wait) == GONE


async def test_a_long_poll_ends_with_the_lease_of_the_run_that_waits(tmp_path: Path) -> None:  # V1, W9
    async with staged(tmp_path, AS_IT_COMES) as stage:
        await stage.make(ANN)
        await stage.make(BOB)
        ann = await stage.at_work(ANN)
        run_id = await stage.send(BOB, "hello", announce=NEVER)
        request = tools.GetRunRequest(run_id=run_id, wait_seconds=60)
        poll = stage.server.tools.GetRun(request, metadata=bearer(ann.run_token))
        # A second look at the run by the same caller comes after the first, which is the poll's.
        await stage.server.tools.GetRun(tools.GetRunRequest(run_id=run_id), metadata=bearer(ann.run_token))

        await stage.complete(ann)
        await cancel(stage, run_id)

        assert await refused(poll) == GONE


async def test_a_wait_ends_when_the_session_that_is_acted_from_is_no_more(tmp_path: Path) -> None:  # V3, W8
    async with staged(tmp_path, AS_IT_COMES) as stage:
        await stage.make(ANN)
        await stage.make(BOB)
        run_id = await stage.send(BOB, "hello", announce=NEVER)
        wait = await opened(stage, run_id, (*bearer(SECRETS["gateway"]), *acting(ANN)))

        purge = gateway.SessionsDeleteRequest(session_key=ANN, purge=True)
        await stage.server.gateway.SessionsDelete(purge, metadata=OWNER)
        await cancel(stage, run_id)

        assert await ending(wait) == (grpc.StatusCode.NOT_FOUND, "SESSION_NOT_FOUND")


async def test_a_wait_by_somebody_who_may_goes_on_to_its_end(tmp_path: Path) -> None:  # W1
    async with staged(tmp_path, AS_IT_COMES) as stage:
        await stage.make(BOB)
        run_id = await stage.send(BOB, "hello", announce=NEVER)
        wait = await opened(stage, run_id, OWNER)

        await cancel(stage, run_id)

        assert (await rest(wait))[-1].ended.reason == run_pb2.END_REASON_RUN_TERMINAL
