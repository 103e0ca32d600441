"""Idle waits: what they cost in memory, and what they do to everybody else's calls (W10)."""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import grpc
import psutil

from bench.report import Table
from bench.serving import Server, serving
from bench.stores import Bench
from sessiontools.v1 import session_tools_service_pb2 as pb
from sessiontools.v1.session_tools_service_pb2_grpc import SessionToolsServiceStub

COUNTS = (1_000, 10_000)
CALLS = 3_000
AT_ONCE = 4


async def tables(bench: Bench) -> list[Table]:
    """Unary calls without and with so many idle waits on the same server."""
    rows = [await _row(count) for count in COUNTS]
    about = (
        f"{CALLS:,} AgentsList calls, {AT_ONCE} at a time, on one server before idle WaitRun streams are opened and "
        "while they are held by another process. Aims: p99 within 1.3, at most 30 kB each."
    )
    headers = ("idle waits", "p50 (ms)", "p99 (ms)", "with them p50", "with them p99", "p99 ratio", "kB each")
    return [Table("WaitRun: idle waits", about, headers, rows, text_columns=1)]


async def _row(count: int) -> list[str]:
    async with serving() as server:
        run_id = await _queued_run(server)
        process = psutil.Process(server.pid)
        await _latencies(server)  # the first calls pay for what is made at first use
        before, size = await _latencies(server), process.memory_info().rss
        async with _held(server, run_id, count):
            each = (process.memory_info().rss - size) / count / 1000
            during = await _latencies(server)
    cells = [f"{value:.2f}" for value in (*before, *during, during[1] / before[1])]
    return [f"{count:,}", *cells, f"{each:.1f}"]


async def _queued_run(server: Server) -> str:
    async with grpc.aio.insecure_channel(server.address) as channel:
        request = pb.SessionsSendRequest(session_key="main", message="hello", timeout_seconds=0)
        return (await SessionToolsServiceStub(channel).SessionsSend(request)).run_id


async def _latencies(server: Server) -> tuple[float, float]:
    """p50 and p99 of a call, in milliseconds."""
    taken: list[float] = []

    async def call_on(channel: grpc.aio.Channel) -> None:
        stub = SessionToolsServiceStub(channel)
        for _ in range(CALLS // AT_ONCE):
            began = time.perf_counter()
            await stub.AgentsList(pb.AgentsListRequest())
            taken.append((time.perf_counter() - began) * 1000)

    async with grpc.aio.insecure_channel(server.address) as channel:
        await asyncio.gather(*(call_on(channel) for _ in range(AT_ONCE)))
    hundredths = statistics.quantiles(taken, n=100)
    return hundredths[49], hundredths[98]


@asynccontextmanager
async def _held(server: Server, run_id: str, count: int) -> AsyncIterator[None]:
    """So many waits, open in a process of their own, for the time of the context."""
    command = [sys.executable, "-m", "bench.holder", server.address, run_id, str(count)]
    holder = await asyncio.create_subprocess_exec(*command, stdout=PIPE)
    try:
        assert holder.stdout is not None  # noqa: S101 - it was asked for
        await holder.stdout.readline()
        yield
    finally:
        holder.kill()
        await holder.wait()
