"""From the start of the process to SERVING."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Sequence
from statistics import median
from typing import Any

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from bench.options import SMALL
from bench.report import Table
from bench.serving import ceiling, serving
from bench.sides import SERVERS
from bench.stores import UNTOUCHED, Bench
from bench.turns import CEILING

ABOUT = (
    "`sessiontools serve` from exec until its health is SERVING: on a store that has no tables yet, and on filled "
    "ones. The no-op is what Python, gRPC and the generated code take by themselves."
)
Start = Callable[[], Awaitable[float]]


async def tables(bench: Bench) -> list[Table]:
    """Every start in turns."""
    starts: dict[tuple[str, str], Start] = {(CEILING, ""): _noop}
    for name, (database, arguments) in SERVERS.items():
        starts[name, "new"] = _on_new(bench, database, arguments)
        for size in (SMALL, bench.options.sessions):
            starts[name, f"{size:,} sessions"] = _on((await bench.filled(database, size)).url, arguments)
    taken: dict[tuple[str, str], list[float]] = {side: [] for side in starts}
    for number in range(bench.options.turns + 1):
        for side, start in starts.items():
            took = await start()
            if number:  # the first round fills caches
                taken[side].append(took)
    top = median(taken[CEILING, ""])
    rows = [[*side, f"{median(each):.0f}", f"{median(each) / top:.2f}"] for side, each in taken.items()]
    return [Table("Start-up", ABOUT, ("server", "store", "ms", "to the no-op"), rows)]


async def _noop() -> float:
    began = time.perf_counter()
    async with ceiling():
        return (time.perf_counter() - began) * 1000


def _on_new(bench: Bench, database: str, arguments: Sequence[str]) -> Start:
    return lambda: _on(bench.empty(database), arguments)()


def _on(url: str, arguments: Sequence[str]) -> Start:
    async def start() -> float:
        began = time.perf_counter()
        async with (
            serving(url, *arguments, config=UNTOUCHED) as server,
            grpc.aio.insecure_channel(server.address) as channel,
        ):
            health: Any = health_pb2_grpc.HealthStub(channel)  # its types lack Watch
            watch = health.Watch(health_pb2.HealthCheckRequest())
            while (await watch.read()).status != health_pb2.HealthCheckResponse.SERVING:
                pass
            return (time.perf_counter() - began) * 1000

    return start
