"""The proxy that tests put before a server does what it says."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from tests.proxy import Proxy, never

TEST_S = 30


@asynccontextmanager
async def _echo_behind_proxy(cut_after: Callable[[], int | None] = never) -> AsyncIterator[Proxy]:
    """A server that says back what it hears, and the proxy before it."""

    async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(1024):
            writer.write(data)
        writer.close()

    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    async with asyncio.timeout(TEST_S), server, Proxy(server.sockets[0].getsockname()[1], cut_after) as proxy:
        yield proxy


@asynccontextmanager
async def _connected(proxy: Proxy) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    host, _, port = proxy.address.partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    yield reader, writer
    writer.close()


async def test_what_is_sent_passes_both_ways() -> None:
    async with _echo_behind_proxy() as proxy, _connected(proxy) as (reader, writer):
        writer.write(b"hello")
        assert await reader.readexactly(5) == b"hello"

        proxy.delay_s = 0.01
        writer.write(b"again")
        assert await reader.readexactly(5) == b"again"


async def test_a_connection_ends_after_so_many_bytes() -> None:
    async with _echo_behind_proxy(cut_after=lambda: 3) as proxy, _connected(proxy) as (reader, writer):
        writer.write(b"hello")

        assert await reader.read() == b"hel"
        assert proxy.cuts == 1


async def test_a_cut_ends_what_is_open() -> None:
    async with _echo_behind_proxy() as proxy, _connected(proxy) as (reader, writer):
        writer.write(b"hello")
        assert await reader.readexactly(5) == b"hello"

        proxy.cut()

        assert await reader.read() == b""


async def test_a_stall_holds_everything_back_until_it_is_lifted() -> None:
    async with _echo_behind_proxy() as proxy, _connected(proxy) as (reader, writer):
        proxy.stall()
        writer.write(b"hello")
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(reader.readexactly(5), timeout=0.1)

        proxy.go_on()

        assert await reader.readexactly(5) == b"hello"
