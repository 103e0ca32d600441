"""What an answer to a hostile call may be: ours with one ErrorInfo, or one of gRPC's own, each named here (X1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import grpc
from google.protobuf.message import DecodeError
from google.rpc import error_details_pb2
from grpc import StatusCode
from grpc_status import rpc_status

from sessiontools.v1 import error_reason_pb2
from tests.fuzz.methods import HEALTH
from tests.fuzz.shots import Shot

NEVER = frozenset({StatusCode.INTERNAL, StatusCode.UNKNOWN, StatusCode.DATA_LOSS, StatusCode.UNAVAILABLE})
DOMAIN = "sessiontools"
REASONS = frozenset(error_reason_pb2.ErrorReason.DESCRIPTOR.values_by_name)
# Said by gRPC before the service has a call at all, or by the client itself; none of them can carry an ErrorInfo.
GRPCS_OWN = (
    (StatusCode.CANCELLED, "Locally cancelled by application!"),
    (StatusCode.DEADLINE_EXCEEDED, ""),
    (StatusCode.RESOURCE_EXHAUSTED, "SERVER: Received message larger than max"),
    (StatusCode.RESOURCE_EXHAUSTED, "Decompressed message larger than max"),
    (StatusCode.RESOURCE_EXHAUSTED, "received metadata size exceeds hard limit"),
    (StatusCode.UNIMPLEMENTED, "Method not found!"),
)
# Said by a contract that is not ours.
HEALTHS_OWN = (StatusCode.NOT_FOUND, "this server has no service of that name")


@dataclass(frozen=True)
class Answer:
    """How a call ended."""

    code: StatusCode
    text: str = ""
    details: tuple[Any, ...] = ()
    responses: tuple[bytes, ...] = ()


def answer_of(problem: grpc.aio.AioRpcError, responses: tuple[bytes, ...] = ()) -> Answer:
    """The end of a call that did not end well."""
    if problem.code() is StatusCode.DEADLINE_EXCEEDED:  # said by the client, perhaps while the server's end was coming
        return Answer(problem.code(), problem.details() or "", (), responses)
    status = rpc_status.from_call(problem)  # type: ignore[arg-type] # it has all that is read of a call
    return Answer(problem.code(), problem.details() or "", tuple(status.details) if status else (), responses)


def breach(shot: Shot, answer: Answer) -> str:
    """What is wrong with an answer; empty when nothing is."""
    for response in answer.responses:
        try:
            shot.method.read_response(response)
        except DecodeError as problem:
            return f"an answer of {len(response)} bytes can't be read: {problem}"
    if answer.code is StatusCode.OK or _is_grpcs_own(shot, answer):
        return ""
    if answer.code in NEVER:
        return f"{answer.code.name}: {answer.text}"
    return _breach_of_details(answer)


def _is_grpcs_own(shot: Shot, answer: Answer) -> bool:
    if shot.method.service == HEALTH and (answer.code, answer.text) == HEALTHS_OWN:
        return True
    own = any(answer.code is code and answer.text.startswith(text) for code, text in GRPCS_OWN)
    return own and not answer.details


def _breach_of_details(answer: Answer) -> str:
    infos = [_info(each) for each in answer.details if each.Is(error_details_pb2.ErrorInfo.DESCRIPTOR)]
    if len(infos) != 1:
        return f"{answer.code.name} with {len(infos)} ErrorInfos: {answer.text}"
    (info,) = infos
    if info.domain != DOMAIN or f"ERROR_REASON_{info.reason}" not in REASONS:
        return f"{answer.code.name} with {info.domain} {info.reason}: {answer.text}"
    is_told = any(each.Is(error_details_pb2.BadRequest.DESCRIPTOR) for each in answer.details)
    if answer.code is StatusCode.INVALID_ARGUMENT and not is_told:
        return f"{answer.code.name} {info.reason} names no field: {answer.text}"
    return ""


def _info(detail: Any) -> Any:
    info = error_details_pb2.ErrorInfo()
    detail.Unpack(info)
    return info
