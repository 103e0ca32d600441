"""AppendRunEvents: pieces of an answer, fanned out to many waiters as they come."""

from __future__ import annotations

import asyncio
import time
from contextlib import AsyncExitStack
from functools import partial
from statistics import median, quantiles
from typing import Any

from bench.clients import MOST_CONNECTIONS, Client, acquired, connected, connected_for, driven
from bench.load import Load
from bench.report import Table
from bench.requests import IDLE_AGENT, a_send, make_sessions
from bench.serving import Server, ceiling, ready
from bench.sides import each_server
from bench.stores import SQLITE, Bench
from bench.turns import in_turns
from sessiontools.v1 import runtime_service_pb2 as runtime
from sessiontools.v1 import session_tools_service_pb2 as tools

WAITERS = 100
CEILING = "no-op, unary"
TEXT = "a few words of it "
ABOUT = (
    f"One run with {WAITERS} WaitRun streams on it (`include_deltas`) over {MOST_CONNECTIONS} connections, all of one "
    "client for Python, which also appends one delta after the other, each once the one before has reached every "
    "waiter. The times are from the call of AppendRunEvents to the last waiter's receipt. The no-op is "
    f"{WAITERS} unary calls at once by the same client; the ratio is of messages received to those calls."
)


async def tables(bench: Bench) -> list[Table]:
    """The servers taking turns."""
    async with each_server(bench) as servers:
        sample = a_send(*await make_sessions(servers[SQLITE].address, "sample", 1, IDLE_AGENT))
        request = tools.SessionsSendRequest.FromString(sample.body)
        async with ceiling(await ready(servers[SQLITE], sample)) as noop:
            sides = {CEILING: partial(_unary, noop, request)}
            sides |= {name: partial(fan_out, each) for name, each in servers.items()}
            loads = await in_turns(sides, bench.options)
    top = loads[CEILING].rps
    rows = [
        [
            *(name, "" if name == CEILING else f"{each.rps / WAITERS:,.0f}", f"{each.rps:,.0f}"),
            *(f"{each.p50_ms:.2f}", f"{each.p99_ms:.2f}", f"{each.share:.2f}", f"{each.rps / top:.2f}"),
        ]
        for name, each in loads.items()
    ]
    headers = ("server", "deltas a second", "received a second", "p50 (ms)", "p99 (ms)", "client", "ratio")
    return [Table(f"AppendRunEvents to {WAITERS} waiters", ABOUT, headers, rows, text_columns=1)]


async def _unary(noop: Server, request: tools.SessionsSendRequest, seconds: float) -> Load:
    async def call(client: Client) -> None:
        await client.tools.SessionsSend(request)

    return await driven(noop.address, call, WAITERS, seconds)


async def fan_out(server: Server, seconds: float) -> Load:
    """Deltas for so long; each counts as often as it was received."""
    keys = await make_sessions(server.address, f"deltas-{time.monotonic_ns()}", 1)
    async with (
        connected(server.address) as client,
        connected_for(server.address, WAITERS) as waiters,
        AsyncExitStack() as stack,
    ):
        await client.tools.SessionsSend(tools.SessionsSendRequest.FromString(a_send(keys[0]).body))
        lease = await acquired(client)
        waits = [await _following(waiter, lease.run.id) for waiter in waiters]
        for wait in waits:
            stack.callback(wait.cancel)
        return await _appended(client, lease.lease_token, waits, seconds)


async def _following(client: Client, run_id: str) -> Any:
    """A wait that has told all there is so far."""
    wait: Any = client.tools.WaitRun(tools.WaitRunRequest(run_id=run_id, include_deltas=True))
    while not (await wait.read()).HasField("state_changed"):
        pass
    return wait


async def _appended(client: Client, lease_token: str, waits: list[Any], seconds: float) -> Load:
    took_ms: list[float] = []
    began, cpu_s = time.perf_counter(), time.process_time()
    while (start := time.perf_counter()) < began + seconds:
        request = runtime.AppendRunEventsRequest(lease_token=lease_token, first_sequence=len(took_ms) + 1)
        request.events.add(delta=TEXT)
        await asyncio.gather(client.runtime.AppendRunEvents(request), *(_delta(wait) for wait in waits))
        took_ms.append((time.perf_counter() - start) * 1000)
    passed = time.perf_counter() - began
    share = (time.process_time() - cpu_s) / passed
    p99 = quantiles(took_ms, n=100)[98]
    return Load(len(took_ms) * len(waits) / passed, median(took_ms), p99, share, len(took_ms) * len(waits))


async def _delta(wait: Any) -> None:
    while not (await wait.read()).HasField("output_delta"):
        pass
