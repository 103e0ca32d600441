"""`python -m bench.holder ADDRESS RUN COUNT`: open so many waits on a run, say `ready`, and hold them until killed."""

from __future__ import annotations

import asyncio
import sys

import grpc

from sessiontools.v1 import session_tools_service_pb2 as pb
from sessiontools.v1.session_tools_service_pb2_grpc import SessionToolsServiceStub

STREAMS_PER_CHANNEL = 1_000
BURST = 200


async def hold(address: str, run_id: str, count: int) -> None:
    """Open the waits a burst at a time; each is there once its snapshot has come."""
    channels = [
        grpc.aio.insecure_channel(address, [("grpc.use_local_subchannel_pool", 1)])
        for _ in range(-(-count // STREAMS_PER_CHANNEL))
    ]
    stubs = [SessionToolsServiceStub(channel) for channel in channels]
    request = pb.WaitRunRequest(run_id=run_id, heartbeat_seconds=60)
    streams = []
    for start in range(0, count, BURST):
        opened = [stubs[number // STREAMS_PER_CHANNEL].WaitRun(request) for number in range(start, start + BURST)]
        await asyncio.gather(*(stream.read() for stream in opened))
        streams += opened
    print("ready", flush=True)
    await asyncio.gather(*(_drain(stream) for stream in streams))


async def _drain(stream: grpc.aio.UnaryStreamCall[pb.WaitRunRequest, pb.WaitRunResponse]) -> None:
    while await stream.read() is not grpc.aio.EOF:
        pass


if __name__ == "__main__":
    asyncio.run(hold(sys.argv[1], sys.argv[2], int(sys.argv[3])))
