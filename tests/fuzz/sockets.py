"""Connections that were opened to do harm; some go at once, some stay and say no more."""

from __future__ import annotations

import asyncio
import random
import socket
import struct
from collections import Counter, deque

from tests.fuzz.attacks import ATTACKS, Attack

HELD = 150
ANSWER_BYTES = 65_536
RESET = struct.pack("ii", 1, 0)  # close with a reset, whatever is still to be sent


class Sockets:
    """Strikes an address, and holds what was opened until there are too many, or it is over."""

    def __init__(self, port: int, rng: random.Random) -> None:
        self._port = port
        self._rng = rng
        self._held: deque[asyncio.StreamWriter] = deque()
        self.strikes: Counter[str] = Counter()

    async def __aenter__(self) -> Sockets:
        return self

    async def __aexit__(self, *of_no_matter: object) -> None:
        while self._held:
            _reset(self._held.popleft())

    async def strike_on(self, over: float) -> None:
        """Attack after attack until a time of the loop's clock."""
        while asyncio.get_running_loop().time() < over:
            await self.strike(self._rng.choice(ATTACKS))

    async def strike(self, attack: Attack) -> None:
        """One connection: its bytes, then either gone with a reset, or read once and left as it is."""
        self.strikes[attack.__name__] += 1
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        try:
            writer.write(attack(self._rng))
            if self._rng.random() < 0.2:
                _reset(writer)
                return
            await writer.drain()
            await reader.read(ANSWER_BYTES)  # HTTP/2 servers speak first: there is always an answer, or the end
        except ConnectionError:  # the server has hung up, which is its right
            _reset(writer)
            return
        self._held.append(writer)
        if len(self._held) > HELD:
            _reset(self._held.popleft())


def _reset(writer: asyncio.StreamWriter) -> None:
    connection: socket.socket = writer.get_extra_info("socket")
    if connection.fileno() >= 0:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    writer.transport.abort()
