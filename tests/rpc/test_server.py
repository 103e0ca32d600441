"""The server's limits and its orderly end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2
from grpc_health.v1 import health_pb2_grpc as health_rpc

from sessiond.rpc.door import Door
from sessiond.rpc.guard import Guard
from sessiond.rpc.health import Health, add_health
from sessiond.rpc.listening import listen
from sessiond.rpc.server import ServerLimits, build_server, drain, options
from sessiontools.v1 import session_tools_service_pb2 as pb
from sessiontools.v1 import session_tools_service_pb2_grpc as rpc
from tests.rpc.serving import Tools, rest, serving

MIB = 1024 * 1024
LONG_S = 60.0  # longer than any test: only for what must not be waited for


async def answers(request: Any, context: Any) -> pb.SessionsListResponse:
    return pb.SessionsListResponse()


class Waits:
    """A stream that stays open until it is told to end; knows how many are open."""

    def __init__(self) -> None:
        self.is_over = asyncio.Event()
        self.is_open = asyncio.Semaphore(0)

    async def __call__(self, request: Any, context: Any) -> AsyncIterator[pb.WaitRunResponse]:
        yield pb.WaitRunResponse(sequence=1)
        self.is_open.release()
        await self.is_over.wait()
        yield pb.WaitRunResponse(sequence=2)

    async def end(self) -> None:
        """What a drain does first."""
        self.is_over.set()


class Running:
    """A server with tools and health, in the test's hands."""

    def __init__(self, server: grpc.aio.Server, health: Health, door: Door, channel: grpc.aio.Channel) -> None:
        self.server = server
        self.health = health
        self.door = door
        self.tools = rpc.SessionToolsServiceStub(channel)
        self.watch: Any = health_rpc.HealthStub(channel).Watch  # type: ignore[attr-defined] # not in the stubs


@asynccontextmanager
async def running(stream: Any) -> AsyncIterator[Running]:
    door = Door(asyncio.get_running_loop().time)
    server, health = build_server(Guard(lambda method, context: door.enter())), Health([])
    rpc.add_SessionToolsServiceServicer_to_server(Tools(answers, stream), server)  # type: ignore[abstract]
    add_health(server, health)
    port = listen(server, "127.0.0.1:0")
    await server.start()
    try:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            yield Running(server, health, door, channel)
    finally:
        await server.stop(None)


def with_tools(server: grpc.aio.Server) -> None:
    rpc.add_SessionToolsServiceServicer_to_server(Tools(answers, Waits()), server)  # type: ignore[abstract]


def test_an_option_is_set_once_and_has_a_value() -> None:
    names = [name for name, _ in options(ServerLimits())]

    assert len(names) == len(set(names))


def test_a_port_is_shared_only_when_asked_for() -> None:
    assert dict(options(ServerLimits()))["grpc.so_reuseport"] == 0
    assert dict(options(ServerLimits(reuse_port=True)))["grpc.so_reuseport"] == 1


@pytest.mark.parametrize(
    ("size", "code"), [(3 * MIB, grpc.StatusCode.OK), (9 * MIB, grpc.StatusCode.RESOURCE_EXHAUSTED)]
)
async def test_a_request_far_above_the_limit_is_dropped_unread(size: int, code: grpc.StatusCode) -> None:  # X6
    async with serving(with_tools) as channel:
        call = rpc.SessionToolsServiceStub(channel).SessionsList(pb.SessionsListRequest(label="x" * size))

        assert await call.code() is code


async def test_the_size_of_a_request_can_be_configured() -> None:  # X6
    guard, limits = Guard(max_request_bytes=8 * MIB), ServerLimits(request_bytes=8 * MIB)
    async with serving(with_tools, guard=guard, limits=limits) as channel:
        call = rpc.SessionToolsServiceStub(channel).SessionsList(pb.SessionsListRequest(label="x" * 5 * MIB))

        assert await call.code() is grpc.StatusCode.OK


@pytest.mark.parametrize(("size", "code"), [(10_000, grpc.StatusCode.OK), (40_000, grpc.StatusCode.RESOURCE_EXHAUSTED)])
async def test_metadata_far_above_the_limit_is_dropped_unread(size: int, code: grpc.StatusCode) -> None:  # X6
    async with serving(with_tools) as channel:
        call = rpc.SessionToolsServiceStub(channel).SessionsList(
            pb.SessionsListRequest(), metadata=(("acting-session", "x" * size),)
        )

        assert await call.code() is code


async def test_a_burst_of_waits_is_let_in() -> None:
    burst = 3_500  # above what grpc rejects by default
    waits = Waits()
    async with running(waits) as it:
        calls: list[Any] = [it.tools.WaitRun(pb.WaitRunRequest()) for _ in range(burst)]
        first = await asyncio.gather(*(each.read() for each in calls))
        await waits.end()
        last = await asyncio.gather(*(each.read() for each in calls))

    assert {each.sequence for each in first} == {1}
    assert {each.sequence for each in last} == {2}


async def test_a_drain_says_so_then_lets_waits_end_then_stops() -> None:  # X4
    waits = Waits()
    async with running(waits) as it:
        call = it.tools.WaitRun(pb.WaitRunRequest())
        watch = it.watch(health_pb2.HealthCheckRequest())
        await watch.read()
        await waits.is_open.acquire()
        was_serving: list[bool] = []

        async def note() -> None:
            was_serving.append(it.health.is_serving)

        await drain(it.server, it.health, it.door, LONG_S, [note, waits.end])

        assert was_serving == [False]
        assert [each.sequence async for each in call] == [1, 2]
        assert [each.status for each in await rest(watch)] == [health_pb2.HealthCheckResponse.NOT_SERVING]
        assert await call.code() is grpc.StatusCode.OK


async def test_a_call_that_does_not_end_is_cut_when_the_grace_is_over() -> None:  # X4
    waits = Waits()
    async with running(waits) as it:
        call: Any = it.tools.WaitRun(pb.WaitRunRequest())
        await waits.is_open.acquire()

        await drain(it.server, it.health, it.door, 0.05)

        assert (await call.read()).sequence == 1
        assert await call.code() is not grpc.StatusCode.OK


async def test_a_step_that_fails_or_hangs_does_not_keep_the_server(caplog: pytest.LogCaptureFixture) -> None:  # X4
    caplog.set_level(logging.WARNING)
    done: list[str] = []

    async def fails() -> None:
        raise RuntimeError("broken step")

    async def hangs() -> None:
        await asyncio.Event().wait()

    async def notes() -> None:
        done.append("noted")

    async with running(Waits()) as it:
        await drain(it.server, it.health, it.door, 0.05, [fails, notes, hangs])

    told = [(each.message, each.__dict__["step"].split(".")[-1]) for each in caplog.records if "step" in each.__dict__]
    assert done == ["noted"]
    assert told == [("drain step failed", "fails"), ("drain step took too long", "hangs")]
