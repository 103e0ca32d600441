"""Why a call failed: an error of gRPC with its details read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import grpc
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2, status_pb2

from sessiontools.v1.error_reason_pb2 import ErrorReason

DOMAIN = "sessiontools"
PREFIX = "ERROR_REASON_"
DETAILS_KEY = "grpc-status-details-bin"
UNDECODABLE = "the answer cannot be decoded"


@dataclass(frozen=True)
class FieldProblem:
    """One wrong field of a request."""

    field: str
    """The name of the field, with a path when it is nested."""
    problem: str
    """What is wrong with it."""


class SessionToolsError(Exception):
    """Why a call failed. Every method of a `Client` raises its errors as this type."""

    code: grpc.StatusCode
    """The status code of gRPC."""
    message: str
    """A sentence for people."""
    reason: str
    """The name of an `ErrorReason` without its prefix, such as `LEASE_LOST`; see `has_reason`. Empty when the error is
    not the service's own, as when it cannot be reached."""
    metadata: Mapping[str, str]
    """Names what was refused; the comments of `ErrorReason` tell the names."""
    fields: tuple[FieldProblem, ...]
    """The wrong fields of the request."""
    retry_after: float
    """In how many seconds to try again at the earliest. 0 when the server did not say."""

    def __init__(self, code: grpc.StatusCode, message: str) -> None:
        super().__init__(code, message)
        self.code, self.message = code, message
        self.reason, self.metadata, self.fields, self.retry_after = "", {}, (), 0.0

    def __str__(self) -> str:
        return f"{self.reason or self.code.name}: {self.message}"

    def has_reason(self, reason: ErrorReason.ValueType) -> bool:
        """Whether it is a refusal for this reason."""
        return PREFIX + self.reason == ErrorReason.Name(reason)


class DeadlineError(SessionToolsError, TimeoutError):
    """DEADLINE_EXCEEDED: a call took longer than its `timeout`. A `TimeoutError`, as `asyncio.timeout` raises it."""


def error_of(problem: grpc.aio.AioRpcError) -> SessionToolsError:
    """An error of gRPC, with its details."""
    code = problem.code()
    kind = DeadlineError if code is grpc.StatusCode.DEADLINE_EXCEEDED else SessionToolsError
    error = kind(code, problem.details() or "")
    for detail in _details(problem):
        _add(error, detail)
    return error


def deadline_passed() -> DeadlineError:
    """The error of a wait whose caller gave it no longer."""
    return DeadlineError(grpc.StatusCode.DEADLINE_EXCEEDED, "the wait took longer than its timeout")


def is_temporary(error: SessionToolsError) -> bool:
    """Whether the same call may succeed in a while.

    The caller's own deadline looks like that of a server that went away; whoever asks has looked at its clock before.
    """
    match error.code:
        case grpc.StatusCode.UNAVAILABLE | grpc.StatusCode.CANCELLED | grpc.StatusCode.DEADLINE_EXCEEDED:
            return True
        case grpc.StatusCode.RESOURCE_EXHAUSTED:
            return error.retry_after > 0
        case grpc.StatusCode.INTERNAL:  # a reset of the connection; a fault of the server has a reason
            return not error.reason and error.message != UNDECODABLE
        case _:
            return False


def _details(problem: grpc.aio.AioRpcError) -> Iterator[Any]:
    for key, value in problem.trailing_metadata():
        if key == DETAILS_KEY:
            try:
                yield from status_pb2.Status.FromString(value).details
            except DecodeError:  # not written by this service; code and message still tell what is so
                return


def _add(error: SessionToolsError, detail: Any) -> None:
    info, wrong, retry = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest(), error_details_pb2.RetryInfo()
    if detail.Unpack(info) and info.domain == DOMAIN:
        error.reason, error.metadata = info.reason.removeprefix(PREFIX), dict(info.metadata)
    elif detail.Unpack(wrong):
        error.fields = tuple(FieldProblem(each.field, each.description) for each in wrong.field_violations)
    elif detail.Unpack(retry):
        error.retry_after = retry.retry_delay.ToTimedelta().total_seconds()
