"""Idle waits: what they cost in memory, and what they do to everybody else's calls (W10)."""

from __future__ import annotations

from typing import Any

import psutil

from bench.clients import connected
from bench.holder import HEARTBEAT_S, holding
from bench.load import Load
from bench.report import Bar, Table
from bench.requests import IDLE_AGENT, an_agents_list, make_sessions
from bench.serving import CONFIG, Server, serving
from bench.sides import SERVERS, TWO_WORKERS, asking
from bench.stores import Bench
from bench.turns import in_turns
from sessiontools.v1.session_tools_service_pb2 import SessionsSendRequest

COUNTS = (1_000, 10_000, 50_000)
BAR_AT = 10_000
CONCURRENCY = 4
WITHOUT, WITH = "without", "with"
# Nobody measures for so long that a wait would end of age.
AGELESS: dict[str, Any] = {"server": CONFIG["server"] | {"streamMaxAgeSeconds": 86_400}}
ABOUT = (
    f"AgentsList, {CONCURRENCY} at once, on a server that holds so many idle WaitRun streams for another process, and "
    f"in turns on one that holds none. Heartbeats come every {HEARTBEAT_S} s. `kB each` is what the server's resident "
    "memory grew by for each wait since there was none."
)


async def tables(bench: Bench) -> list[Table]:
    """Each number on each database."""
    rows: list[list[str]] = []
    bars: list[Bar] = []
    for name, (database, arguments) in SERVERS.items():
        async with (
            serving(bench.empty(database), *arguments, config=AGELESS) as without,
            serving(bench.empty(database), *arguments, config=AGELESS) as server,
            holding(server, await queued_run(server)) as holder,
        ):
            await (await asking(server, an_agents_list(), CONCURRENCY))(1.0)  # memory that is taken at first use
            size = _memory(server)
            for count in COUNTS[:2] if bench.options.quick else COUNTS:
                await holder.hold(count)
                each_kb = (_memory(server) - size) / count / 1000
                sides = {
                    WITHOUT: await asking(without, an_agents_list(), CONCURRENCY),
                    WITH: await asking(server, an_agents_list(), CONCURRENCY),
                }
                loads = await in_turns(sides, bench.options)
                rows.append(_row(name, count, loads, each_kb))
                bars += _bars(name, loads, each_kb) if count == BAR_AT and name != TWO_WORKERS else []
    headers = (
        *("server", "idle waits", "p50 (ms)", "p99 (ms)", "with them p50", "with them p99"),
        *("p50 ratio", "p99 ratio", "kB each"),
    )
    return [Table("WaitRun: idle waits", ABOUT, headers, rows, text_columns=1, bars=bars)]


async def queued_run(server: Server) -> str:
    """A run that nobody takes, so that a wait on it stays a wait."""
    (key,) = await make_sessions(server.address, "waits", 1, IDLE_AGENT)
    async with connected(server.address) as client:
        request = SessionsSendRequest(session_key=key, message="hello", timeout_seconds=0)
        return (await client.tools.SessionsSend(request)).run_id


def _memory(server: Server) -> int:
    process = psutil.Process(server.pid)
    return sum(each.memory_info().rss for each in (process, *process.children(recursive=True)))


def _row(name: str, count: int, loads: dict[str, Load], each_kb: float) -> list[str]:
    before, during = loads[WITHOUT], loads[WITH]
    figures = (before.p50_ms, before.p99_ms, during.p50_ms, during.p99_ms)
    ratios = (during.p50_ms / before.p50_ms, during.p99_ms / before.p99_ms)
    return [name, f"{count:,}", *(f"{each:.2f}" for each in (*figures, *ratios)), f"{each_kb:.1f}"]


def _bars(name: str, loads: dict[str, Load], each_kb: float) -> list[Bar]:
    ratio = loads[WITH].p99_ms / loads[WITHOUT].p99_ms
    return [
        Bar(f"{BAR_AT:,} idle waits, p99 of other calls, {name}", ratio, 1.3, at_most=True),
        Bar(f"{BAR_AT:,} idle waits, kB each, {name}", each_kb, 30, at_most=True),
    ]
