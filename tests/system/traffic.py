"""Traffic from outside: messages of all sorts into many sessions, each sent until it is answered, and a gateway."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import grpc

from sessiontools.v1 import delivery_pb2
from sessiontools.v1 import gateway_service_pb2 as gateway_pb
from sessiontools.v1 import session_tools_service_pb2 as pb
from tests.system.client import Client, until_answered
from tests.system.scripts import script_for

AGENTS = ("main", "far")  # the second has a runtime of its own
SENDERS = 10


@dataclass(frozen=True)
class Errand:
    """One message, and what its run must come to unless it is lost."""

    number: int
    key: str
    text: str
    outcome: str  # a reply, or the reason of a failure
    acting: str = ""
    is_chat: bool = False
    is_quiet: bool = True

    @property
    def request_id(self) -> str:
        """The same at every try, so that a repeat joins what the first try began."""
        return f"errand-{self.number}"


def errands(rng: random.Random, keys: list[str], number: int, first: int = 0) -> Iterator[Errand]:
    """So many errands to these sessions, of every sort."""
    for each in range(first, first + number):
        key = rng.choice(keys)
        script = script_for(rng, each, key)
        acting = rng.choice(keys) if rng.random() < 0.2 else ""
        is_chat = not acting and rng.random() < 0.5
        yield Errand(each, key, script.text, script.outcome, acting, is_chat, is_quiet=rng.random() < 0.7)


def keys_of(sessions: int) -> list[str]:
    """Sessions of both agents in turn, on a channel."""
    return [f"agent:{AGENTS[each % 2]}:telegram:direct:p{each}" for each in range(sessions)]


class Traffic:
    """Several senders at once; `runs` grows as their messages are accepted."""

    def __init__(self, client: Client, planned: Iterable[Errand]) -> None:
        self._client = client
        self._planned = list(planned)
        self._left = iter(self._planned)
        self._moved = asyncio.Condition()
        self.runs: dict[str, Errand] = {}  # by the id of the accepted run

    async def send_all(self) -> None:
        """Send every errand until it is answered."""
        async with asyncio.TaskGroup() as tasks:
            for _ in range(SENDERS):
                tasks.create_task(self._send_some())

    async def accepted(self, number: int) -> None:
        """Wait until so many have been accepted."""
        async with self._moved:
            await self._moved.wait_for(lambda: len(self.runs) >= number)

    async def settled(self) -> None:
        """Wait until everything that was accepted is over, with all that it led to."""
        async with asyncio.TaskGroup() as tasks:
            for run_id in self.runs:
                tasks.create_task(self._client.settled(run_id))

    async def _send_some(self) -> None:
        for errand in self._left:
            run_id = await until_answered(partial(self._send, errand))
            assert run_id, f"{errand} was not answered"
            async with self._moved:
                assert run_id not in self.runs, f"{errand} was given the run of {self.runs[run_id]}"
                self.runs[run_id] = errand
                self._moved.notify_all()

    async def _send(self, errand: Errand) -> str:
        if errand.is_chat:
            route = delivery_pb2.Route(channel="telegram", to=errand.key)
            request = gateway_pb.ChatSendRequest(
                session_key=errand.key, text=errand.text, route=route, request_id=errand.request_id
            )
            return (await self._client.gateway.ChatSend(request, wait_for_ready=True)).run_id
        fields = {} if errand.is_quiet else {"announce": pb.ANNOUNCE_POLICY_MODEL_MAY_SKIP, "max_ping_pong_turns": 2}
        sent = await self._client.send(
            errand.key, errand.text, acting=errand.acting, request_id=errand.request_id, **fields
        )
        return sent.run_id


class Gateway:
    """Takes every delivery and says that it was delivered."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._sent: set[str] = set()

    async def run(self) -> None:
        """Deliver for ever."""
        while True:
            request = gateway_pb.AcquireDeliveriesRequest(max_deliveries=50, wait_seconds=1)
            taken = await until_answered(partial(self._client.gateway.AcquireDeliveries, request, wait_for_ready=True))
            for delivery in taken.deliveries if taken else []:
                await self._deliver(delivery.id, delivery.lease_token, delivery.possibly_delivered)

    async def _deliver(self, delivery_id: str, lease: str, possibly_delivered: bool) -> None:
        assert delivery_id not in self._sent or possibly_delivered, f"{delivery_id} was offered twice as if new"
        self._sent.add(delivery_id)
        request = gateway_pb.AckDeliveryRequest(delivery_id=delivery_id, lease_token=lease, receipt=delivery_id)
        try:
            await until_answered(partial(self._client.gateway.AckDelivery, request, wait_for_ready=True))
        except grpc.aio.AioRpcError as problem:
            if problem.code() is not grpc.StatusCode.FAILED_PRECONDITION:  # its lease is over: it is offered again
                raise
