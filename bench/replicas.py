"""Several servers on one PostgreSQL: how soon one hears of the other, and what a second worker adds (X5, W7)."""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import tempfile
import time
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import grpc

from bench.report import Table
from bench.serving import Server, serving
from bench.stores import Bench
from sessiontools.v1 import gateway_service_pb2 as gateway
from sessiontools.v1 import runtime_service_pb2 as runtime
from sessiontools.v1 import session_tools_service_pb2 as tools
from sessiontools.v1.gateway_service_pb2_grpc import GatewayServiceStub
from sessiontools.v1.runtime_service_pb2_grpc import RuntimeServiceStub
from sessiontools.v1.session_tools_service_pb2_grpc import SessionToolsServiceStub
from tests.postgres import running_postgres

ROUNDS = 300
SESSIONS = 64
AT_ONCE = 64
CONNECTIONS = 32
CALLS = 6_000
REPETITIONS = 3
SEND = "sessiontools.v1.SessionToolsService.SessionsSend"
# Spread over sessions, as the traffic of many agents is; all of one session would wait for its row.
DATA = {
    "session_key": f"agent:main:bench-{{{{randomInt 0 {SESSIONS}}}}}",
    "message": "x" * 200,
    "timeout_seconds": 0,
    "announce": "ANNOUNCE_POLICY_NEVER",
}


async def tables(bench: Bench) -> list[Table]:
    """Wake-ups and throughput."""
    return [await _wake_ups(), await _throughput()]


@contextmanager
def _postgres() -> Iterator[str]:
    with tempfile.TemporaryDirectory(prefix="bench-pg-") as folder, running_postgres(Path(folder)) as url:
        yield url.render_as_string(hide_password=False)


@asynccontextmanager
async def _channel(server: Server) -> AsyncIterator[grpc.aio.Channel]:
    async with grpc.aio.insecure_channel(server.address) as channel:
        yield channel


async def _wake_ups() -> Table:
    with _postgres() as url:
        async with serving(url) as here, serving(url) as there, _channel(here) as near, _channel(there) as far:
            trips = [await _trip(near) for _ in range(ROUNDS)]
            taken: dict[str, list[float]] = {"same": [], "other": []}
            for _ in range(ROUNDS):
                taken["same"].append(await _wake_up(near, near))
                taken["other"].append(await _wake_up(near, far))
    trip, same, other = (statistics.median(each) for each in (trips, taken["same"], taken["other"]))
    rows = [
        ["a call that only reads", f"{trip:.2f}", "1.00", ""],
        ["wait on the same replica", f"{same:.2f}", f"{same / trip:.2f}", "1.00"],
        ["wait on another replica", f"{other:.2f}", f"{other / trip:.2f}", f"{other / same:.2f}"],
    ]
    about = (
        "PostgreSQL. From the start of CompleteRun, its commit included, to the waiter's last message: medians of "
        f"{ROUNDS} rounds that take turns. A call that only reads (AgentsList) is the measure of the connection itself."
    )
    return Table("Wake-up across replicas", about, ("what", "ms", "to a call", "to the same"), rows, text_columns=1)


async def _trip(channel: grpc.aio.Channel) -> float:
    began = time.perf_counter()
    await SessionToolsServiceStub(channel).AgentsList(tools.AgentsListRequest())
    return (time.perf_counter() - began) * 1000


async def _wake_up(near: grpc.aio.Channel, waiter: grpc.aio.Channel) -> float:
    """Milliseconds from completing a run through one server to the end of a wait on another, or the same."""
    request = tools.SessionsSendRequest(session_key="main", message="hello", timeout_seconds=0)
    request.announce = tools.ANNOUNCE_POLICY_NEVER
    await SessionToolsServiceStub(near).SessionsSend(request)
    runtimes = RuntimeServiceStub(near)
    (lease,) = (await runtimes.AcquireRuns(runtime.AcquireRunsRequest(runtime_id="bench", wait_seconds=10))).runs
    wait: Any = SessionToolsServiceStub(waiter).WaitRun(tools.WaitRunRequest(run_id=lease.run.id))
    while not (await wait.read()).HasField("state_changed"):
        pass  # the snapshot; then the change to RUNNING, after which the wait has nothing to tell
    began = time.perf_counter()
    completion = runtimes.CompleteRun(runtime.CompleteRunRequest(lease_token=lease.lease_token, reply="done"))
    async for event in wait:
        if event.HasField("ended"):
            break
    taken = (time.perf_counter() - began) * 1000
    await completion
    return taken


async def _throughput() -> Table:
    rates: dict[int, list[float]] = {1: [], 2: []}
    with _postgres() as url:
        for _ in range(REPETITIONS):
            for workers in (1, 2):
                async with serving(url, "--workers", str(workers)) as server:
                    await _make_sessions(server)
                    rates[workers].append(await _rate(server))
    one, two = (statistics.median(rates[workers]) for workers in (1, 2))
    rows = [["1", f"{one:,.0f}", "1.00"], ["2", f"{two:,.0f}", f"{two / one:.2f}"]]
    about = (
        f"PostgreSQL. SessionsSend without a wait, {AT_ONCE} at once on {CONNECTIONS} connections into {SESSIONS} "
        f"sessions, by ghz in a process of its own: medians of {REPETITIONS} turns of {CALLS:,} calls each."
    )
    return Table("Workers", about, ("workers", "sends a second", "ratio"), rows, text_columns=1)


async def _make_sessions(server: Server) -> None:
    async with _channel(server) as channel:
        stub = GatewayServiceStub(channel)
        for number in range(SESSIONS):
            key = f"agent:main:bench-{number}"
            await stub.SessionsPatch(gateway.SessionsPatchRequest(session_key=key, allow_missing=True))


def _ghz() -> str:
    installed = subprocess.run([Path(__file__).with_name("install-ghz")], check=True, stdout=subprocess.PIPE, text=True)
    return installed.stdout.strip()


async def _rate(server: Server) -> float:
    """Sends a second, all of them answered."""
    ghz = await asyncio.to_thread(_ghz)
    options = ["-c", str(AT_ONCE), "--connections", str(CONNECTIONS), "-n", str(CALLS), "-O", "json"]
    command = [ghz, "--insecure", "--call", SEND, "-d", json.dumps(DATA), *options, server.address]
    process = await asyncio.create_subprocess_exec(*command, stdout=PIPE)
    output, _ = await process.communicate()
    told = json.loads(output)
    if told.get("errorDistribution"):
        raise RuntimeError(f"ghz saw errors: {told['errorDistribution']}")
    return float(told["rps"])
