"""A server in this process whose answers each test writes, and a client of it whose pauses take no time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from operator import methodcaller
from typing import Any, Generic, TypeVar

import grpc
from google.protobuf.any_pb2 import Any as AnyProto
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2

from sessiontools.client import Client
from sessiontools.pauses import Clock
from sessiontools.v1 import gateway_service_pb2, runtime_service_pb2, session_tools_service_pb2

PATIENCE_S = 30  # only what hangs ever takes it
Item = TypeVar("Item")
CONTRACT: tuple[Any, ...] = (session_tools_service_pb2, gateway_service_pb2, runtime_service_pb2)
UNARY: Any = grpc.unary_unary_rpc_method_handler
STREAM: Any = grpc.unary_stream_rpc_method_handler
SERIALIZE: Any = methodcaller("SerializeToString")


@dataclass
class InstantClock:
    """Notes pauses instead of making them; its time passes only by them."""

    pauses: list[float] = field(default_factory=list)
    time: float = 0.0

    async def sleep(self, pause: float) -> None:
        """Let others have their turn, and the time pass."""
        self.pauses.append(pause)
        self.time += pause
        await asyncio.sleep(0)

    def as_clock(self) -> Clock:
        """As a client takes it."""
        return Clock(now=lambda: self.time, sleep=self.sleep)


@dataclass(frozen=True)
class Refusal:
    """A status that is not OK, with its details."""

    code: grpc.StatusCode
    message: str = ""
    details: tuple[Message, ...] = ()

    async def abort(self, context: Any) -> None:
        """End the call with it; returns never."""
        status = status_pb2.Status(code=self.code.value[0], message=self.message)
        for detail in self.details:
            packed = AnyProto()
            packed.Pack(detail)
            status.details.append(packed)
        trailing = (("grpc-status-details-bin", status.SerializeToString()),) if self.details else ()
        await context.abort(self.code, self.message, trailing)


def reason(name: str, domain: str = "sessiontools", **metadata: str) -> Message:
    """The detail that tells why."""
    info: Message = error_details_pb2.ErrorInfo(reason=name, domain=domain, metadata=metadata)
    return info


def retry_in(seconds: int) -> Message:
    """The detail that tells when to try again."""
    retry: Message = error_details_pb2.RetryInfo(retry_delay=Duration(seconds=seconds))
    return retry


class LongPolls(Generic[Item]):
    """What is handed out, one at a time, to polls that else hang until the end."""

    def __init__(self, *items: Item) -> None:
        self._items: asyncio.Queue[Item] = asyncio.Queue()
        self._has_ended = asyncio.Event()
        for item in items:
            self.put(item)

    def put(self, item: Item) -> None:
        """Hand it out."""
        self._items.put_nowait(item)

    def end(self) -> None:
        """Answer every poll at once, as a poll is that has waited for long enough."""
        self._has_ended.set()

    async def poll(self) -> list[Item]:
        """What one poll is answered."""
        taking = asyncio.create_task(self._items.get())
        ending = asyncio.create_task(self._has_ended.wait())
        done, pending = await asyncio.wait({taking, ending}, return_when=asyncio.FIRST_COMPLETED)
        for each in pending:
            each.cancel()
        return [taking.result()] if taking in done else []


@asynccontextmanager
async def listening(fake: object) -> AsyncIterator[str]:
    """A server with the methods of the contract that the fake has; gives its address, for a limited time."""
    server = grpc.aio.server()
    server.add_generic_rpc_handlers([*_handlers(fake)])
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        async with asyncio.timeout(PATIENCE_S):
            yield f"127.0.0.1:{port}"
    finally:
        await server.stop(None)


@asynccontextmanager
async def connected(
    fake: object, clock: Clock | None = None, token: str = "", acting_session: str = ""
) -> AsyncIterator[Client]:
    """A client of such a server, over a plain channel that repeats nothing by itself."""
    async with listening(fake) as address, grpc.aio.insecure_channel(address) as channel:
        yield Client(channel, token=token, acting_session=acting_session, clock=clock or InstantClock().as_clock())


def _handlers(fake: object) -> Iterator[grpc.GenericRpcHandler]:
    for module in CONTRACT:
        for service in module.DESCRIPTOR.services_by_name.values():
            handlers = {}
            for method in service.methods:
                if hasattr(fake, method.name):
                    kind = STREAM if method.server_streaming else UNARY
                    request = getattr(module, method.input_type.name).FromString
                    handlers[method.name] = kind(getattr(fake, method.name), request, SERIALIZE)
            yield grpc.method_handlers_generic_handler(service.full_name, handlers)
