"""The gRPC server: its limits, each with its reason, and its orderly end (X4, X6)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import grpc

from sessiond.rpc.door import Door
from sessiond.rpc.guard import MAX_RESPONSE_BYTES, Guard
from sessiond.rpc.health import Health

log = logging.getLogger("sessiond.server")

MIB = 1024 * 1024
Step = Callable[[], Awaitable[None]]
# What a drain leaves of its grace for the stop itself.
LAST_SHARE = 0.25


@dataclass(frozen=True)
class ServerLimits:
    """What an operator may change."""

    request_bytes: int = 4 * MIB
    metadata_bytes: int = 16 * 1024
    streams: int = 100_000
    reuse_port: bool = False


def options(limits: ServerLimits) -> list[tuple[str, int]]:
    """The channel arguments, all of them set here and nowhere else."""
    return [
        # A request beyond this is dropped before it is read into memory. Up to it, those that are too large are read,
        # so that they can be refused with a reason.
        ("grpc.max_receive_message_length", 2 * limits.request_bytes),
        ("grpc.max_send_message_length", MAX_RESPONSE_BYTES),
        # Otherwise two servers share one port in silence, and each gets half of the calls.
        ("grpc.so_reuseport", int(limits.reuse_port)),
        # A burst of waits opened at once is rejected with CANCELLED above these (by default 1,000 and 3,000).
        ("grpc.server.max_pending_requests", 100_000),
        ("grpc.server.max_pending_requests_hard_limit", 200_000),
        # One gateway may hold all the waits of a server on one connection.
        ("grpc.max_concurrent_streams", limits.streams),
        # As with requests: what is too large is refused with a reason, what is far too large without. Soft and hard
        # limit are the same, so chance decides nothing.
        ("grpc.max_metadata_size", 2 * limits.metadata_bytes),
        ("grpc.absolute_max_metadata_size", 2 * limits.metadata_bytes),
        # A vanished client is noticed within 50 s, before proxies drop what they take for idle.
        ("grpc.keepalive_time_ms", 30_000),
        ("grpc.keepalive_timeout_ms", 20_000),
        # Idle connections are pinged too, else they die unseen behind address translation.
        ("grpc.keepalive_permit_without_calls", 1),
        # The number of pings without data has no limit, since a wait may be silent for long.
        ("grpc.http2.max_pings_without_data", 0),
        # Clients may ping every 10 s; half of that leaves room for jitter before a ping counts as abuse.
        ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
        ("grpc.http2.max_ping_strikes", 2),
    ]


def build_server(guard: Guard, limits: ServerLimits | None = None) -> grpc.aio.Server:
    """A server without services and addresses yet; must be called in the event loop that will run it."""
    return grpc.aio.server(interceptors=[guard], options=options(limits or ServerLimits()))


async def drain(
    server: grpc.aio.Server, health: Health, door: Door, grace_s: float, on_drain: Sequence[Step] = ()
) -> None:
    """Health first, so that no new calls come; then the steps that let open calls end; then the stop: in the grace."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + grace_s
    health.begin_drain()
    for step in on_drain:
        await _within(deadline - LAST_SHARE * grace_s, step)
    await _within(deadline, door.shut)
    health.end_watches()
    stopping = asyncio.create_task(server.stop(max(deadline - loop.time(), 0)))
    await asyncio.sleep(0)  # it has begun, so that nobody who is answered now asks here again
    door.refuse_all()
    await stopping


async def _within(deadline: float, step: Step) -> None:
    """One step of the drain; what goes wrong in it is logged and never keeps the server from stopping."""
    try:
        async with asyncio.timeout_at(deadline):
            await step()
    except TimeoutError:
        log.warning("drain step took too long", extra={"step": _name_of(step)})
    except Exception:
        log.exception("drain step failed", extra={"step": _name_of(step)})


def _name_of(step: Step) -> str:
    return getattr(step, "__qualname__", type(step).__qualname__)
