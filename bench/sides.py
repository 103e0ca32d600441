"""What takes turns under load: a request that is always the same, and sends, which are counted in the store."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from itertools import count
from typing import Any

import psutil

from bench.load import MAX_CONNECTIONS, MAX_PROCESSES, TRIES, Load, LoadProblem, Target, load
from bench.requests import Asked, a_send, make_sessions, stored
from bench.serving import Server, ceiling, ready, serving
from bench.stores import POSTGRESQL, SQLITE, Bench
from bench.turns import CEILING, Measure

# What is measured: its name, the database it is on, and how it is started.
TWO_WORKERS = f"{POSTGRESQL}, 2 workers"
SERVERS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    SQLITE: (SQLITE, ()),
    POSTGRESQL: (POSTGRESQL, ()),
    TWO_WORKERS: (POSTGRESQL, ("--workers", "2")),
}
# For a wait that must not run out.
PATIENCE_S = 60
BUSY_SHARE = 0.1
LOOK_S = 0.1
_numbers = count()


@asynccontextmanager
async def each_server(bench: Bench, config: Mapping[str, Any] | None = None) -> AsyncIterator[dict[str, Server]]:
    """Each of them, on an empty store of its own."""
    async with AsyncExitStack() as stack:
        yield {
            name: await stack.enter_async_context(serving(bench.empty(database), *arguments, config=config))
            for name, (database, arguments) in SERVERS.items()
        }


async def asking(server: Server, asked: Asked, concurrency: int) -> Measure:
    """The same request again and again."""
    target = Target(server.address, asked.method, [asked.body], len((await ready(server, asked)).answer))
    return lambda seconds: load(target, concurrency, seconds)


@asynccontextmanager
async def send_sides(
    servers: Mapping[str, Server], *, waits: bool = False, ceiling_workers: int = 1
) -> AsyncIterator[SendSides]:
    """The servers, and before them the ceiling with a send's answer taken from the first of them."""
    first = next(iter(servers.values()))
    timeout_s = PATIENCE_S if waits else 0
    (key,) = await make_sessions(first.address, "sample", 1)
    least = await ready(first, a_send(key, timeout_s=timeout_s))
    # The second send into a session is like all that follow: it names the run that it waits for.
    sample = await ready(first, a_send(key, timeout_s=timeout_s))
    async with ceiling(sample, workers=ceiling_workers) as noop:
        yield SendSides(noop, servers, len(least.answer), timeout_s)


class SendSides:
    """What takes turns, at any concurrency; what goes into one session comes over one connection, as from a gateway."""

    def __init__(self, noop: Server, servers: Mapping[str, Server], answer_bytes: int, timeout_s: int) -> None:
        self._noop = noop
        self._servers = servers
        self._answer_bytes = answer_bytes
        self._timeout_s = timeout_s

    def at(self, concurrency: int) -> dict[str, Measure]:
        """The measures of all sides."""
        sides: dict[str, Measure] = {CEILING: partial(self._nothing, concurrency)}
        return sides | {name: partial(self._send, server, concurrency) for name, server in self._servers.items()}

    async def _nothing(self, concurrency: int, seconds: float) -> Load:
        """The same requests to the server that does nothing with them."""
        keys = [_key(number) for number in range(min(concurrency, MAX_PROCESSES))]
        return await load(self._target(self._noop, keys), concurrency, seconds, MAX_PROCESSES)

    async def _send(self, server: Server, concurrency: int, seconds: float) -> Load:
        """Into new sessions; what was answered must be in them."""
        keys = await make_sessions(server.address, _prefix(next(_numbers)), min(concurrency, MAX_PROCESSES))
        sent = await load(self._target(server, keys), concurrency, seconds, MAX_PROCESSES)
        await settled(server)
        messages = await stored(server.address, keys)
        each = 2 if self._timeout_s else 1  # with its reply
        # What was under way when the time was over is stored too, but its answer is not counted.
        if not sent.calls <= messages / each <= sent.calls + TRIES * concurrency:
            raise LoadProblem(f"{sent.calls} sends were answered, but there are {messages} messages")
        return sent

    def _target(self, server: Server, keys: list[str]) -> Target:
        asked = [a_send(key, timeout_s=self._timeout_s) for key in keys]
        return Target(server.address, asked[0].method, [each.body for each in asked], self._answer_bytes)


async def settled(server: Server) -> None:
    """Until the server has done what it does after answering, such as its mirror: else the next side would pay."""
    process = psutil.Process(server.pid)
    processes = [process, *process.children(recursive=True)]
    before = _cpu_s(processes)
    while True:
        await asyncio.sleep(LOOK_S)  # nothing tells when a process is idle
        after = _cpu_s(processes)
        if after - before < BUSY_SHARE * LOOK_S:
            return
        before = after


def _cpu_s(processes: Iterable[psutil.Process]) -> float:
    times = [process.cpu_times() for process in processes]
    return sum(each.user + each.system for each in times)


def _prefix(number: int) -> str:
    return f"send-{number:05}"


def _key(number: int) -> str:
    """As long as those of the sessions that are made."""
    return f"agent:main:{_prefix(0)}-{number:04}"


async def queue_runs(server: Server, seconds: float) -> None:
    """Send for a while into new sessions; nobody takes the runs yet."""
    keys = await make_sessions(server.address, _prefix(next(_numbers)), MAX_PROCESSES)
    asked = [a_send(key) for key in keys]
    await load(Target(server.address, asked[0].method, [each.body for each in asked], 1), MAX_CONNECTIONS, seconds)
