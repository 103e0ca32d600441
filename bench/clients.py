"""Clients of our own, for what a load generator can't do: calls that need what the call before has answered."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from statistics import quantiles
from typing import TYPE_CHECKING

import grpc

from bench.load import Load, LoadProblem
from bench.requests import AGENT
from sessiontools.v1.gateway_service_pb2_grpc import GatewayServiceStub
from sessiontools.v1.runtime_service_pb2 import AcquireRunsRequest, CompleteRunRequest, RunAssignment
from sessiontools.v1.runtime_service_pb2_grpc import RuntimeServiceStub
from sessiontools.v1.session_tools_service_pb2_grpc import SessionToolsServiceStub

if TYPE_CHECKING:  # the stubs' types are in .pyi files only
    from sessiontools.v1.gateway_service_pb2_grpc import GatewayServiceAsyncStub
    from sessiontools.v1.runtime_service_pb2_grpc import RuntimeServiceAsyncStub
    from sessiontools.v1.session_tools_service_pb2_grpc import SessionToolsServiceAsyncStub

ACQUIRE = AcquireRunsRequest(runtime_id="bench", agent_ids=[AGENT], max_runs=1, wait_seconds=10)
REPLY = "Thanks, seen. " + "x" * 86
# So many that all workers of a server have some of them.
MOST_CONNECTIONS = 16


@dataclass(frozen=True)
class Client:
    """The stubs of one connection."""

    tools: SessionToolsServiceAsyncStub
    gateway: GatewayServiceAsyncStub
    runtime: RuntimeServiceAsyncStub


@asynccontextmanager
async def connected(address: str) -> AsyncIterator[Client]:
    """A connection of its own, for the time of the context."""
    async with grpc.aio.insecure_channel(address, [("grpc.use_local_subchannel_pool", 1)]) as channel:
        await channel.channel_ready()
        yield Client(SessionToolsServiceStub(channel), GatewayServiceStub(channel), RuntimeServiceStub(channel))


@asynccontextmanager
async def connected_for(address: str, at_once: int) -> AsyncIterator[list[Client]]:
    """A client for each of so many, which share connections when they are many."""
    async with AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(connected(address)) for _ in range(min(at_once, MOST_CONNECTIONS))]
        yield [clients[number % len(clients)] for number in range(at_once)]


async def acquired(client: Client) -> RunAssignment:
    """The next run; there must be one."""
    answer = await client.runtime.AcquireRuns(ACQUIRE)
    if not answer.runs:
        raise LoadProblem("no run is queued any more; more of them have to be sent before")
    return answer.runs[0]


async def completed(client: Client, lease_token: str) -> None:
    """The run's end."""
    await client.runtime.CompleteRun(CompleteRunRequest(lease_token=lease_token, reply=REPLY))


async def driven(address: str, step: Callable[[Client], Awaitable[None]], at_once: int, seconds: float) -> Load:
    """So many that repeat a step until the time is over; the share is that of this process."""
    took_ms: list[float] = []
    async with connected_for(address, at_once) as clients:
        began, cpu_s = time.perf_counter(), time.process_time()

        async def repeat(client: Client) -> None:
            while (start := time.perf_counter()) < began + seconds:
                await step(client)
                took_ms.append((time.perf_counter() - start) * 1000)

        await asyncio.gather(*map(repeat, clients))
        passed = time.perf_counter() - began
    hundredths = quantiles(took_ms, n=100)
    share = (time.process_time() - cpu_s) / passed
    return Load(len(took_ms) / passed, hundredths[49], hundredths[98], share, len(took_ms))
