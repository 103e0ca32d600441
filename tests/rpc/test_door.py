"""What becomes of calls that come while a server stops: each is answered, or refused with a reason (X1, X4)."""

from __future__ import annotations

import asyncio
from pathlib import Path

import grpc
import pytest
from google.rpc import error_details_pb2, status_pb2

from sessiond.model.errors import Draining
from sessiond.rpc import door as module
from sessiond.rpc.door import Door
from sessiontools.v1 import session_tools_service_pb2 as pb
from sessiontools.v1 import session_tools_service_pb2_grpc as rpc
from tests.rpc.serving import details, error_info, rich_status
from tests.serving import EXTERNAL, Served, served

CALLERS = 24
# Else callers of one process share a connection.
APART = [("grpc.use_local_subchannel_pool", 1)]


class Caller:
    """Sends again and again until it is refused."""

    def __init__(self, server: Served) -> None:
        self._address = server.address
        self.answered = 0
        self.has_begun = asyncio.Event()

    async def run(self) -> tuple[grpc.StatusCode, status_pb2.Status]:
        async with grpc.aio.insecure_channel(self._address, options=APART) as channel:
            tools = rpc.SessionToolsServiceStub(channel)
            while True:
                call = tools.SessionsSend(pb.SessionsSendRequest(session_key="main", message="on", timeout_seconds=0))
                if await call.code() is not grpc.StatusCode.OK:
                    return await call.code(), await rich_status(call)
                self.answered += 1
                self.has_begun.set()


async def messages_of_main(server: Served) -> int:
    return (await server.tools.SessionsHistory(pb.SessionsHistoryRequest(session_key="main", limit=1))).total_messages


async def test_who_calls_until_the_end_is_told_that_the_server_stops(tmp_path: Path) -> None:  # X1, X4
    async with served(tmp_path, EXTERNAL | {"limits": {"queueDepth": 100_000}}) as server:
        callers = [Caller(server) for _ in range(CALLERS)]
        ends = [asyncio.create_task(each.run()) for each in callers]
        await asyncio.gather(*(each.has_begun.wait() for each in callers))
    told = [await each for each in ends]

    assert {code for code, _ in told} == {grpc.StatusCode.UNAVAILABLE}
    assert {error_info(status).reason for _, status in told} == {"DRAINING"}
    assert all(details(status, error_details_pb2.RetryInfo) for _, status in told)
    async with served(tmp_path, EXTERNAL) as again:
        assert await messages_of_main(again) == sum(each.answered for each in callers)


def a_door() -> Door:
    return Door(asyncio.get_running_loop().time)


async def test_a_door_that_nobody_came_to_is_shut_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asyncio, "sleep", None)  # nothing is waited for

    await a_door().shut()


async def test_who_comes_to_a_shut_door_waits_and_is_refused_with_all_others() -> None:
    door = a_door()
    await door.enter()
    await door.shut()
    waiting = [asyncio.create_task(door.enter()) for _ in range(3)]

    done, _ = await asyncio.wait(waiting, timeout=0)
    assert not done
    door.refuse_all()

    assert [type(each) for each in await asyncio.gather(*waiting, return_exceptions=True)] == [Draining] * 3
    with pytest.raises(Draining):
        await door.enter()


async def test_a_door_is_shut_in_time_however_many_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "AT_MOST_S", 0.05)
    door = a_door()
    await door.enter()
    shutting = asyncio.create_task(door.shut())
    await asyncio.sleep(0)
    coming = []
    async with asyncio.timeout(10):
        while not shutting.done():
            coming.append(asyncio.create_task(door.enter()))
            await asyncio.sleep(0)
    door.refuse_all()

    refused = await asyncio.gather(*coming, return_exceptions=True)
    assert len(refused) > 1
    assert {type(each) for each in refused} == {Draining}
