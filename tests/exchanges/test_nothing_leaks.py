"""What is for programs only is stored and sent nowhere (S11, S12, P9)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest

from sessiond.app import running
from sessiond.exchange_steps import ANNOUNCE_REQUEST, REPORT_REQUEST
from sessiond.settings import load
from sessiontools.v1 import delivery_pb2, gateway_service_pb2_grpc, run_pb2, session_tools_service_pb2_grpc
from sessiontools.v1 import gateway_service_pb2 as gateway_pb
from sessiontools.v1 import session_tools_service_pb2 as tools_pb
from tests.exchanges.stage import GROUP, MAIN, Stage
from tests.exchanges.stored import places_of
from tests.making import make_session

pytest_plugins = ("tests.exchanges.fixtures",)

SKIP_TOKENS = (b"REPLY_SKIP", b"ANNOUNCE_SKIP")


@pytest.fixture
async def stage(stage: Stage) -> Stage:
    await make_session(stage.db, MAIN)
    await make_session(stage.db, GROUP)
    return stage


async def test_a_skip_token_is_stored_nowhere(stage: Stage) -> None:  # S11, S12
    await stage.send("ask")
    await stage.turns("round one", "REPLY_SKIP", "ANNOUNCE_SKIP")
    await stage.send("ask")
    await stage.turns(" REPLY_SKIP\n", "\tANNOUNCE_SKIP ")
    await stage.send("ask")
    await stage.turns("ANNOUNCE_SKIP", "REPLY_SKIP")
    await stage.spawn("dig")
    await stage.turns("REPLY_SKIP", "ANNOUNCE_SKIP")
    await stage.chat("hello")
    await stage.turn("REPLY_SKIP")

    assert [await places_of(stage.db, token) for token in SKIP_TOKENS] == [[], []]
    assert len(await places_of(stage.db, b"round one")) > 1  # the search itself finds what is there


class Server:
    """A running server with its built-in runtime, and a gateway that takes whatever goes out."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self.gateway = gateway_service_pb2_grpc.GatewayServiceStub(channel)
        self.tools = session_tools_service_pb2_grpc.SessionToolsServiceStub(channel)
        self.sent: list[delivery_pb2.Delivery] = []

    async def chat(self, key: str, text: str, to: str) -> None:
        route = delivery_pb2.Route(channel="signal", to=to)
        await self.gateway.ChatSend(gateway_pb.ChatSendRequest(session_key=key, text=text, route=route))

    async def deliver(self, number: int) -> None:
        """Take and acknowledge until so many have gone out."""
        while len(self.sent) < number:
            request = gateway_pb.AcquireDeliveriesRequest(wait_seconds=30)
            for taken in (await self.gateway.AcquireDeliveries(request)).deliveries:
                self.sent.append(taken)
                ack = gateway_pb.AckDeliveryRequest(delivery_id=taken.id, lease_token=taken.lease_token)
                await self.gateway.AckDelivery(ack)

    async def settled(self, run_id: str) -> None:
        request = tools_pb.WaitRunRequest(run_id=run_id, until=run_pb2.WAIT_UNTIL_SETTLED)
        told = [event async for event in self.tools.WaitRun(request)]
        assert told[-1].ended.reason == run_pb2.END_REASON_SETTLED


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Server]:
    flags = {"server.listen": "127.0.0.1:0", "store.dataDir": str(tmp_path)}
    settings = load(None, {}, flags).settings
    async with running(settings) as app, grpc.aio.insecure_channel(f"127.0.0.1:{app.port}") as channel:
        yield Server(channel)


async def test_nothing_for_programs_goes_out(server: Server) -> None:  # S11, S12, P9
    acting = (("acting-session", MAIN),)
    await server.chat("main", "hello", "anna")
    await server.chat("agent:main:signal:direct:bert", "hello", "bert")
    messages = [
        "plain",
        "#!\nreply yes\n@reply\nreply more\n@reply\nskip",
        "#!\nreply yes\n@announce\nskip",
        "#!\nskip",
    ]
    sends = [
        await server.tools.SessionsSend(
            tools_pb.SessionsSendRequest(session_key="agent:main:signal:direct:bert", message=text, timeout_seconds=0),
            metadata=acting,
        )
        for text in messages
    ]
    tasks = ["dig", "#!\nfail MODEL_ERROR no spade", "#!\nreply a hole\n@announce\nskip", "#!\nskip"]
    spawns = [
        await server.tools.SessionsSpawn(tools_pb.SessionsSpawnRequest(task=text), metadata=acting) for text in tasks
    ]

    await server.deliver(2 + 3 + 3)  # all but the two whose announce is skipped
    for run_id in [*(each.run_id for each in sends), *(each.run_id for each in spawns)]:
        await server.settled(run_id)
    listed = (await server.gateway.ListDeliveries(gateway_pb.ListDeliveriesRequest())).deliveries

    assert sorted(each.id for each in listed if each.state == delivery_pb2.DELIVERY_STATE_DELIVERED) == sorted(
        each.id for each in server.sent
    )
    assert [each.suppressed_reason for each in listed if each.suppressed_reason] == ["SKIPPED", "SKIPPED"]
    for text in (line for each in listed for line in each.text.splitlines()):
        assert "SKIP" not in text
        assert ANNOUNCE_REQUEST not in text
        assert REPORT_REQUEST not in text
        assert "agent:" not in text or text.startswith("Stats: ")  # P9 names the child there, and only there
