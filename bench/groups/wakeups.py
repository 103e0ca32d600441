"""How soon a waiter hears of what was committed: in one process, among many waits, and across replicas (W7, X5)."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from bench.clients import Client, acquired, completed, connected
from bench.groups.waits import AGELESS, queued_run
from bench.holder import holding
from bench.load import LoadProblem
from bench.report import Bar, Table
from bench.requests import IDLE_AGENT, a_send, make_sessions
from bench.serving import Server, ceiling, ready, serving
from bench.stores import DATABASES, POSTGRESQL, Bench
from bench.timed import TIMES, commits
from sessiond.store.run_events import run_topic
from sessiontools.v1 import session_tools_service_pb2 as tools
from sessiontools.v1.run_pb2 import RUN_STATE_RUNNING

COUNTS = (1, 1_000, 10_000)
TIMED = ("-m", "bench.timed")
SAME, OTHER = "same process", "another replica"
LIMITS = {SAME: 2, OTHER: 5}
ABOUT = (
    "A wait on a running run, among so many open ones, and CompleteRun by the same client. `committed` is the moment "
    "at which the completing server's event loop hears that the transaction is durable (`bench/timed.py`, one clock "
    "for all processes); `received` is when the client has the wait's last message. `from the call` begins when the "
    "client calls CompleteRun, and so has the way there, the transaction and its sync in it. The ratio is of the "
    "median from the commit to that of a no-op round trip of the same client, taken in turns."
)


@dataclass(frozen=True)
class Timed:
    """A server and its notes."""

    server: Server
    notes: Path
    client: Client


@dataclass(frozen=True)
class Woken:
    """One wake-up."""

    run_id: str
    called_ns: int
    received_ns: int


async def tables(bench: Bench) -> list[Table]:
    """Each database, each number of waits; on PostgreSQL from another replica too."""
    rows: list[list[str]] = []
    bars: list[Bar] = []
    for name in DATABASES:
        async with AsyncExitStack() as stack:
            url = bench.empty(name)
            near = await stack.enter_async_context(_timed(url))
            sides = {SAME: near} | ({OTHER: await stack.enter_async_context(_timed(url))} if name == POSTGRESQL else {})
            holder = await stack.enter_async_context(holding(near.server, await queued_run(near.server)))
            noop = await stack.enter_async_context(_noop(near))
            for count in COUNTS[:2] if bench.options.quick else COUNTS:
                if count > 1:
                    await holder.hold(count)
                for place, (woken, trips_ms) in (await _rounds(near, sides, noop, bench.options.rounds)).items():
                    row, ratio = _row(near, woken, trips_ms)
                    rows.append([name, place, f"{count:,}", *row])
                    if count == 1:
                        bars.append(
                            Bar(f"Wake-up from the commit, {place}, {name}", ratio, LIMITS[place], at_most=True)
                        )
    headers = (
        *("database", "waiter", "waits open", "committed to received p50 (ms)", "p99"),
        *("from the call p50", "p99", "no-op trip p50", "ratio"),
    )
    return [Table("Wake-up", ABOUT, headers, rows, bars=bars)]


@asynccontextmanager
async def _timed(url: str) -> AsyncIterator[Timed]:
    with tempfile.TemporaryDirectory(prefix="bench-times-") as folder:
        notes = Path(folder) / "times"
        async with (
            serving(url, config=AGELESS, program=TIMED, environment={TIMES: str(notes)}) as server,
            connected(server.address) as client,
        ):
            yield Timed(server, notes, client)


@asynccontextmanager
async def _noop(near: Timed) -> AsyncIterator[Client]:
    """Answers as to a send: a message in, a message out."""
    sample = a_send(*await make_sessions(near.server.address, "sample", 1, IDLE_AGENT))
    async with ceiling(await ready(near.server, sample)) as noop, connected(noop.address) as client:
        yield client


async def _rounds(
    near: Timed, sides: dict[str, Timed], noop: Client, rounds: int
) -> dict[str, tuple[list[Woken], list[float]]]:
    """Wake-ups of each side and no-op trips, in turns."""
    (key,) = await make_sessions(near.server.address, f"wake-{time.monotonic_ns()}", 1)
    request = tools.SessionsSendRequest(session_key=key, message="hello", timeout_seconds=0)
    request.announce = tools.ANNOUNCE_POLICY_NEVER
    found: dict[str, tuple[list[Woken], list[float]]] = {place: ([], []) for place in sides}
    for number in range(-rounds // 10, rounds):  # the first are not counted
        for place, side in sides.items():
            trip_ms = await _trip(noop, request)
            woken = await _wake_up(near.client, side.client, request)
            if number >= 0:
                found[place][0].append(woken)
                found[place][1].append(trip_ms)
    return found


async def _trip(noop: Client, request: tools.SessionsSendRequest) -> float:
    began = time.monotonic_ns()
    await noop.tools.SessionsSend(request)
    return (time.monotonic_ns() - began) / 1e6


async def _wake_up(near: Client, far: Client, request: tools.SessionsSendRequest) -> Woken:
    """Send, lease, wait on the far side until there is nothing more to tell, and complete."""
    await near.tools.SessionsSend(request)
    lease = await acquired(near)
    wait: Any = far.tools.WaitRun(tools.WaitRunRequest(run_id=lease.run.id))
    while (await wait.read()).state_changed.to_state != RUN_STATE_RUNNING:
        pass  # the snapshot, and that it was queued; after that the wait has nothing to tell
    called_ns = time.monotonic_ns()
    completion = asyncio.create_task(completed(near, lease.lease_token))
    while not (await wait.read()).HasField("ended"):
        pass
    received_ns = time.monotonic_ns()
    await completion
    return Woken(lease.run.id, called_ns, received_ns)


def _row(near: Timed, woken: list[Woken], trips_ms: list[float]) -> tuple[list[str], float]:
    """The cells, and the ratio."""
    heard = commits(near.notes)
    from_commit = [(each.received_ns - _committed_ns(heard, each)) / 1e6 for each in woken]
    from_call = [(each.received_ns - each.called_ns) / 1e6 for each in woken]
    figures = [*_p50_p99(from_commit), *_p50_p99(from_call), median(trips_ms)]
    ratio = median(from_commit) / median(trips_ms)
    return [*(f"{each:.2f}" for each in figures), f"{ratio:.2f}"], ratio


def _committed_ns(heard: dict[str, list[int]], woken: Woken) -> int:
    """The first that the completing server heard of the run after it was called."""
    found = [at_ns for at_ns in heard.get(run_topic(woken.run_id), ()) if at_ns >= woken.called_ns]
    if not found:
        raise LoadProblem(f"the server has noted no commit for run {woken.run_id}")
    return min(found)


def _p50_p99(taken: list[float]) -> tuple[float, float]:
    hundredths = quantiles(taken, n=100)
    return hundredths[49], hundredths[98]
