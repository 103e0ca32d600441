"""WaitRun, WaitRuns and GetRun over the wire: ends before deadlines, at drains and at limits, each said in words."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.rpc import error_details_pb2

from sessiontools.v1 import run_pb2
from sessiontools.v1 import runtime_service_pb2 as runtime
from sessiontools.v1 import session_tools_service_pb2 as pb
from tests.rpc.serving import details, error_info, rich_status
from tests.rpc.test_send import refused, take
from tests.serving import EXTERNAL, Served, served

pytest_plugins = ["tests.runtime.fixtures"]


async def queue(server: Served, message: str = "hello", key: str = "main") -> str:
    quietly = pb.ANNOUNCE_POLICY_NEVER
    request = pb.SessionsSendRequest(session_key=key, message=message, timeout_seconds=0, announce=quietly)
    return (await server.tools.SessionsSend(request)).run_id


async def read(call: Any) -> list[Any]:
    async with asyncio.timeout(30):
        return [each async for each in call]


def end_of(messages: list[Any]) -> str:
    return run_pb2.EndReason.Name(messages[-1].ended.reason).removeprefix("END_REASON_")


async def test_a_stream_can_be_cut_after_every_event_and_resumed_byte_for_byte(
    tmp_path: Path, engine_url: str
) -> None:  # W1, W2, W5
    script = "#!\ndelta one\ntool look {} -> found\ndelta two\nreply done"
    async with served(tmp_path, store_url=engine_url) as server:
        run_id = await queue(server, script)
        ask = pb.WaitRunRequest(run_id=run_id, include_deltas=True, until=run_pb2.WAIT_UNTIL_SETTLED)
        seen = await read(server.tools.WaitRun(ask))
        told = [each for each in seen if each.WhichOneof("event") not in ("snapshot", "heartbeat", "ended")]

        assert end_of(seen) == "SETTLED"
        for cut in range(len(told) + 1):
            resumed = pb.WaitRunRequest()
            resumed.CopyFrom(ask)
            resumed.cursor = told[cut - 1].cursor if cut else ""
            rest = [each.SerializeToString() for each in await read(server.tools.WaitRun(resumed))]
            assert rest[1:-1] == [each.SerializeToString() for each in told[cut:]]


async def test_a_deadline_ends_the_stream_before_it_strikes(tmp_path: Path) -> None:  # W6
    async with served(tmp_path, EXTERNAL) as server:
        run_id = await queue(server)

        seen = await read(server.tools.WaitRun(pb.WaitRunRequest(run_id=run_id), timeout=1))

        assert end_of(seen) == "DEADLINE"
        assert seen[-1].cursor == seen[1].cursor


async def test_a_deadline_ends_a_waiting_get_before_it_strikes(tmp_path: Path) -> None:  # W9
    async with served(tmp_path, EXTERNAL) as server:
        run_id = await queue(server)

        answer = await server.tools.GetRun(pb.GetRunRequest(run_id=run_id, wait_seconds=60), timeout=1)

        assert answer.run.state == run_pb2.RUN_STATE_QUEUED


async def test_a_get_waits_for_another_version_and_its_cursor_leads_on(tmp_path: Path) -> None:  # W9
    async with served(tmp_path, EXTERNAL) as server:
        run_id = await queue(server)
        first = await server.tools.GetRun(pb.GetRunRequest(run_id=run_id))
        known = pb.GetRunRequest(run_id=run_id, wait_seconds=30, known_version=first.run.version)
        waiting = asyncio.ensure_future(server.tools.GetRun(known))
        lease = await take(server)

        assert (await waiting).run.state == run_pb2.RUN_STATE_RUNNING
        await server.runtime.CompleteRun(runtime.CompleteRunRequest(lease_token=lease.lease_token, reply="done"))
        seen = await read(server.tools.WaitRun(pb.WaitRunRequest(run_id=run_id, cursor=first.cursor)))
        assert [each.sequence for each in seen] == [1, 2, 3, 4, 4]


async def test_the_drain_ends_every_wait_with_its_cursor(tmp_path: Path) -> None:  # W6, X4
    async with AsyncExitStack() as stack:
        async with served(tmp_path, EXTERNAL) as server:
            channel = await stack.enter_async_context(grpc.aio.insecure_channel(server.address))
            client = Served(server.address, channel)  # one that stays while the server goes
            run_id = await queue(client)
            calls: list[Any] = [client.tools.WaitRun(pb.WaitRunRequest(run_id=run_id)) for _ in range(3)]
            calls.append(client.tools.WaitRuns(pb.WaitRunsRequest(waits=[run_pb2.RunWait(run_id=run_id)])))
            opened = [(await call.read()).WhichOneof("event") for call in calls]
            ends = [asyncio.ensure_future(_rest(call)) for call in calls]
            nothing = runtime.AcquireRunsRequest(runtime_id="rt", agent_ids=["ops"], wait_seconds=30)
            polling = asyncio.ensure_future(client.runtime.AcquireRuns(nothing))
            await client.tools.GetRun(pb.GetRunRequest(run_id=run_id))  # by now the poll has arrived, too

        assert opened == ["snapshot"] * 4
        assert [end_of(await each) for each in ends] == ["DRAINING"] * 4
        assert not (await polling).runs


async def _rest(call: Any) -> list[Any]:
    found = []
    while (each := await call.read()) is not grpc.aio.EOF:
        found.append(each)
    return found


async def test_an_old_stream_is_ended_to_be_resumed(tmp_path: Path) -> None:  # W6
    async with served(tmp_path, {**EXTERNAL, "server": {"streamMaxAgeSeconds": 1}}) as server:
        run_id = await queue(server)

        assert end_of(await read(server.tools.WaitRun(pb.WaitRunRequest(run_id=run_id)))) == "STREAM_AGE"


async def test_too_many_waits_are_told_when_to_come_back(tmp_path: Path) -> None:  # W10
    async with served(tmp_path, {**EXTERNAL, "server": {"maxWaitsPerCaller": 2}}) as server:
        run_id = await queue(server)
        held = [server.tools.WaitRun(pb.WaitRunRequest(run_id=run_id)) for _ in range(2)]
        for each in held:
            await each.read()

        call = server.tools.GetRun(pb.GetRunRequest(run_id=run_id, wait_seconds=1))

        assert await refused(call) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "WAIT_LIMIT")
        (retry,) = details(await rich_status(call), error_details_pb2.RetryInfo)
        assert retry.retry_delay.ToMilliseconds() > 0
        assert (await server.tools.GetRun(pb.GetRunRequest(run_id=run_id))).run.id == run_id
        stream = server.tools.WaitRun(pb.WaitRunRequest(run_id=run_id))
        with pytest.raises(grpc.aio.AioRpcError):
            await read(stream)
        assert error_info(await rich_status(stream)).reason == "WAIT_LIMIT"


@pytest.mark.parametrize(
    ("request_", "code", "reason"),
    [
        (pb.WaitRunRequest(), grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD"),
        (pb.WaitRunRequest(run_id="nope"), grpc.StatusCode.NOT_FOUND, "RUN_NOT_FOUND"),
        (pb.WaitRunRequest(run_id="nope", cursor="x"), grpc.StatusCode.INVALID_ARGUMENT, "CURSOR_MISMATCH"),
        (pb.WaitRunRequest(run_id="nope", heartbeat_seconds=0), grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD"),
        (pb.WaitRunRequest(run_id="nope", heartbeat_seconds=61), grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD"),
        (pb.WaitRunRequest(run_id="nope", until=9), grpc.StatusCode.INVALID_ARGUMENT, "INVALID_FIELD"),  # type: ignore[arg-type]
    ],
)
async def test_a_wait_that_makes_no_sense_is_refused(
    tmp_path: Path, request_: pb.WaitRunRequest, code: grpc.StatusCode, reason: str
) -> None:  # W2, W8, X1
    async with served(tmp_path) as server:
        call = server.tools.WaitRun(request_)
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await read(call)

        assert error.value.code() == code
        assert error_info(await rich_status(call)).reason == reason


async def test_a_failed_run_is_ok_on_the_wire(tmp_path: Path) -> None:  # W3
    async with served(tmp_path) as server:
        run_id = await queue(server, "#!\nfail BROKEN it broke")

        seen = await read(server.tools.WaitRun(pb.WaitRunRequest(run_id=run_id)))

        assert end_of(seen) == "RUN_TERMINAL"
        assert seen[-1].ended.run.failure.reason


async def test_several_runs_are_followed_in_one_stream(tmp_path: Path) -> None:  # W9
    async with served(tmp_path) as server:
        runs = [await queue(server, f"{number}") for number in range(3)]
        request = pb.WaitRunsRequest(waits=[run_pb2.RunWait(run_id=each) for each in runs], mode=run_pb2.WAIT_MODE_ALL)

        seen = await read(server.tools.WaitRuns(request))

        assert end_of(seen) == "RUN_TERMINAL"
        replies = [
            each.message_appended.message.content[0].text.text for each in seen if each.HasField("message_appended")
        ]
        assert sorted(replies) == ["echo: 0", "echo: 1", "echo: 2"]
