"""grpc.health.v1: Check, List and Watch through troubles, recovery and drain."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2 as pb
from grpc_health.v1 import health_pb2_grpc as rpc

from sessiond.rpc.health import WORK, Health, add_health
from sessiond.rpc.health_list import ListResponse
from tests.rpc.serving import TOOLS, rest, serving

SERVING = pb.HealthCheckResponse.SERVING
NOT_SERVING = pb.HealthCheckResponse.NOT_SERVING
SERVICE_UNKNOWN = pb.HealthCheckResponse.SERVICE_UNKNOWN


@pytest.fixture
def health() -> Health:
    return Health([TOOLS])


@pytest.fixture
async def channel(health: Health) -> AsyncIterator[grpc.aio.Channel]:
    async with serving(lambda server: add_health(server, health)) as channel:
        yield channel


@pytest.fixture
def stub(channel: grpc.aio.Channel) -> Any:
    return rpc.HealthStub(channel)


async def checked(stub: Any, service: str = "") -> int:
    response = await stub.Check(pb.HealthCheckRequest(service=service))
    return int(response.status)


def watch(stub: Any, service: str = "") -> Any:
    return stub.Watch(pb.HealthCheckRequest(service=service))


@pytest.mark.parametrize("service", ["", TOOLS])
async def test_the_server_and_each_service_are_serving(stub: Any, service: str) -> None:
    assert await checked(stub, service) == SERVING


async def test_a_service_that_is_not_here_is_not_found(stub: Any) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await checked(stub, "nobody.v1.Nothing")

    assert caught.value.code() is grpc.StatusCode.NOT_FOUND


async def test_list_tells_of_all_at_once(channel: grpc.aio.Channel, health: Health) -> None:
    health.set_serving(False, "store")

    call: Any = channel.unary_unary("/grpc.health.v1.Health/List", response_deserializer=ListResponse.FromString)
    listed: Any = await call(b"")

    assert {name: each.status for name, each in listed.statuses.items()} == dict.fromkeys(
        ("", TOOLS, WORK), NOT_SERVING
    )


@pytest.mark.parametrize("service", ["", TOOLS])
async def test_a_store_that_is_away_shows_until_it_is_back(stub: Any, health: Health, service: str) -> None:  # X3
    health.set_serving(False, "store")
    while_away = await checked(stub, service)
    health.set_serving(True, "store")

    assert (while_away, await checked(stub, service)) == (NOT_SERVING, SERVING)


async def test_one_trouble_lifted_leaves_the_other(stub: Any, health: Health) -> None:
    health.set_serving(False, "store")
    health.set_serving(False, "disk")
    health.set_serving(True, "store")

    assert await checked(stub) == NOT_SERVING


async def test_a_store_that_comes_back_during_the_drain_changes_nothing(stub: Any, health: Health) -> None:  # X4
    health.set_serving(False, "store")
    health.begin_drain()
    health.set_serving(True, "store")

    assert await checked(stub) == NOT_SERVING


@pytest.mark.parametrize("service", ["", TOOLS])
async def test_a_watch_tells_every_change_and_ends_with_the_drain(stub: Any, health: Health, service: str) -> None:
    call = watch(stub, service)

    seen = [(await call.read()).status]
    health.set_serving(False, "store")
    seen.append((await call.read()).status)
    health.set_serving(True, "store")
    seen.append((await call.read()).status)
    health.begin_drain()
    health.end_watches()
    seen += [each.status for each in await rest(call)]

    assert seen == [SERVING, NOT_SERVING, SERVING, NOT_SERVING]
    assert await call.code() is grpc.StatusCode.OK


async def test_a_watch_says_nothing_when_nothing_changed(stub: Any, health: Health) -> None:
    call = watch(stub)
    await call.read()

    health.set_serving(True, "store")
    health.end_watches()

    assert [each.status for each in await rest(call)] == []


async def test_a_watch_for_an_unknown_service_stays_open(stub: Any, health: Health) -> None:
    call = watch(stub, "nobody.v1.Nothing")

    first = (await call.read()).status
    is_done = call.done()
    health.end_watches()

    assert (first, is_done) == (SERVICE_UNKNOWN, False)
    assert [each.status for each in await rest(call)] == []


async def test_many_watchers_hear_the_same(stub: Any, health: Health) -> None:
    calls = [watch(stub) for _ in range(20)]
    for each in calls:
        await each.read()

    health.begin_drain()

    assert [(await each.read()).status for each in calls] == [NOT_SERVING] * 20


async def test_each_change_is_logged_once_with_its_reason(health: Health, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)

    health.set_serving(False, "store")
    health.set_serving(False, "store")
    health.set_serving(True, "store")

    shown = [(each.levelname, each.__dict__["status"], each.__dict__["reason"]) for each in caplog.records]
    assert shown == [("WARNING", "NOT_SERVING", "store"), ("INFO", "SERVING", "store")]
