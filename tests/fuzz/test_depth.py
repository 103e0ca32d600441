"""What was accepted can be read again by everybody, arguments of tool calls nested as deep as may be too (H4)."""

from __future__ import annotations

from pathlib import Path

import grpc
import pytest
from grpc import StatusCode

from sessiontools.v1 import gateway_service_pb2 as gateway_pb
from sessiontools.v1 import runtime_service_pb2 as runtime_pb
from sessiontools.v1 import session_tools_service_pb2 as pb
from tests.fuzz import wire
from tests.fuzz.callers import TOKENS, bearer
from tests.fuzz.methods import all_methods
from tests.fuzz.shots import Shot
from tests.fuzz.stage import CONFIG
from tests.fuzz.storm import fire
from tests.fuzz.verdict import Answer, breach
from tests.system.server_process import serving

METHODS = {method.name: method for method in all_methods()}
LEVELS = range(44, 51)  # of lists; protobuf reads a hundred messages within each other, and each list is two
CONTENT, TOOL_CALL, ARGUMENTS = 3, 3, 3


def arguments(levels: int) -> bytes:
    """A Struct of one field, which is a list of a list of a list."""
    value = wire.field(3, b"deep")
    for _ in range(levels):
        value = wire.field(6, wire.field(1, value))
    return wire.field(1, wire.field(1, b"a") + wire.field(2, value))


async def call(channel: grpc.aio.Channel, name: str, data: bytes, role: str = "owner") -> Answer:
    """Call a method with these bytes; what can't be read of its answer fails the test."""
    shot = Shot(METHODS[name], data, (bearer(TOKENS[role]),), 30.0)
    answer = await fire(channel, shot)
    assert not breach(shot, answer), f"{name}: {breach(shot, answer)}"
    return answer


async def read_everywhere(channel: grpc.aio.Channel, key: str, run_id: str) -> None:
    """Read a message wherever messages are shown."""
    acquire = runtime_pb.AcquireRunsRequest(runtime_id="r", max_runs=5)
    history = pb.SessionsHistoryRequest(session_key=key, include_tools=True)
    wait = pb.WaitRunRequest(run_id=run_id, max_wait_seconds=1)
    await call(channel, "AcquireRuns", acquire.SerializeToString(), "runtime")
    await call(channel, "SessionsHistory", history.SerializeToString())
    await call(channel, "SessionsList", pb.SessionsListRequest(message_limit=5).SerializeToString())
    await call(channel, "WaitRun", wait.SerializeToString())


async def test_a_message_that_is_accepted_can_be_read_by_everybody(tmp_path: Path) -> None:  # H4
    accepted = []
    async with serving(tmp_path, f"sqlite:///{tmp_path / 'test.db'}", **CONFIG) as server, server.channel() as channel:
        for levels in LEVELS:
            key = f"agent:far:cron:{levels}"
            block = wire.field(TOOL_CALL, wire.field(ARGUMENTS, arguments(levels)))
            answer = await call(channel, "ChatSend", wire.field(1, key.encode()) + wire.field(CONTENT, block))
            if answer.code is StatusCode.OK:
                accepted.append(levels)
                await read_everywhere(channel, key, gateway_pb.ChatSendResponse.FromString(answer.responses[0]).run_id)

    assert accepted != list(LEVELS)


@pytest.mark.parametrize("step", ["tool look {json} -> seen", "call sessions_list {json}"])
async def test_what_a_run_writes_can_be_read_by_everybody(tmp_path: Path, step: str) -> None:  # H4
    async with serving(tmp_path, f"sqlite:///{tmp_path / 'test.db'}", **CONFIG) as server, server.channel() as channel:
        for levels in LEVELS:
            nested = '{"a":' + "[" * levels + "1" + "]" * levels + "}"
            chat = gateway_pb.ChatSendRequest(
                session_key=f"cron:{levels}", text=f"#!\n{step.replace('{json}', nested)}"
            )
            answer = await call(channel, "ChatSend", chat.SerializeToString())
            run_id = gateway_pb.ChatSendResponse.FromString(answer.responses[0]).run_id
            await read_everywhere(channel, chat.session_key, run_id)
