"""Where the cases of one language are played: its driver, and servers of its own, each behind a proxy of its own."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import grpc

from tests.clients.case import Case
from tests.clients.contract import METHODS
from tests.clients.driver import Driver
from tests.clients.languages import Language
from tests.clients.scripted import Scripted
from tests.clients.servers import OWNER, Server, server_of
from tests.proxy import Proxy
from tests.system.server_process import CLIENT_OPTIONS

DIRECT_S = 60


@dataclass
class Place:
    """A server, the proxy through which the client calls it, and the runner's own way to it."""

    server: Server
    proxy: Proxy
    channel: grpc.aio.Channel
    token: str
    close: Callable[[], Awaitable[None]]

    async def directly(self, name: str, data: dict[str, Any], token: str = "", acting: str = "") -> dict[str, Any]:
        """A unary call that the runner makes itself."""
        method = METHODS[name]
        call = self._call(self.channel.unary_unary(method.path), method.asked(data), token, acting)
        return method.told(await call)

    async def replayed(self, request: dict[str, Any]) -> list[dict[str, Any]]:
        """What an uncut wait tells."""
        method = METHODS["WaitRun"]
        call = self._call(self.channel.unary_stream(method.path), method.asked(request), "", "")
        return [method.told(each) async for each in call]

    def _call(self, method: Any, request: bytes, token: str, acting: str) -> Any:
        said = {"authorization": f"Bearer {token or self.token}", "acting-session": acting}
        metadata = tuple((name, value) for name, value in said.items() if value not in ("", "Bearer "))
        return method(request, metadata=metadata, timeout=DIRECT_S, wait_for_ready=True)

    async def tidy(self) -> None:
        """Let nothing of a case be left that the next one could meet."""
        self.proxy.go_on()
        self.proxy.delay_s = 0
        if isinstance(self.server, Scripted):
            return
        listed = await self.directly("SessionsList", {"limit": 200})
        for session in listed["sessions"]:
            if session["active_run_id"]:
                await self.directly("ChatAbort", {"session_key": session["key"]})


class Stage:
    """Of one language; servers are started when a case first needs them, and stay."""

    def __init__(self, language: Language, folder: Path) -> None:
        self.language = language
        self._folder = folder
        self._folders = count(1)
        self._places: dict[str, Place] = {}
        self._driver: Driver | None = None

    async def close(self) -> None:
        """End everything that was started."""
        await self._dismiss_driver()
        for place in self._places.values():
            await place.close()

    async def driver(self) -> Driver:
        """The driver, started when it is first needed."""
        if self._driver is None:
            self._driver = Driver(self.language, self._folder / "driver.log")
            await self._driver.start()
        return self._driver

    async def begin_anew(self, case: Case) -> None:
        """After a case that failed, nobody knows how: the next one has another driver, and another server."""
        place = self._places.pop(case.server)
        await self._dismiss_driver()
        await place.close()

    async def _dismiss_driver(self) -> None:
        if self._driver is not None:
            driver, self._driver = self._driver, None
            await driver.end()

    async def place(self, case: Case) -> Place:
        """The server of a case."""
        if case.server not in self._places:
            folder = self._folder / f"server-{next(self._folders)}"
            folder.mkdir()
            self._places[case.server] = await _opened(server_of(case.server, folder), OWNER.get(case.server, ""))
        place = self._places[case.server]
        if isinstance(place.server, Scripted):
            place.server.begin(case.script)
        return place


async def _opened(server: Server, token: str) -> Place:
    stack = AsyncExitStack()
    await server.start()
    proxy = await stack.enter_async_context(Proxy(server.port))
    channel = await stack.enter_async_context(grpc.aio.insecure_channel(f"127.0.0.1:{server.port}", CLIENT_OPTIONS))
    stack.push_async_callback(server.end)  # before the proxy goes, so that nothing passes through it any more
    return Place(server, proxy, channel, token, stack.aclose)
