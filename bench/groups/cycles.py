"""AcquireRuns and CompleteRun: what an external runtime can take and finish."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from bench.clients import ACQUIRE, REPLY, Client, acquired, completed, driven
from bench.load import Load
from bench.report import Table
from bench.requests import Asked, a_send, make_sessions
from bench.serving import Server, ceiling, ready
from bench.sides import each_server, queue_runs, settled
from bench.stores import SQLITE, Bench
from bench.turns import CEILING, HEADERS, Measure, in_turns, rows_of
from sessiontools.v1.runtime_service_pb2 import AcquireRunsResponse, CompleteRunRequest

RUNTIME_SERVICE = "/sessiontools.v1.RuntimeService"
CONCURRENCIES = (1, 16)
ABOUT = (
    "A run is leased and then completed with a reply, by so many tasks of one client for Python, each with a "
    "connection of its own, out of 32 sessions with many runs each. The no-op answers both calls with the same "
    "messages to the same client. `generator` is the client's share of a core: it is nearly as busy as the no-op "
    "server, which flatters the ratio a little."
)


async def tables(bench: Bench) -> list[Table]:
    """Each concurrency, the servers taking turns."""
    found: dict[int, dict[str, Load]] = {}
    async with each_server(bench) as servers, _ceiling(servers[SQLITE]) as noop:
        for concurrency in CONCURRENCIES:
            sides: dict[str, Measure] = {CEILING: partial(_nothing, noop, concurrency)}
            sides |= {name: partial(cycles, server, concurrency) for name, server in servers.items()}
            found[concurrency] = await in_turns(sides, bench.options)
    headers = ("server", "at once", "cycles a second", *HEADERS[1:])
    return [Table("AcquireRuns and CompleteRun", ABOUT, headers, rows_of(found), text_columns=1)]


async def cycles(server: Server, concurrency: int, seconds: float) -> Load:
    """As many as there is time for; the runs are sent before."""
    await queue_runs(server, seconds / 2)
    await settled(server)
    return await _nothing(server, concurrency, seconds)


async def _nothing(server: Server, concurrency: int, seconds: float) -> Load:
    return await driven(server.address, _cycle, concurrency, seconds)


async def _cycle(client: Client) -> None:
    await completed(client, (await acquired(client)).lease_token)


@asynccontextmanager
async def _ceiling(source: Server) -> AsyncIterator[Server]:
    """A no-op server with one run's assignment and end."""
    await ready(source, a_send(*await make_sessions(source.address, "sample", 1)))
    lease = await ready(source, Asked(f"{RUNTIME_SERVICE}/AcquireRuns", ACQUIRE.SerializeToString(), True))
    token = AcquireRunsResponse.FromString(lease.answer).runs[0].lease_token
    end = CompleteRunRequest(lease_token=token, reply=REPLY).SerializeToString()
    async with ceiling(lease, await ready(source, Asked(f"{RUNTIME_SERVICE}/CompleteRun", end, True))) as noop:
        yield noop
