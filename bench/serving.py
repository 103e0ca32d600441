"""Servers in processes of their own: the real one, and the no-op one with answers that were taken from it."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import sys
import tempfile
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc

from bench.requests import AGENT, IDLE_AGENT, Asked
from sessiond.workers import reserve

# Runs stay queued until a client of ours takes them, so that a wait on one stays a wait; calls leave no log lines.
CONFIG: dict[str, Any] = {
    "log": {"level": "error"},
    "agents": {
        "list": [{"id": agent, "runtime": "external"} for agent in (AGENT, IDLE_AGENT)],
        "defaults": {"maxConcurrent": 64},
    },
    "limits": {"queueDepth": 1_000_000},
    "server": {"listen": "127.0.0.1:0", "maxWaitsPerCaller": 100_000, "maxWaits": 100_000},
}
REAL = ("-m", "sessiond")


@dataclass(frozen=True)
class Server:
    """Where it listens, and its process."""

    address: str
    pid: int


@asynccontextmanager
async def serving(
    store_url: str = "",
    *args: str,
    config: Mapping[str, Any] | None = None,
    program: Sequence[str] = REAL,
    environment: Mapping[str, str] | None = None,
) -> AsyncIterator[Server]:
    """A server for the time of the context: on this store, else on an empty one on SQLite.

    `config` replaces whole sections; `program` may prepare something and then be the server.
    """
    told = CONFIG | ({"store": {"url": store_url}} if store_url else {}) | dict(config or {})
    with tempfile.TemporaryDirectory(prefix="bench-server-") as folder:
        (Path(folder) / "sessiontools.json5").write_text(json.dumps(told), encoding="utf-8")
        async with _started([*program, "serve", *args], folder, environment or {}) as server:
            yield server


@dataclass(frozen=True)
class Ready:
    """What the no-op server answers to a request; an empty request stands for any other."""

    method: str
    request: bytes
    answer: bytes


@asynccontextmanager
async def ceiling(*answers: Ready, workers: int = 1) -> AsyncIterator[Server]:
    """The no-op server with these answers; several share a port, as workers do."""
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-noop-"))
        lines = [f"{each.method} {_ascii(each.request)} {_ascii(each.answer)}" for each in answers]
        (Path(folder) / "answers").write_text("\n".join(lines), encoding="ascii")
        port = stack.enter_context(reserve("127.0.0.1", 0)).getsockname()[1] if workers > 1 else 0
        command = ["-m", "bench.noop", "answers", *([str(port)] if port else [])]
        servers = [await stack.enter_async_context(_started(command, folder, {})) for _ in range(workers)]
        yield servers[0]


async def ready(source: Server, asked: Asked) -> Ready:
    """What a real server has answered just now."""
    async with grpc.aio.insecure_channel(source.address) as channel:
        call: Any = channel.unary_unary(asked.method)  # bytes in, bytes out
        answer: bytes = await call(asked.body)
    return Ready(asked.method, b"" if asked.stands_for_all else asked.body, answer)


def _ascii(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


@asynccontextmanager
async def _started(command: Sequence[str], folder: str, environment: Mapping[str, str]) -> AsyncIterator[Server]:
    """The process, once it has said where it listens."""
    where = os.pathsep.join(path for path in sys.path if path)  # this process's own code, whatever folder it runs in
    variables = {**os.environ, "PYTHONPATH": where, **environment}
    process = await asyncio.create_subprocess_exec(sys.executable, *command, cwd=folder, env=variables, stdout=PIPE)
    try:
        assert process.stdout is not None  # noqa: S101 - it was asked for
        ready = (await process.stdout.readline()).decode()
        if not ready:
            raise RuntimeError(f"{' '.join(command)} did not start; what it wrote above says why")
        yield Server(ready.split()[-1], process.pid)
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()
