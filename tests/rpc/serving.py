"""A real server on a free loopback port, and what its errors say."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import grpc
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status

from sessiond.rpc.guard import Guard
from sessiond.rpc.listening import listen
from sessiond.rpc.server import ServerLimits, build_server
from sessiontools.v1 import session_tools_service_pb2 as pb
from sessiontools.v1 import session_tools_service_pb2_grpc as rpc

TOOLS = "sessiontools.v1.SessionToolsService"


class Tools(rpc.SessionToolsServiceServicer):
    """Two methods that do as the test says; all others are left to the generated stubs."""

    def __init__(self, unary: Callable[..., Any], stream: Callable[..., AsyncIterator[Any]]) -> None:
        self._unary = unary
        self._stream = stream

    async def SessionsList(self, request: pb.SessionsListRequest, context: Any) -> Any:  # noqa: N802
        """The unary method."""
        return await self._unary(request, context)

    async def WaitRun(self, request: pb.WaitRunRequest, context: Any) -> AsyncIterator[Any]:  # noqa: N802
        """The streaming method."""
        async for each in self._stream(request, context):
            yield each


@asynccontextmanager
async def serving(
    *register: Callable[[grpc.aio.Server], None], guard: Guard | None = None, limits: ServerLimits | None = None
) -> AsyncIterator[grpc.aio.Channel]:
    """A channel to a server with these services."""
    server = build_server(guard or Guard(), limits)
    for each in register:
        each(server)
    port = listen(server, "127.0.0.1:0")
    await server.start()
    try:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            yield channel
    finally:
        await server.stop(None)


def raw_call(channel: Any, method: str, data: bytes = b"", *, is_stream: bool = False) -> Any:
    """A call below the generated code: these bytes, to this method."""
    kind = channel.unary_stream if is_stream else channel.unary_unary
    return kind(f"/{method}")(data)


async def rest(call: Any) -> list[Any]:
    """What is left to read of a stream that is also read one by one."""
    found = []
    while (each := await call.read()) is not grpc.aio.EOF:
        found.append(each)
    return found


async def rich_status(call: Any) -> status_pb2.Status:
    """The google.rpc.Status of a call that ended."""
    status = await rpc_status.aio.from_call(call)
    assert status is not None, "the status has no details"
    return status


def details(status: status_pb2.Status, kind: type[Any]) -> list[Any]:
    """All details of one kind."""
    return [_unpacked(each, kind) for each in status.details if each.Is(kind.DESCRIPTOR)]


def error_info(status: status_pb2.Status) -> error_details_pb2.ErrorInfo:
    """The one ErrorInfo, which every error has."""
    (only,) = details(status, error_details_pb2.ErrorInfo)
    return only


def _unpacked(packed: Any, kind: type[Any]) -> Any:
    message = kind()
    packed.Unpack(message)
    return message
