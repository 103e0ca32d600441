"""The judge of a storm: what it lets pass and what it does not."""

from __future__ import annotations

import pytest
from google.protobuf.any_pb2 import Any as Detail
from google.rpc import error_details_pb2
from grpc import StatusCode

from tests.fuzz.aftermath import faults_in
from tests.fuzz.methods import Method, all_methods, unknown_methods
from tests.fuzz.shots import Shot
from tests.fuzz.verdict import Answer, breach

METHODS = {method.name: method for method in all_methods()}


def shot(method: Method = METHODS["SessionsList"]) -> Shot:
    return Shot(method, b"", (), 1.0)


def info(reason: str = "INVALID_FIELD", domain: str = "sessiontools") -> Detail:
    detail = Detail()
    detail.Pack(error_details_pb2.ErrorInfo(reason=reason, domain=domain))
    return detail


def bad_request() -> Detail:
    detail = Detail()
    detail.Pack(error_details_pb2.BadRequest())
    return detail


@pytest.mark.parametrize(
    "answer",
    [
        Answer(StatusCode.OK, responses=(b"",)),
        Answer(StatusCode.INVALID_ARGUMENT, "limit", (info(), bad_request())),
        Answer(StatusCode.NOT_FOUND, "no such session", (info("SESSION_NOT_FOUND"),)),
        Answer(StatusCode.CANCELLED, "Locally cancelled by application!"),
        Answer(StatusCode.DEADLINE_EXCEEDED, "Deadline Exceeded"),
        Answer(StatusCode.RESOURCE_EXHAUSTED, "SERVER: Received message larger than max (5 vs. 4)"),
    ],
)
def test_what_is_right_passes(answer: Answer) -> None:
    assert breach(shot(), answer) == ""


@pytest.mark.parametrize(
    "answer",
    [
        Answer(StatusCode.INTERNAL, "internal error", (info("INTERNAL"),)),
        Answer(StatusCode.UNKNOWN, "Unexpected <class 'KeyError'>"),
        Answer(StatusCode.UNAVAILABLE, "Connection reset by peer"),
        Answer(StatusCode.NOT_FOUND, "no such session"),
        Answer(StatusCode.NOT_FOUND, "no such session", (info(), info())),
        Answer(StatusCode.NOT_FOUND, "no such session", (info(domain="example.com"),)),
        Answer(StatusCode.NOT_FOUND, "no such session", (info("NO_SUCH_REASON"),)),
        Answer(StatusCode.INVALID_ARGUMENT, "limit", (info(),)),
        Answer(StatusCode.RESOURCE_EXHAUSTED, "CLIENT: Received message larger than max (5 vs. 4)"),
        Answer(StatusCode.OK, responses=(b"\xff",)),
    ],
)
def test_what_is_wrong_does_not(answer: Answer) -> None:
    assert breach(shot(), answer)


def test_a_method_that_is_not_there_is_grpcs_to_refuse_and_an_unknown_service_is_healths() -> None:
    assert not breach(shot(unknown_methods()[0]), Answer(StatusCode.UNIMPLEMENTED, "Method not found!"))
    unknown = Answer(StatusCode.NOT_FOUND, "this server has no service of that name")
    assert not breach(shot(METHODS["Check"]), unknown)
    assert breach(shot(), unknown)


@pytest.mark.parametrize(
    "line",
    [
        b'{"level": "error", "event": "call"}',
        b'{"level": "warning", "event": "x", "exception": "Traceback"}',
        b"Traceback (most recent call last):",
        b"\xff\xfe",
    ],
)
def test_a_line_that_tells_of_a_fault_is_found(line: bytes) -> None:
    calm = b'{"level": "warning", "event": "health"}\n'

    assert len(faults_in(calm + line)) == 1
    assert faults_in(calm) == []
