"""One side at one concurrency: loaded with sends and with gets, its answers looked at and its store counted."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import cycle, islice

import grpc

from bench.load import TRIES, Load, LoadProblem, Target, load
from bench.peers.side import REPLY, Answer, Side
from bench.sides import settled

Call = grpc.aio.UnaryUnaryMultiCallable[bytes, bytes]


@dataclass(frozen=True)
class _Looks:
    """What looking at answers taught: how long they are, and a get for each place."""

    send_bytes: int
    gets: list[bytes]
    get_bytes: int


class Trial:
    """Its measures are taken again and again; `calls` and `failed` count the sends of all of them."""

    def __init__(self, side: Side, concurrency: int) -> None:
        """So many calls are under way at a time."""
        self._side = side
        self._concurrency = concurrency
        self.calls = 0
        self.failed = 0

    async def send(self, seconds: float) -> Load:
        """Sends; only those count whose work is complete in the store."""
        looks = await self._looked_at()
        before = await asyncio.to_thread(self._side.completed)
        sends = list(dict.fromkeys(self._sends()))  # each different one has its own process of the generator
        least = 0 if self._side.may_fail else looks.send_bytes
        taken = await self._load(self._side.running.send_method, sends, least, seconds)
        await settled(self._side.running.server)
        done = await asyncio.to_thread(self._side.completed) - before
        self._count(taken.calls, taken.calls - done)
        return replace(taken, rps=taken.rps * min(1, done / taken.calls))

    async def get(self, seconds: float) -> Load:
        """Gets of what was sent just before."""
        looks = await self._looked_at()
        return await self._load(self._side.running.get_method, looks.gets, looks.get_bytes, seconds)

    async def _load(self, method: str, bodies: Sequence[bytes], answer_bytes: int, seconds: float) -> Load:
        target = Target(self._side.running.server.address, method, bodies, answer_bytes)
        return await load(target, self._concurrency, seconds)

    def _sends(self) -> list[bytes]:
        return [self._side.send(place) for place in range(self._concurrency)]

    def _count(self, calls: int, failed: int) -> None:
        self.calls += calls
        self.failed += max(failed, 0)  # the load's end cuts calls off whose work is completed nevertheless
        if failed > 0 and not self._side.may_fail:
            raise LoadProblem(f"{failed} of {calls} sends are not complete in the store")

    async def _looked_at(self) -> _Looks:
        """Every place sends once and gets what became of it, all at once; each answer is the complete one."""
        side, running = self._side, self._side.running
        await side.begin(self._concurrency)
        async with grpc.aio.insecure_channel(running.server.address) as channel:
            sent = await self._sent(channel)
            gets = [side.get(_id_of(side.read_send(answer))) for answer in sent]
            get: Call = channel.unary_unary(running.get_method)
            got = await asyncio.gather(*(get(request) for request in gets))
        for answer in got:
            _id_of(side.read_get(answer))
        each_place = list(islice(cycle(gets), self._concurrency))
        return _Looks(min(map(len, sent)), each_place, min(map(len, got)))

    async def _sent(self, channel: grpc.aio.Channel) -> list[bytes]:
        """The answers; a side that may fail need not answer all, and is asked again if it answers none."""
        send: Call = channel.unary_unary(self._side.running.send_method)
        for tries_left in reversed(range(TRIES)):
            came = await asyncio.gather(*(send(request) for request in self._sends()), return_exceptions=True)
            answers = [answer for answer in came if isinstance(answer, bytes)]
            problems = [answer for answer in came if isinstance(answer, BaseException)]
            if problems and not (self._side.may_fail and (answers or tries_left)):
                raise problems[0]
            self._count(len(came), len(problems))
            if answers:
                break
        return answers


def _id_of(answer: Answer) -> str:
    if not answer.is_complete or answer.reply != REPLY:
        raise LoadProblem(f"not the complete answer that was asked for: {answer}")
    return answer.id
