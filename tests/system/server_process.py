"""A real `sessiontools serve` in its own process, to be killed, stopped and started again on its store and port."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import grpc

PROGRAM = Path(sys.executable).with_name("sessiontools")
READY = "sessiontools is ready on "
# Long enough that only a server that hangs ever takes it.
START_S = 60
STOP_S = 60
# A client must find a server that is back without waiting long for its next try.
CLIENT_OPTIONS = [
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 200),
    ("grpc.use_local_subchannel_pool", 1),
]


class NotStarted(AssertionError):  # noqa: N818 - says what is so
    """It ended before it was ready; with all that it wrote."""


class ServerProcess:
    """One server; its port is the system's choice at the first start and stays the same after it."""

    def __init__(self, folder: Path, store_url: str, config: Mapping[str, Any], *args: str) -> None:
        self.program: Sequence[str] = (str(PROGRAM),)  # what is started, with `serve` and so on behind it
        self._folder = folder
        self._store_url = store_url
        self._config = config
        self._args = args
        self._process: Process | None = None
        self.port = 0
        self.lines: list[str] = []  # what it wrote to standard output since its latest start

    @property
    def address(self) -> str:
        """Where it serves."""
        return f"127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        """What it wrote to standard error, over all starts."""
        return (self._folder / "server.log").read_text(encoding="utf-8")

    async def start(self) -> None:
        """Start it, and wait until it says that it is ready."""
        file = self._folder / "sessiontools.json5"
        file.write_text(json.dumps(self._settings()), encoding="utf-8")
        with (self._folder / "server.log").open("ab") as log:
            command = (*self.program, "serve", "--config", str(file), *self._args)
            self._process = await asyncio.create_subprocess_exec(*command, stdout=PIPE, stderr=log, cwd=self._folder)
        self.lines = []
        async with asyncio.timeout(START_S):
            line = await self._read_line()
        if not line.startswith(READY):
            await self.end()
            raise NotStarted(f"the server did not start: {line!r}\n{self.log}")
        self.port = int(line.rpartition(":")[2])

    async def kill(self) -> None:
        """kill -9; returns once it is gone."""
        process = self._running()
        process.kill()
        assert await self._ended(process) == -signal.SIGKILL, f"it had ended by itself\n{self.log}"

    async def stop(self, within_s: float = STOP_S) -> int:
        """SIGTERM; its exit code, which has to come within this time."""
        process = self._running()
        process.terminate()
        async with asyncio.timeout(within_s):
            return await self._ended(process)

    async def end(self) -> None:
        """Whatever the test left of it goes."""
        if self._process is not None:
            with suppress(ProcessLookupError):  # it could not even start
                self._process.kill()
            await self._ended(self._process)

    @property
    def is_running(self) -> bool:
        """Whether it was started and not ended since."""
        return self._process is not None

    @property
    def pid(self) -> int:
        """Its process."""
        return self._running().pid

    def channel(self) -> grpc.aio.Channel:
        """A new connection to it."""
        return grpc.aio.insecure_channel(self.address, CLIENT_OPTIONS)

    def _settings(self) -> dict[str, Any]:
        server = {**self._config.get("server", {}), "listen": self.address}
        store = {**self._config.get("store", {}), "url": self._store_url, "dataDir": str(self._folder / "data")}
        return {"log": {"level": "warning"}, **self._config, "server": server, "store": store}

    def _running(self) -> Process:
        assert self._process is not None, "the server is not started"
        return self._process

    async def _read_line(self) -> str:
        process = self._running()
        assert process.stdout is not None
        line = (await process.stdout.readline()).decode().rstrip("\n")
        if line:
            self.lines.append(line)
        return line

    async def _ended(self, process: Process) -> int:
        while await self._read_line():
            pass
        self._process = None
        return await process.wait()


@asynccontextmanager
async def serving(folder: Path, store_url: str, *args: str, **config: Any) -> AsyncIterator[ServerProcess]:
    """A started server with these sections of configuration; the test may stop and start it as it likes."""
    server = ServerProcess(folder, store_url, config, *args)
    try:
        await server.start()
        yield server
    finally:
        await server.end()
