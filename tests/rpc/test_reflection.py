"""Reflection, v1 and v1alpha: every kind of question, and comments in the answers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor_database import DescriptorDatabase
from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from grpc_reflection.v1alpha import reflection_pb2 as pb

from sessiond.rpc import health
from sessiond.rpc.descriptors import Descriptors, served_files
from sessiond.rpc.reflection import SERVICES, Reflection, add_reflection
from tests.rpc.serving import TOOLS, serving

TOOLS_FILE = "sessiontools/v1/session_tools_service.proto"
NOT_FOUND = grpc.StatusCode.NOT_FOUND.value[0]
INVALID_ARGUMENT = grpc.StatusCode.INVALID_ARGUMENT.value[0]


@pytest.fixture(params=SERVICES)
def version(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def channel() -> AsyncIterator[grpc.aio.Channel]:
    async with serving(lambda server: add_reflection(server, [TOOLS])) as channel:
        yield channel


@pytest.fixture(scope="module")
def reflection() -> Reflection:
    return Reflection(Descriptors(served_files()), [TOOLS])


async def ask(channel: Any, version: str, **question: Any) -> pb.ServerReflectionResponse:
    method = channel.stream_stream(
        f"/{version}/ServerReflectionInfo",
        pb.ServerReflectionRequest.SerializeToString,
        pb.ServerReflectionResponse.FromString,
    )
    (answer,) = [each async for each in method(iter([pb.ServerReflectionRequest(**question)]))]
    assert isinstance(answer, pb.ServerReflectionResponse)
    return answer


def files(answer: pb.ServerReflectionResponse) -> list[FileDescriptorProto]:
    packed = answer.file_descriptor_response.file_descriptor_proto
    return [FileDescriptorProto.FromString(each) for each in packed]


def comments(file: FileDescriptorProto) -> dict[tuple[int, ...], str]:
    return {tuple(each.path): each.leading_comments.strip() for each in file.source_code_info.location}


async def test_the_services_are_listed_with_health_and_reflection(channel: grpc.aio.Channel, version: str) -> None:
    answer = await ask(channel, version, list_services="")

    assert [each.name for each in answer.list_services_response.service] == sorted([TOOLS, health.SERVICE, *SERVICES])


async def test_a_service_is_described_with_its_comments(channel: grpc.aio.Channel, version: str) -> None:
    answer = await ask(channel, version, file_containing_symbol=TOOLS)

    file = files(answer)[0]
    methods = [each.name for each in file.service[0].method]
    of_method = comments(file)[6, 0, 2, methods.index("SessionsList")]
    assert file.name == TOOLS_FILE
    assert comments(file)[6, 0].startswith("SessionToolsService is")
    assert of_method.startswith("SessionsList lists the sessions")


async def test_a_file_comes_first_and_then_all_that_it_needs(channel: grpc.aio.Channel, version: str) -> None:
    answer = await ask(channel, version, file_by_filename=TOOLS_FILE)

    names = [each.name for each in files(answer)]
    needed = {name for each in files(answer) for name in each.dependency}
    assert names[0] == TOOLS_FILE
    assert len(names) == len(set(names))
    assert needed <= set(names)
    assert "google/protobuf/struct.proto" in names  # needed only by what it needs


@pytest.mark.parametrize(
    ("symbol", "file"),
    [
        (TOOLS, TOOLS_FILE),
        (f"{TOOLS}.SessionsList", TOOLS_FILE),
        ("sessiontools.v1.SessionsListRequest", TOOLS_FILE),
        ("sessiontools.v1.SessionsListRequest.limit", TOOLS_FILE),
        ("sessiontools.v1.ErrorReason", "sessiontools/v1/error_reason.proto"),
        ("sessiontools.v1.ERROR_REASON_INTERNAL", "sessiontools/v1/error_reason.proto"),
        ("sessiontools.v1.WaitRunResponse.event", TOOLS_FILE),
        ("grpc.health.v1.HealthCheckResponse.ServingStatus", "grpc_health/v1/health.proto"),
        ("grpc.health.v1.HealthCheckResponse.SERVING", "grpc_health/v1/health.proto"),
        ("grpc.health.v1.Health.Watch", "grpc_health/v1/health.proto"),
        ("google.rpc.ErrorInfo", "google/rpc/error_details.proto"),
        ("google.rpc.BadRequest.FieldViolation.field", "google/rpc/error_details.proto"),
        ("google.rpc.Status", "google/rpc/status.proto"),
        ("google.protobuf.Timestamp", "google/protobuf/timestamp.proto"),
        ("grpc.reflection.v1.ServerReflection", "grpc/reflection/v1/reflection.proto"),
        ("grpc.reflection.v1.ServerReflectionRequest.list_services", "grpc/reflection/v1/reflection.proto"),
    ],
)
def test_every_kind_of_symbol_leads_to_its_file(reflection: Reflection, symbol: str, file: str) -> None:
    answer = reflection.answer(pb.ServerReflectionRequest(file_containing_symbol=symbol))

    assert [each.name for each in files(answer)][:1] == [file]


@pytest.mark.parametrize(
    "question",
    [
        {"file_by_filename": "nobody/v1/nothing.proto"},
        {"file_containing_symbol": "nobody.v1.Nothing"},
        {"file_containing_symbol": ""},
        {"file_containing_symbol": f"{TOOLS}.Nothing"},
        {"file_containing_extension": {"containing_type": "sessiontools.v1.Session", "extension_number": 1}},
        {"all_extension_numbers_of_type": "nobody.v1.Nothing"},
        {"all_extension_numbers_of_type": TOOLS},
    ],
)
def test_what_is_not_there_is_answered_with_not_found(reflection: Reflection, question: dict[str, Any]) -> None:
    answer = reflection.answer(pb.ServerReflectionRequest(**question))

    assert answer.error_response.error_code == NOT_FOUND
    assert answer.error_response.error_message


async def test_the_stream_goes_on_after_a_question_without_answer(channel: Any, version: str) -> None:
    method = channel.stream_stream(
        f"/{version}/ServerReflectionInfo",
        pb.ServerReflectionRequest.SerializeToString,
        pb.ServerReflectionResponse.FromString,
    )
    questions = [
        pb.ServerReflectionRequest(host="here", file_by_filename="nothing.proto"),
        pb.ServerReflectionRequest(),
        pb.ServerReflectionRequest(file_containing_symbol=TOOLS),
    ]

    answers = [each async for each in method(iter(questions))]

    assert [each.error_response.error_code for each in answers] == [NOT_FOUND, INVALID_ARGUMENT, 0]
    assert [each.original_request for each in answers] == questions
    assert answers[0].valid_host == "here"


def test_a_message_without_extensions_has_an_empty_list_of_them(reflection: Reflection) -> None:
    answer = reflection.answer(pb.ServerReflectionRequest(all_extension_numbers_of_type="sessiontools.v1.Session"))

    assert answer.WhichOneof("message_response") == "all_extension_numbers_response"
    assert answer.all_extension_numbers_response.base_type_name == "sessiontools.v1.Session"
    assert not answer.all_extension_numbers_response.extension_number


def test_extensions_are_found_by_their_number_wherever_they_stand() -> None:
    base = FileDescriptorProto(name="base.proto", package="a")
    base.message_type.add(name="Open")
    outside = FieldDescriptorProto(name="one", number=101, extendee=".a.Open")
    inside = FieldDescriptorProto(name="two", number=100, extendee=".a.Open")
    more = FileDescriptorProto(name="more.proto", package="b", dependency=["base.proto"], extension=[outside])
    more.message_type.add(name="Holder", extension=[inside])
    known = Descriptors([base, more])

    assert known.extension_numbers("a.Open") == [100, 101]
    assert known.file_of_extension("a.Open", 100) == [more.SerializeToString(), base.SerializeToString()]
    assert known.file_of_symbol("b.Holder.two") == known.file_of_symbol("b.one") == known.file("more.proto")


def test_a_client_can_build_every_service_from_what_is_served() -> None:
    known = Descriptors(served_files())

    for service in known.services():
        served = DescriptorDatabase()
        for packed in known.file_of_symbol(service) or []:
            served.Add(FileDescriptorProto.FromString(packed))
        assert DescriptorPool(served).FindServiceByName(service).methods
