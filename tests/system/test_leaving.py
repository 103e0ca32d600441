"""A client that leaves in the middle of a wait changes nothing about the run (S8)."""

from __future__ import annotations

import asyncio
from pathlib import Path

import grpc

from sessiontools.v1 import run_pb2
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
        first = (await client.send("main", "#!\ndelta so\nsleep 0.5\nreply told")).run_id
        gives_up = asyncio.create_task(leaver.send("main", "sent and left", timeout_seconds=60))
        is_cut = asyncio.create_task(leaver.follow(first))
        await client.has_begun(first)
        before = await client.run(first)

        gives_up.cancel()
        is_cut.cancel()
        proxy.cut()

        after = await client.run(first)
        assert (after.state, after.version) == (run_pb2.RUN_STATE_RUNNING, before.version)
        assert (await client.follow(first)).ended.run.reply == "told"
        left = [message for message in await client.history("main") if message.run_id not in ("", first)]
        assert (await client.follow(left[0].run_id)).ended.run.reply == "echo: sent and left"
