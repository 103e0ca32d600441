"""The servers that cases are played on: real ones, each in a process of its own, to be stopped, killed and started."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import signal
from multiprocessing import forkserver
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Protocol

from tests.clients.scripted import Scripted
from tests.clients.serving import serve

# Plain text is echoed; the runs of `far` wait for whoever calls RuntimeService.
_AGENTS = {
    "list": [
        {"id": "main", "name": "Main", "subagents": {"allowAgents": ["far", "helper"]}},
        {"id": "helper", "name": "Helper"},
        {"id": "far", "runtime": "external"},
    ],
}
_DENIED = {"action": "deny", "match": {"channel": "forbidden"}}
_ECHO = {"agents": _AGENTS, "session": {"sendPolicy": {"rules": [_DENIED]}}, "runtime": {"cancelGraceSeconds": 0}}
_TOKENS = [{"name": role, "role": role, "token": f"{role}-token"} for role in ("owner", "gateway", "runtime")]
# Tokens are demanded, and whatever can be limited is limited to very little.
_STRICT = {
    "agents": {**_AGENTS, "defaults": {"subagents": {"maxChildren": 1}}},
    "auth": {"tokens": _TOKENS},
    "limits": {"queueDepth": 2},
    "runtime": {"cancelGraceSeconds": 0},
    "server": {"maxRequestBytes": 2 * 1024 * 1024, "maxWaitsPerCaller": 2},
    "session": {"agentToAgent": {"maxRunsPerTrace": 3}},
}
# Every caller may call twice, and then not for long.
_HURRIED = {"auth": {"tokens": _TOKENS}, "limits": {"requestsPerSecond": 0.001, "requestBurst": 2}}
SCRIPTED = "scripted"
CONFIGS: dict[str, dict[str, Any]] = {"echo": _ECHO, "strict": _STRICT, "hurried": _HURRIED}
KINDS = (*CONFIGS, SCRIPTED)
OWNER = {"strict": "owner-token", "hurried": "owner-token"}  # by server: the token with which the runner itself calls

# Every server is a copy of one process that has imported everything, also the program that the runner is part of, as
# each copy would otherwise do: to start one anew takes no time.
_COPIES = multiprocessing.get_context("forkserver")
_COPIES.set_forkserver_preload(["__main__", "sessiond.app"])
START_S = 60
STOP_S = 30


def warm_up() -> None:
    """Have that process import everything, beside whatever else is done first."""
    forkserver.ensure_running()


class Server(Protocol):
    """What the runner does with a server; it keeps its port."""

    port: int

    async def start(self) -> None: ...
    async def stop(self) -> None: ...
    async def end(self) -> None: ...


class RealServer:
    """A server on a store and a configuration of its own."""

    def __init__(self, folder: Path, config: dict[str, Any]) -> None:
        self._folder = folder
        self._process: BaseProcess | None = None
        self.port = 0
        (folder / "sessiontools.json5").write_text(json.dumps(config), encoding="utf-8")

    async def start(self) -> None:
        """Start it, on the port that it had before."""
        receiving, sending = _COPIES.Pipe(duplex=False)
        self._process = _COPIES.Process(target=serve, args=(self._folder, self.port, sending), daemon=True)
        await asyncio.to_thread(self._process.start)
        sending.close()
        try:
            assert await asyncio.to_thread(receiving.poll, START_S), "the server takes too long to start"
            self.port = receiving.recv()
        except EOFError:
            raise AssertionError(f"the server did not start:\n{self._log()}") from None
        finally:
            receiving.close()

    async def stop(self) -> None:
        """SIGTERM, and so a drain."""
        process = self._running()
        process.terminate()
        code = await self._exit_code(process)  # None when it has not ended in time
        assert code == 0, f"the server did not end well ({code}):\n{self._log()}"

    async def kill(self) -> None:
        """SIGKILL."""
        process = self._running()
        process.kill()
        assert await self._exit_code(process) == -signal.SIGKILL, "the server had ended by itself"

    async def end(self) -> None:
        """Whatever is left of it goes."""
        if self._process is not None:
            await self.kill()

    def _log(self) -> str:
        return (self._folder / "server.log").read_text(encoding="utf-8", errors="replace")[-2000:]

    def _running(self) -> BaseProcess:
        assert self._process is not None, "the server is not started"
        return self._process

    async def _exit_code(self, process: BaseProcess) -> int | None:
        await asyncio.to_thread(process.join, STOP_S)
        self._process = None
        return process.exitcode


def server_of(kind: str, folder: Path) -> Server:
    """A server of this kind, not started yet."""
    return Scripted() if kind == SCRIPTED else RealServer(folder, CONFIGS[kind])
