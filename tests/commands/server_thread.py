"""A server of this process on a thread of its own, for tests of programs that call one."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import grpc

from sessiond.app import running
from sessiond.settings import load
from sessiontools.v1.gateway_service_pb2_grpc import GatewayServiceStub
from sessiontools.v1.session_tools_service_pb2_grpc import SessionToolsServiceStub
from tests.proxy import Proxy

START_S = 60
Result = TypeVar("Result")


@dataclass(frozen=True)
class Served:
    """Where it is, and how to get at it."""

    port: int
    loop: asyncio.AbstractEventLoop
    tools: SessionToolsServiceStub
    gateway: GatewayServiceStub

    @property
    def address(self) -> str:
        """As a client is told it."""
        return f"127.0.0.1:{self.port}"

    @contextmanager
    def proxied(self, cut_after: Callable[[], int | None]) -> Iterator[Proxy]:
        """A way to it that breaks now and then."""
        proxy = Proxy(self.port, cut_after)
        self._on_loop(proxy.__aenter__())
        try:
            yield proxy
        finally:
            self._on_loop(proxy.__aexit__(None, None, None))

    def _on_loop(self, work: Coroutine[Any, Any, Result]) -> Result:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(START_S)


@contextmanager
def served(folder: Path, **config: Any) -> Iterator[Served]:
    """A server with these sections of configuration."""
    file = folder / "server.json5"
    sections = {"server": {"listen": "127.0.0.1:0"}, "store": {"dataDir": str(folder / "data")}, **config}
    file.write_text(json.dumps(sections), encoding="utf-8")
    ready = threading.Event()
    found: list[tuple[int, asyncio.AbstractEventLoop, asyncio.Event]] = []

    async def serve() -> None:
        async with running(load(file, {}, {}).settings) as app:
            stop = asyncio.Event()
            found.append((app.port, asyncio.get_running_loop(), stop))
            ready.set()
            await stop.wait()

    thread = threading.Thread(target=asyncio.run, args=(serve(),), name="server")
    thread.start()
    assert ready.wait(START_S), "the server did not start"
    [(port, loop, stop)] = found
    try:
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            yield Served(port, loop, SessionToolsServiceStub(channel), GatewayServiceStub(channel))
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(START_S)
