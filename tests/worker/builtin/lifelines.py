"""Tells a test which processes have begun and when all of them are dead: each holds a connection while it lives."""

from __future__ import annotations

import asyncio
from types import TracebackType

from tests.fakes.execution import soon

# Pasted in front of a test's program; argv[1] is the port.
PRELUDE = """
import os, signal, socket, sys, time

def hold(name):
    global line
    line = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    line.sendall(f"{name} {os.getpid()}\\n".encode())

def child(name, *, closes_output=False, starts_session=False, is_stubborn=False):
    ready, tell = os.pipe()
    if os.fork():
        os.read(ready, 1)  # goes on only when the child is held
        return
    if starts_session:
        os.setsid()
    if is_stubborn:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if closes_output:
        for fd in (0, 1, 2):
            os.close(fd)
    hold(name)
    os.write(tell, b".")
    while True:
        time.sleep(3600)
"""


class Lifelines:
    """A server to which the processes of a test connect."""

    def __init__(self) -> None:
        self.pids: dict[str, int] = {}
        self._alive = 0
        self._began: dict[str, asyncio.Event] = {}
        self._nobody = asyncio.Event()

    async def __aenter__(self) -> Lifelines:
        self._server = await asyncio.start_server(self._hold, "127.0.0.1", 0)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        await self._server.wait_closed()

    @property
    def port(self) -> str:
        """Where to connect."""
        return str(self._server.sockets[0].getsockname()[1])

    async def began(self, *names: str) -> None:
        """Wait until the processes of these names run."""
        for name in names:
            await soon(self._event(name))

    async def all_dead(self) -> None:
        """Wait until none is left."""
        await soon(self._nobody)

    def _event(self, name: str) -> asyncio.Event:
        return self._began.setdefault(name, asyncio.Event())

    async def _hold(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._alive += 1
        self._nobody.clear()
        name, pid = (await reader.readline()).decode().split()
        self.pids[name] = int(pid)
        self._event(name).set()
        await reader.read()  # until its end
        writer.close()
        self._alive -= 1
        if not self._alive:
            self._nobody.set()
