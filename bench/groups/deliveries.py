"""Deliveries: what a gateway can take and acknowledge."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from itertools import count
from typing import Any

from bench.clients import Client, connected, driven
from bench.load import MAX_PROCESSES, Load, LoadProblem, Target, load
from bench.report import Table
from bench.requests import MESSAGE, Asked
from bench.serving import Server, ceiling, ready
from bench.sides import each_server, settled
from bench.stores import SQLITE, Bench
from bench.turns import CEILING, HEADERS, Measure, in_turns, rows_of
from sessiontools.v1 import gateway_service_pb2 as gateway
from sessiontools.v1.delivery_pb2 import Route
from sessiontools.v1.session_pb2 import CHAT_TYPE_DIRECT
from sessiontools.v1.session_tools_service_pb2 import WaitRunRequest

GATEWAY_SERVICE = "/sessiontools.v1.GatewayService"
CHANNEL = "telegram"
CONCURRENCIES = (1, 16)
# The echo runtime makes the replies that are delivered.
CONFIG: dict[str, Any] = {"agents": {"defaults": {"maxConcurrent": 64}}}
ACQUIRE = gateway.AcquireDeliveriesRequest(channels=[CHANNEL], max_deliveries=1, wait_seconds=10)
ABOUT = (
    f"Replies of the echo runtime to chats on {MAX_PROCESSES} routes, each leased by AcquireDeliveries and answered by "
    "AckDelivery, by so many tasks of one client for Python, each with a connection of its own. The no-op answers both "
    "calls with the same messages to the same client."
)
_numbers = count()


async def tables(bench: Bench) -> list[Table]:
    """Each concurrency, the servers taking turns."""
    found: dict[int, dict[str, Load]] = {}
    async with each_server(bench, CONFIG) as servers, _ceiling(servers[SQLITE]) as noop:
        for concurrency in CONCURRENCIES:
            sides: dict[str, Measure] = {CEILING: partial(_deliver, noop, concurrency)}
            sides |= {name: partial(_chat_and_deliver, server, concurrency) for name, server in servers.items()}
            found[concurrency] = await in_turns(sides, bench.options)
    headers = ("server", "at once", "deliveries a second", *HEADERS[1:])
    return [Table("Deliveries", ABOUT, headers, rows_of(found), text_columns=1)]


async def _chat_and_deliver(server: Server, concurrency: int, seconds: float) -> Load:
    """Chats first, until all of them are answered; then their deliveries."""
    first = next(_numbers) * MAX_PROCESSES
    chats = [_chat_send(peer) for peer in range(first, first + MAX_PROCESSES)]
    bodies = [chat.SerializeToString() for chat in chats]
    await load(Target(server.address, f"{GATEWAY_SERVICE}/ChatSend", bodies, 1), MAX_PROCESSES, seconds / 2)
    async with connected(server.address) as client:
        await asyncio.gather(*(_answered(client, chat) for chat in chats))
    await settled(server)
    return await _deliver(server, concurrency, seconds)


async def _answered(client: Client, chat: gateway.ChatSendRequest) -> None:
    """One more chat, until it has its answer: then all before it in the session have theirs."""
    run_id = (await client.gateway.ChatSend(chat)).run_id
    wait: Any = client.tools.WaitRun(WaitRunRequest(run_id=run_id))
    while not (await wait.read()).HasField("ended"):
        pass


def _chat_send(peer: int) -> gateway.ChatSendRequest:
    route = Route(channel=CHANNEL, to=f"{peer:08}")
    return gateway.ChatSendRequest(
        session_key=f"agent:main:{CHANNEL}:direct:{peer:08}", text=MESSAGE, route=route, chat_type=CHAT_TYPE_DIRECT
    )


async def _deliver(server: Server, concurrency: int, seconds: float) -> Load:
    return await driven(server.address, _deliver_one, concurrency, seconds)


async def _deliver_one(client: Client) -> None:
    found = await client.gateway.AcquireDeliveries(ACQUIRE)
    if not found.deliveries:
        raise LoadProblem("nothing is left to deliver; more chats have to be sent before")
    await client.gateway.AckDelivery(_ack(found))


def _ack(found: gateway.AcquireDeliveriesResponse) -> gateway.AckDeliveryRequest:
    (delivery,) = found.deliveries
    return gateway.AckDeliveryRequest(delivery_id=delivery.id, lease_token=delivery.lease_token, receipt="sent")


@asynccontextmanager
async def _ceiling(source: Server) -> AsyncIterator[Server]:
    """A no-op server with one delivery and its acknowledgement."""
    await ready(source, Asked(f"{GATEWAY_SERVICE}/ChatSend", _chat_send(10_000_000).SerializeToString()))
    lease = await ready(source, Asked(f"{GATEWAY_SERVICE}/AcquireDeliveries", ACQUIRE.SerializeToString(), True))
    ack = _ack(gateway.AcquireDeliveriesResponse.FromString(lease.answer)).SerializeToString()
    async with ceiling(lease, await ready(source, Asked(f"{GATEWAY_SERVICE}/AckDelivery", ack, True))) as noop:
        yield noop
