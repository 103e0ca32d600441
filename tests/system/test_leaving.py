"""A client that leaves in the middle of a wait changes nothing about the run (S8)."""

from __future__ import annotations

import asyncio
from pathlib import Path

import grpc

from sessiontools.v1 import run_pb2
from sessiontools.v1 import session_tools_service_pb2 as pb
from tests.proxy import Proxy
from tests.system.client import Client
from tests.system.server_process import CLIENT_OPTIONS, serving

TEST_S = 60


async def test_a_client_that_leaves_in_mid_wait_changes_nothing_about_the_run(store_url: str, tmp_path: Path) -> None:
    async with (
        asyncio.timeout(TEST_S),
        serving(tmp_path, store_url) as server,
        server.channel() as channel,
        Proxy(server.port) as proxy,
        grpc.aio.insecure_channel(proxy.address, CLIENT_OPTIONS) as leaving,
    ):
        client, leaver = Client(channel), Client(leaving)
        first = (await client.send("main", "#!\ndelta so\nhang")).run_id
        leavers = [
            asyncio.create_task(leaver.follow(first)),
            asyncio.create_task(leaver.send("main", "sent and left", timeout_seconds=60)),
        ]
        await client.has_begun(first)
        second = await _input_after(client, first)
        before = [await client.run(run_id) for run_id in (first, second)]

        for each in leavers:
            each.cancel()
        proxy.cut()

        assert [await client.run(run_id) for run_id in (first, second)] == before
        await client.tools.CancelRun(pb.CancelRunRequest(run_id=first))
        assert (await client.follow(first)).ended.run.state == run_pb2.RUN_STATE_CANCELLED
        assert (await client.follow(second)).ended.run.reply == "echo: sent and left"


async def _input_after(client: Client, run_id: str) -> str:
    """The run of the next message, as soon as that is stored."""
    while not (others := [message.run_id for message in await client.history("main") if message.run_id != run_id]):
        continue
    return str(others[0])
