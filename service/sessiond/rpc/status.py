"""A refusal as google.rpc.Status: the one place where reasons become status codes and details (X1)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Never

import grpc
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2
from grpc import StatusCode
from grpc_status import rpc_status

from sessiond.model.errors import Refusal

DOMAIN = "sessiontools"

CODES = {
    "INVALID_FIELD": StatusCode.INVALID_ARGUMENT,
    "INVALID_KEY": StatusCode.INVALID_ARGUMENT,
    "PAGE_TOKEN_INVALID": StatusCode.INVALID_ARGUMENT,
    "CURSOR_MISMATCH": StatusCode.INVALID_ARGUMENT,
    "MESSAGE_TOO_LARGE": StatusCode.INVALID_ARGUMENT,
    "MODEL_UNKNOWN": StatusCode.INVALID_ARGUMENT,
    "EVENT_GAP": StatusCode.INVALID_ARGUMENT,
    "SESSION_NOT_FOUND": StatusCode.NOT_FOUND,
    "RUN_NOT_FOUND": StatusCode.NOT_FOUND,
    "AGENT_NOT_FOUND": StatusCode.NOT_FOUND,
    "DELIVERY_NOT_FOUND": StatusCode.NOT_FOUND,
    "REQUEST_ID_REUSED": StatusCode.ALREADY_EXISTS,
    "LEASE_LOST": StatusCode.FAILED_PRECONDITION,
    "WAIT_CYCLE": StatusCode.FAILED_PRECONDITION,
    "LABEL_AMBIGUOUS": StatusCode.FAILED_PRECONDITION,
    "SESSION_BUSY": StatusCode.FAILED_PRECONDITION,
    "SESSION_PROTECTED": StatusCode.FAILED_PRECONDITION,
    "DELIVERY_STATE": StatusCode.FAILED_PRECONDITION,
    "ETAG_MISMATCH": StatusCode.ABORTED,
    "UNAUTHENTICATED": StatusCode.UNAUTHENTICATED,
    "ROLE_DENIED": StatusCode.PERMISSION_DENIED,
    "TOOL_DENIED": StatusCode.PERMISSION_DENIED,
    "AGENT_TO_AGENT_DENIED": StatusCode.PERMISSION_DENIED,
    "SEND_POLICY_DENIED": StatusCode.PERMISSION_DENIED,
    "SUBAGENT_SPAWN": StatusCode.PERMISSION_DENIED,
    "AGENT_NOT_ALLOWED": StatusCode.PERMISSION_DENIED,
    "TRACE_BUDGET": StatusCode.RESOURCE_EXHAUSTED,
    "QUEUE_FULL": StatusCode.RESOURCE_EXHAUSTED,
    "WAIT_LIMIT": StatusCode.RESOURCE_EXHAUSTED,
    "CHILD_LIMIT": StatusCode.RESOURCE_EXHAUSTED,
    "RATE_LIMITED": StatusCode.RESOURCE_EXHAUSTED,
    "REQUEST_TOO_LARGE": StatusCode.RESOURCE_EXHAUSTED,
    "STORE_UNAVAILABLE": StatusCode.UNAVAILABLE,
    "DRAINING": StatusCode.UNAVAILABLE,
    "NOT_IMPLEMENTED": StatusCode.UNIMPLEMENTED,
    "INTERNAL": StatusCode.INTERNAL,
}

# Many clients refuse trailers above 8 KiB, and then the caller sees no reason at all. The text travels twice:
# percent-encoded (up to three bytes a byte) and, with the details, in base64. These bounds keep the worst case below.
TEXT_BYTES = 1024
FIELDS_BYTES = 1024
FIELD_BYTES = 256
FACTS_BYTES = 512
QUOTA_BYTES = 128


async def abort(context: grpc.aio.ServicerContext[Any, Any], refusal: Refusal) -> Never:
    """End the call with the refusal as its status."""
    await context.abort_with_status(rpc_status.to_status(status_of(refusal)))


def status_of(refusal: Refusal) -> status_pb2.Status:
    """The refusal's code, text and details; exactly one of the details is an ErrorInfo."""
    code: int = CODES[refusal.reason].value[0]
    status = status_pb2.Status(code=code, message=cut(refusal.text, TEXT_BYTES))
    for detail in _details(refusal):
        status.details.add().Pack(detail)
    return status


def _details(refusal: Refusal) -> Iterator[Message]:
    yield error_details_pb2.ErrorInfo(reason=refusal.reason, domain=DOMAIN, metadata=_metadata(refusal.facts))
    if refusal.fields:
        yield error_details_pb2.BadRequest(field_violations=_violations(refusal))
    if CODES[refusal.reason] is StatusCode.RESOURCE_EXHAUSTED:
        yield error_details_pb2.QuotaFailure(violations=[_quota(refusal)])
    if refusal.retry_after_ms is not None:
        retry = error_details_pb2.RetryInfo()
        retry.retry_delay.FromMilliseconds(refusal.retry_after_ms)
        yield retry


def _metadata(facts: dict[str, str]) -> dict[str, str]:
    """As many of the facts as there is room for, in their order, the last one cut."""
    shown, room = {}, FACTS_BYTES
    for name, value in facts.items():
        if (room := room - len(name)) <= 0:
            break
        shown[name] = cut(value, room)
        room -= len(shown[name].encode())
    return shown


def _violations(refusal: Refusal) -> Iterator[error_details_pb2.BadRequest.FieldViolation]:
    """As many of the fields as there is room for; a request with more wrong fields is told the first ones."""
    room = FIELDS_BYTES
    for each in refusal.fields:
        field, problem = cut(each.field, FIELD_BYTES), cut(each.problem, FIELD_BYTES)
        if (room := room - len(field.encode()) - len(problem.encode())) < 0:
            break
        yield error_details_pb2.BadRequest.FieldViolation(field=field, description=problem)


def _quota(refusal: Refusal) -> error_details_pb2.QuotaFailure.Violation:
    subject = cut(refusal.facts.get("subject", ""), QUOTA_BYTES)
    return error_details_pb2.QuotaFailure.Violation(subject=subject, description=cut(refusal.text, QUOTA_BYTES))


def cut(text: str, limit: int) -> str:
    """At most `limit` bytes of the text as UTF-8, with an ellipsis when some is missing; half a pair becomes `?`."""
    data = text.encode("utf-8", "replace")
    if len(data) <= limit:
        return data.decode()
    ellipsis = "…".encode()
    return data[: max(limit - len(ellipsis), 0)].decode("utf-8", "ignore") + ellipsis.decode()
