"""WaitRun through a connection that is cut again and again: every event once, in order, and the end (W1, W2)."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import grpc

from sessiontools.v1 import run_pb2
from sessiontools.v1 import session_tools_service_pb2 as pb
from tests.proxy import Proxy
from tests.system.client import Client, Followed
from tests.system.server_process import CLIENT_OPTIONS, ServerProcess, serving

READERS = 4
# About a hundred events, some of them at once and some with a pause, of every kind that a run writes itself.
STORY = "\n".join(f"delta word {n}\ndelta and more\ntool look {{}} -> thing {n}\nsleep 0.03" for n in range(24))
SCRIPT = f"#!\n{STORY}\nreply the end"
TEST_S = 120


async def test_a_wait_that_is_cut_at_random_tells_every_event_once(
    store_url: str, tmp_path: Path, rng: random.Random
) -> None:
    async with (
        asyncio.timeout(TEST_S),
        serving(tmp_path, store_url) as server,
        server.channel() as direct,
        _cut_at_random(server, rng) as (proxy, readers),
    ):
        sent = await Client(direct).send("main", SCRIPT)
        told = await asyncio.gather(*(reader.follow(sent.run_id) for reader in readers))
        replay = await Client(direct).follow(sent.run_id)

    assert proxy.cuts > READERS
    assert [event.sequence for event in replay.events] == list(range(1, len(replay.events) + 1))
    for each in told:
        assert _bytes(each) == _bytes(replay)
        assert each.ended.reason == run_pb2.END_REASON_RUN_TERMINAL
        assert each.ended.run.reply == "the end"


async def test_a_wait_goes_on_after_the_server_was_killed(store_url: str, tmp_path: Path) -> None:  # X2
    async with (
        asyncio.timeout(TEST_S),
        serving(tmp_path, store_url, runtime={"leaseSeconds": 1}) as server,
        server.channel() as channel,
        asyncio.TaskGroup() as tasks,
    ):
        client = Client(channel)
        lost, kept = [await client.send("main", f"#!\ndelta {name}\nhang") for name in ("one", "two")]
        waits = [tasks.create_task(client.follow(sent.run_id)) for sent in (lost, kept)]
        await client.has_begun(lost.run_id)

        await server.kill()
        await server.start()
        await client.has_begun(kept.run_id)
        await client.tools.CancelRun(pb.CancelRunRequest(run_id=kept.run_id))

    ends = [(each.result().ended.run.state, each.result().ended.run.failure.reason) for each in waits]
    assert ends == [(run_pb2.RUN_STATE_FAILED, "RUNTIME_LOST"), (run_pb2.RUN_STATE_CANCELLED, "CANCELLED")]
    for each in waits:
        assert each.result().streams > 1
        assert [event.sequence for event in each.result().events] == list(range(1, len(each.result().events) + 1))


@asynccontextmanager
async def _cut_at_random(server: ServerProcess, rng: random.Random) -> AsyncIterator[tuple[Proxy, list[Client]]]:
    """Clients, each on its own connection, which lasts for some events at most."""
    async with Proxy(server.port, cut_after=lambda: rng.randint(100, 4000)) as proxy:
        channels = [grpc.aio.insecure_channel(proxy.address, CLIENT_OPTIONS) for _ in range(READERS)]
        try:
            yield proxy, [Client(channel) for channel in channels]
        finally:
            await asyncio.gather(*(channel.close() for channel in channels))


def _bytes(told: Followed) -> list[bytes]:
    return [event.SerializeToString(deterministic=True) for event in told.events]
