"""Bytes that are no calls: each kind of attack by itself, and after each the server answers as ever (X6)."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest

from tests.fuzz import http2
from tests.fuzz.aftermath import faults_in, ordinary_day
from tests.fuzz.attacks import ATTACKS
from tests.fuzz.sockets import Sockets
from tests.fuzz.stage import CONFIG
from tests.fuzz.watch import ANSWER_S, watching
from tests.system.server_process import serving

TIMES = 5
NO_TEXTS = (b"\xff\xfe", b"/sessiontools.v1.SessionToolsService/\xff", b"/\xed\xa0\x80")


async def test_no_bytes_on_the_socket_keep_others_from_being_served(tmp_path: Path, seed: str) -> None:  # X6
    rng = random.Random(f"{seed} alone")  # noqa: S311 - not for secrets
    async with serving(tmp_path, f"sqlite:///{tmp_path / 'test.db'}", **CONFIG) as server:
        async with watching(server) as watch, server.channel() as channel, Sockets(server.port, rng) as sockets:
            for attack in dict.fromkeys(ATTACKS):
                for _ in range(TIMES):
                    await sockets.strike(attack)
                await watch.look()
            await ordinary_day(channel)
        assert await server.stop() == 0

    faults = faults_in((tmp_path / "server.log").read_bytes())
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("path", NO_TEXTS)
async def test_a_path_that_is_no_text_does_not_stop_the_server(tmp_path: Path, path: bytes) -> None:  # X6
    async with serving(tmp_path, f"sqlite:///{tmp_path / 'test.db'}", **CONFIG) as server, watching(server) as watch:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(http2.hello() + http2.begin(1, http2.headers_of(path)) + http2.data(1, http2.message(b"")))
        async with asyncio.timeout(ANSWER_S):
            answer = await http2.answer_in(reader)
        writer.transport.abort()

        assert answer is not None, "the server hung up on everybody"
        await watch.look()
