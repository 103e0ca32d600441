"""Who keeps an eye on the server during a storm: it answers all the while, and does not grow without bound."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import psutil
from grpc_health.v1 import health_pb2, health_pb2_grpc

from tests.system.server_process import ServerProcess

ANSWER_S = 30.0  # only a server that is stuck takes so long
EVERY_S = 0.1


class Watch:
    """What was seen so far."""

    def __init__(self, server: ServerProcess, channel: grpc.aio.Channel) -> None:
        assert server._process is not None
        self._process = psutil.Process(server._process.pid)
        self._health: Any = health_pb2_grpc.HealthStub(channel)  # its types lack what it is called for
        self.checks = 0
        self.most_mib = 0

    async def look(self) -> None:
        """One look: it answers that it serves, and how much memory it has."""
        answer = await self._health.Check(health_pb2.HealthCheckRequest(), timeout=ANSWER_S)
        assert answer.status == health_pb2.HealthCheckResponse.SERVING, answer
        self.checks += 1
        self.most_mib = max(self.most_mib, self._process.memory_info().rss >> 20)


@asynccontextmanager
async def watching(server: ServerProcess) -> AsyncIterator[Watch]:
    """Look again and again for the time of the context, on a connection of one's own."""
    async with server.channel() as channel, asyncio.TaskGroup() as tasks:
        watch = Watch(server, channel)
        looking = tasks.create_task(_look_on(watch))
        yield watch
        looking.cancel()


async def _look_on(watch: Watch) -> None:
    while True:
        await watch.look()
        await asyncio.sleep(EVERY_S)
