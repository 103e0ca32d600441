"""Refusals as rich statuses: the table, the details, and their size."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import ClassVar
from urllib.parse import quote

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.rpc import error_details_pb2

from sessiond.model.errors import FieldProblem, InvalidField, Refusal, SessionNotFound, StoreUnavailable, invalid
from sessiond.rpc import guard
from sessiond.rpc.descriptors import contract_files
from sessiond.rpc.status import CODES, TEXT_BYTES, cut, status_of
from sessiontools.v1.error_reason_pb2 import ErrorReason
from tests.rpc.serving import details, error_info

PREFIX = "ERROR_REASON_"


class QueueFull(Refusal):
    """A limit with a subject and a time to come back."""

    reason: ClassVar[str] = "QUEUE_FULL"


def reasons_of_the_contract() -> set[str]:
    return {name.removeprefix(PREFIX) for name in ErrorReason.keys()} - {"UNSPECIFIED"}  # noqa: SIM118


def documented_codes() -> dict[str, str]:
    """The code word that each reason's comment in the contract starts with."""
    (file,) = [each for each in contract_files() if each.name == "sessiontools/v1/error_reason.proto"]
    comments = dict(value_comments(file))
    return {
        name.removeprefix(PREFIX): text.removeprefix(f"{name}: ").split(".")[0].split(",")[0]
        for name, text in comments.items()
        if name != f"{PREFIX}UNSPECIFIED"
    }


def value_comments(file: FileDescriptorProto) -> Iterator[tuple[str, str]]:
    for place in file.source_code_info.location:
        if list(place.path[:3]) == [5, 0, 2] and len(place.path) == 4:  # enum_type[0].value[n]
            yield file.enum_type[0].value[place.path[3]].name, place.leading_comments.strip()


def refusals(kind: type[Refusal] = Refusal) -> Iterator[type[Refusal]]:
    for each in kind.__subclasses__():
        yield each
        yield from refusals(each)


def test_every_reason_of_the_contract_has_a_code_and_no_other_has() -> None:
    assert set(CODES) == reasons_of_the_contract()


def test_the_codes_are_those_that_the_contract_documents() -> None:
    assert {reason: code.name for reason, code in CODES.items()} == documented_codes()


def test_every_refusal_has_a_reason_of_the_contract() -> None:
    found = {each.reason for each in refusals() if each.__module__.startswith("sessiond.")}

    assert guard.UnexpectedFault.reason in found
    assert found <= reasons_of_the_contract()


def test_a_refusal_has_one_error_info_with_its_facts() -> None:
    info = error_info(status_of(SessionNotFound()))

    assert (info.reason, info.domain, dict(info.metadata)) == (
        "SESSION_NOT_FOUND",
        "sessiontools",
        {"field": "session_key"},
    )


def test_each_wrong_field_is_named() -> None:  # X1
    problems = (FieldProblem("limit", "too large"), FieldProblem("kinds[1]", "unknown"))

    (bad,) = details(status_of(InvalidField(*problems)), error_details_pb2.BadRequest)

    assert [(each.field, each.description) for each in bad.field_violations] == [
        ("limit", "too large"),
        ("kinds[1]", "unknown"),
    ]


def test_a_time_to_come_back_becomes_retry_info() -> None:  # X3
    (retry,) = details(status_of(StoreUnavailable(retry_after_ms=1500)), error_details_pb2.RetryInfo)

    assert retry.retry_delay.ToMilliseconds() == 1500


def test_an_exhausted_limit_names_its_subject() -> None:
    status = status_of(QueueFull("the queue is full", retry_after_ms=1, subject="session main"))

    (quota,) = details(status, error_details_pb2.QuotaFailure)
    assert [(each.subject, each.description) for each in quota.violations] == [("session main", "the queue is full")]


def test_a_refusal_that_needs_no_more_has_no_more_details() -> None:
    assert len(status_of(SessionNotFound()).details) == 1


@pytest.mark.parametrize("letter", ["a", "ß", "会", "🦀", "\n"])
def test_the_largest_status_fits_the_trailers_that_clients_accept(letter: str) -> None:
    text = letter * 10_000
    many = tuple(FieldProblem(f"kinds[{n}]{text}", text) for n in range(100))

    status = status_of(QueueFull(text, fields=many, retry_after_ms=1, subject=text, other=text))

    on_the_wire = len(quote(status.message)) + len(base64.b64encode(status.SerializeToString()))
    assert on_the_wire < 8 * 1024 - 200  # and what grpc itself adds
    assert error_info(status).reason == "QUEUE_FULL"
    assert details(status, error_details_pb2.BadRequest)[0].field_violations[0].field.startswith("kinds[0]")


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("short", 5, "short"),
        ("longer", 5, "lo…"),
        ("äöü", 6, "äöü"),
        ("äöüß", 6, "ä…"),
        ("half \ud83e", 100, "half ?"),
        ("any", 1, "…"),
    ],
)
def test_a_text_is_cut_between_letters(text: str, limit: int, expected: str) -> None:
    assert cut(text, limit) == expected


def test_a_text_within_the_bound_stays_whole() -> None:
    text = "x" * TEXT_BYTES

    assert status_of(invalid("f", "p")).message == "f: p"
    assert status_of(QueueFull(text)).message == text
