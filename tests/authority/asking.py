"""Asking the real server: a call as some caller makes it, and how it ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import grpc
from google.protobuf import message_factory
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2

from tests.authority.acts import METHODS
from tests.serving import Metadata, Served

DETAILS = "grpc-status-details-bin"
TIMEOUT_S = 60  # only a call that hangs ever takes it


@dataclass(frozen=True)
class Answer:
    """How a call ended: with its (first) answer, or with a status, of which every byte is kept."""

    reason: str
    message: Any = None
    status: tuple[grpc.StatusCode, str, bytes] | None = None

    @property
    def text(self) -> str:
        """All that a refused caller can read."""
        return str(self.status and status_pb2.Status.FromString(self.status[2]))


async def ask(server: Served, rpc: str, request: Message, metadata: Metadata) -> Answer:
    """Make the call; a stream is read to its end, and its first message is the answer."""
    method = METHODS[rpc]
    kind = server.channel.unary_stream if method.server_streaming else server.channel.unary_unary
    read = message_factory.GetMessageClass(method.output_type).FromString
    path = f"/{method.containing_service.full_name}/{rpc}"
    call: Any = kind(path, type(request).SerializeToString, read)(request, metadata=metadata, timeout=TIMEOUT_S)
    try:
        messages = [each async for each in call] if method.server_streaming else [await call]
    except grpc.aio.AioRpcError as error:
        return _refused(error)
    return Answer("OK", messages[0])


def _refused(error: grpc.aio.AioRpcError) -> Answer:
    raw = next(value for name, value in error.trailing_metadata() if name == DETAILS)
    assert isinstance(raw, bytes)
    info = error_details_pb2.ErrorInfo()
    assert status_pb2.Status.FromString(raw).details[0].Unpack(info)
    return Answer(info.reason, status=(error.code(), error.details() or "", raw))
