"""Commands and answers as they are written: JSON lines, with messages as base64 of their bytes."""

from __future__ import annotations

import json
import sys
from base64 import b64decode, b64encode
from typing import Any

from google.protobuf.message import Message

from sessiontools import SessionToolsError
from sessiontools.v1 import gateway_service_pb2, runtime_service_pb2, session_tools_service_pb2

LINE_BYTES = 64 * 1024 * 1024
MODULES: tuple[Any, ...] = (session_tools_service_pb2, gateway_service_pb2, runtime_service_pb2)
Command = dict[str, Any]
Error = dict[str, Any]


def answer(command: Command, **fields: Any) -> None:
    """One line of output."""
    sys.stdout.write(json.dumps({"id": command["id"], **fields}) + "\n")
    sys.stdout.flush()


def decoded(command: Command, method: str) -> Any:
    """The request of a command for this method."""
    kind = next(getattr(module, f"{method}Request") for module in MODULES if hasattr(module, f"{method}Request"))
    return kind.FromString(b64decode(command["request"]))


def encoded(message: Message) -> str:
    """A message as it travels."""
    return b64encode(message.SerializeToString()).decode()


def failure(error: SessionToolsError) -> Error:
    """The client's error, field by field."""
    return {
        "code": error.code.name,
        "reason": error.reason,
        "message": error.message,
        "metadata": dict(error.metadata),
        "fields": [each.field for each in error.fields],
        "retry_after_seconds": error.retry_after,
    }


# What a caller sees as asyncio.CancelledError.
CANCELLED: Error = {
    "code": "CANCELLED",
    "reason": "",
    "message": "cancelled by the caller",
    "metadata": {},
    "fields": [],
    "retry_after_seconds": 0.0,
}
