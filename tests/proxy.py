"""A TCP proxy on loopback that cuts, stalls and delays what passes through it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import TracebackType

CHUNK_BYTES = 64 * 1024


def never() -> int | None:
    """No connection is cut by itself."""
    return None


class Proxy:
    """Stands before a server for the time of its context.

    `cut_after` is asked once for each connection: how many bytes of the server's answers it lasts, None for any number.
    """

    def __init__(self, upstream_port: int, cut_after: Callable[[], int | None] = never) -> None:
        self._upstream_port = upstream_port
        self._cut_after = cut_after
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._may_pass = asyncio.Event()
        self._may_pass.set()
        self.delay_s = 0.0  # added to every piece, in both directions
        self.cuts = 0

    async def __aenter__(self) -> Proxy:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        self.cut()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    @property
    def address(self) -> str:
        """Where clients connect."""
        return f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    def cut(self) -> None:
        """End every connection at once, without a word to either side."""
        for writer in self._writers:
            writer.transport.abort()

    def stall(self) -> None:
        """Let nothing pass any more, with every connection left open."""
        self._may_pass.clear()

    def go_on(self) -> None:
        """Let everything pass again."""
        self._may_pass.set()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        try:
            up_reader, up_writer = await asyncio.open_connection("127.0.0.1", self._upstream_port)
        except ConnectionError:  # the server is away, and so are we
            writer.transport.abort()
            return
        await self._join(reader, writer, up_reader, up_writer)

    async def _join(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        up_reader: asyncio.StreamReader,
        up_writer: asyncio.StreamWriter,
    ) -> None:
        """Pump in both directions until one of them ends; then the connection ends as a whole."""
        both = {writer, up_writer}
        self._writers |= both
        pumps = [
            asyncio.create_task(self._pump(reader, up_writer, None)),
            asyncio.create_task(self._pump(up_reader, writer, self._cut_after())),
        ]
        try:
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for pump in pumps:
                pump.cancel()
            for each in both:
                each.close()
            await asyncio.gather(*pumps, return_exceptions=True)
            self._writers -= both

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, left: int | None) -> None:
        try:
            while data := await reader.read(CHUNK_BYTES):
                await asyncio.sleep(self.delay_s)
                await self._may_pass.wait()
                if left is not None and len(data) >= left:
                    self.cuts += 1
                    writer.write(data[:left])
                    return
                left = None if left is None else left - len(data)
                writer.write(data)
                await writer.drain()
        except ConnectionError:  # cut from either side: the end of this connection, as any other
            return
