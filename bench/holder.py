"""`python -m bench.holder ADDRESS RUN`: hold idle waits on a run until killed.

Each line of input is how many there are to be; `ready` is said when there are.
"""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc

from bench.serving import Server
from sessiontools.v1 import session_tools_service_pb2 as pb
from sessiontools.v1.session_tools_service_pb2_grpc import SessionToolsServiceStub

STREAMS_PER_CHANNEL = 1_000
BURST = 200
HEARTBEAT_S = 60


class Holder:
    """The process, as seen by who started it."""

    def __init__(self, process: Process) -> None:
        self._process = process

    async def hold(self, count: int) -> None:
        """Open waits until there are so many."""
        assert self._process.stdin is not None  # noqa: S101 - both were asked for
        assert self._process.stdout is not None  # noqa: S101
        self._process.stdin.write(f"{count}\n".encode())
        if not await self._process.stdout.readline():
            raise RuntimeError("the holder of waits has ended; what it wrote above says why")


@asynccontextmanager
async def holding(server: Server, run_id: str) -> AsyncIterator[Holder]:
    """A holder, for the time of the context."""
    command = [sys.executable, "-m", "bench.holder", server.address, run_id]
    process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE)
    try:
        yield Holder(process)
    finally:
        process.kill()
        await process.wait()


async def hold(address: str, run_id: str) -> None:
    """Open the waits a burst at a time; each is there once its snapshot has come."""
    stubs: list[SessionToolsServiceStub] = []
    request = pb.WaitRunRequest(run_id=run_id, heartbeat_seconds=HEARTBEAT_S)
    held = 0
    async with asyncio.TaskGroup() as tasks:
        while line := await asyncio.to_thread(sys.stdin.readline):
            for start in range(held, int(line), BURST):
                if start % STREAMS_PER_CHANNEL == 0:
                    channel = grpc.aio.insecure_channel(address, [("grpc.use_local_subchannel_pool", 1)])
                    stubs.append(SessionToolsServiceStub(channel))
                opened: list[Any] = [stubs[-1].WaitRun(request) for _ in range(BURST)]
                await asyncio.gather(*(stream.read() for stream in opened))
                for stream in opened:
                    tasks.create_task(_drain(stream))
            held = int(line)
            print("ready", flush=True)


async def _drain(stream: Any) -> None:
    """Heartbeats are read; an end is a fault, since the run never ends."""
    while (message := await stream.read()) is not grpc.aio.EOF:
        if message.HasField("ended"):
            raise RuntimeError(f"a wait that was to be held has ended: {message.ended.reason}")


if __name__ == "__main__":
    asyncio.run(hold(sys.argv[1], sys.argv[2]))
