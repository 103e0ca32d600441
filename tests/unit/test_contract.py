"""What must stay true of the contract, whatever is added to it; read from the descriptors that reflection serves."""

from __future__ import annotations

import importlib
import keyword
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
)

CONTRACT = Path(__file__).parents[2] / "service" / "sessiond" / "rpc" / "contract.binpb"
FILES = {
    each.name: each
    for each in FileDescriptorSet.FromString(CONTRACT.read_bytes()).file
    if each.package == "sessiontools.v1"
}
MESSAGES = {message.name: message for file in FILES.values() for message in file.message_type}
FIELDS = [(message, field) for message in MESSAGES.values() for field in message.field]
SERVICES = {service.name: service for file in FILES.values() for service in file.service}
METHODS = [method for service in SERVICES.values() for method in service.method]

RPCS = {
    "SessionToolsService": "SessionsList SessionsHistory SessionsSend SessionsSpawn AgentsList GetRun WaitRun WaitRuns"
    " CancelRun",
    "GatewayService": "ChatSend ChatAbort SessionsPatch SessionsReset SessionsDelete SessionsResolve AcquireDeliveries"
    " AckDelivery NackDelivery ListDeliveries RetryDelivery DiscardDelivery",
    "RuntimeService": "AcquireRuns HeartbeatRuns AppendRunEvents CompleteRun ReleaseRun",
}

OPTIONAL = {
    "SessionsListRequest": "limit active_minutes message_limit",
    "SessionsHistoryRequest": "limit",
    "SessionsSendRequest": "timeout_seconds max_ping_pong_turns",
    "SessionsSendResponse": "reply announce_route",
    "SessionsSpawnRequest": "run_timeout_seconds",
    "SessionsSpawnResponse": "announce_route",
    "GetRunRequest": "wait_seconds",
    "WaitRunRequest": "max_wait_seconds heartbeat_seconds",
    "WaitRunsRequest": "max_wait_seconds heartbeat_seconds",
    "Session": "context_tokens total_tokens send_policy delivery_context archived_at",
    "Message": "usage",
    "Usage": "cost_usd",
    "Run": "start_time end_time reply failure usage",
    "Delivery": "next_attempt_time end_time lease_expires",
    "ChatSendRequest": "route deliver run_timeout_seconds",
    "AcquireDeliveriesRequest": "wait_seconds",
    "NackDeliveryRequest": "retry_after_seconds",
    "ListDeliveriesRequest": "limit",
    "AcquireRunsRequest": "wait_seconds",
    "CompleteRunRequest": "usage",
}

ENUMS = {
    "SessionKind": "MAIN GROUP CRON HOOK NODE OTHER",
    "SendStatus": "ACCEPTED OK TIMEOUT ERROR",
    "SpawnStatus": "ACCEPTED",
    "ChatStatus": "QUEUED COMMAND IGNORED",
    "Cleanup": "KEEP DELETE",
    "AnnouncePolicy": "MODEL_MAY_SKIP NEVER",
    "WaitUntil": "REPLY SETTLED",
    "WaitMode": "ANY ALL",
    "EndReason": "RUN_TERMINAL SETTLED MAX_WAIT DEADLINE STREAM_AGE DRAINING",
    "RunState": "QUEUED RUNNING CANCELLING SUCCEEDED FAILED TIMED_OUT CANCELLED",
    "RunKind": "CHAT SEND REPLY ANNOUNCE SPAWN SPAWN_ANNOUNCE",
    "DeliveryState": "PENDING LEASED UNCONFIRMED DELIVERED SUPPRESSED DEAD",
    "PolicyAction": "ALLOW DENY",
    "ChatType": "DIRECT GROUP CHANNEL",
    "Role": "USER ASSISTANT TOOL_RESULT SYSTEM",
    "ProvenanceKind": "USER INTER_SESSION SUBAGENT_TASK REPLY_BACK ANNOUNCE_STEP SUBAGENT_ANNOUNCE SYSTEM",
}

COUNT_ENDINGS = (
    *("_seconds", "_minutes", "_tokens", "limit", "limit_applied", "queue_position", "turn", "turns", "depth"),
    *("attempt", "attempts", "total_messages", "max_runs", "max_deliveries", "omitted"),
)
INSTANT_ENDINGS = ("_time", "_at", "_expires")
ORDER_ENDINGS = ("sequence", "version")

# Words that Go, Java, Rust or TypeScript keep for themselves; our conventions rule out two more.
FOREIGN_WORDS = (
    "abstract any as async await become boolean box break byte case catch chan char class const continue crate debugger"
    " default defer delete do double dyn else enum export extends extern fallthrough false final finally float fn for"
    " func function gen go goto if impl implements import in instanceof int interface let long loop macro map match mod"
    " move mut native new null number override package priv private protected pub public range ref return select self"
    " short static strictfp string struct super switch symbol synchronized this throw throws trait transient true try"
    " type typeof unsafe unsized use var virtual void volatile where while with yield"
)
RESERVED = {*keyword.kwlist, *keyword.softkwlist, *FOREIGN_WORDS.split(), "object", "error_type"}

WHOLE_NUMBERS = {
    value
    for name, value in FieldDescriptorProto.Type.items()
    if name.removeprefix("TYPE_").startswith(("INT", "UINT", "SINT", "FIXED", "SFIXED"))
}
SYNTAX_PATH = (FileDescriptorProto.SYNTAX_FIELD_NUMBER,)

Element = tuple[tuple[int, ...], str]


def test_the_services_have_exactly_the_rpcs_of_the_contract() -> None:
    found = {name: " ".join(method.name for method in service.method) for name, service in SERVICES.items()}

    assert found == RPCS


def test_only_the_two_waits_stream_and_only_from_the_server() -> None:
    assert not [method.name for method in METHODS if method.client_streaming]
    assert {method.name for method in METHODS if method.server_streaming} == {"WaitRun", "WaitRuns"}


def test_every_rpc_has_a_request_and_a_response_of_its_own() -> None:
    for method in METHODS:
        assert method.input_type == f".sessiontools.v1.{method.name}Request"
        assert method.output_type == f".sessiontools.v1.{method.name}Response"


def test_exactly_the_marked_fields_have_explicit_presence() -> None:
    found: dict[str, list[str]] = {}
    for message, field in FIELDS:
        if field.proto3_optional:
            found.setdefault(message.name, []).append(field.name)

    assert {name: sorted(fields) for name, fields in found.items()} == {
        name: sorted(fields.split()) for name, fields in OPTIONAL.items()
    }


def test_the_enums_have_exactly_the_values_of_the_contract() -> None:
    enums = {enum.name: enum for file in FILES.values() for enum in file.enum_type if enum.name != "ErrorReason"}

    assert {name: bare_values(enum) for name, enum in enums.items()} == ENUMS


def bare_values(enum: EnumDescriptorProto) -> str:
    """The names of an enum's values without their prefix, but for the zero."""
    prefix = enum.value[0].name.removesuffix("UNSPECIFIED")
    return " ".join(value.name.removeprefix(prefix) for value in enum.value if value.number)


def test_counts_instants_and_orders_have_one_type_each() -> None:
    for message, field in FIELDS:
        where = f"{message.name}.{field.name}"
        if field.name.endswith(INSTANT_ENDINGS):
            assert field.type_name == ".google.protobuf.Timestamp", where
        elif field.name.endswith(COUNT_ENDINGS):
            assert field.type == FieldDescriptorProto.TYPE_UINT32, where
        elif field.name.endswith(ORDER_ENDINGS):
            assert field.type == FieldDescriptorProto.TYPE_INT64, where


def test_other_whole_numbers_do_not_occur() -> None:
    numbers = [f"{message.name}.{field.name}" for message, field in FIELDS if field.type in WHOLE_NUMBERS]

    assert not [name for name in numbers if not name.endswith((*COUNT_ENDINGS, *ORDER_ENDINGS))]


def test_no_field_has_a_name_that_a_client_language_reserves() -> None:
    assert not [f"{message.name}.{field.name}" for message, field in FIELDS if field.name in RESERVED]


@pytest.mark.parametrize("file", FILES.values(), ids=list(FILES))
def test_every_element_has_a_comment_that_begins_with_its_name(file: FileDescriptorProto) -> None:
    comments = {tuple(place.path): place.leading_comments.strip() for place in file.source_code_info.location}

    assert comments[SYNTAX_PATH], file.name
    for path, name in elements(file):
        assert comments.get(path, "").startswith(name), f"{file.name}: {name}"


def elements(file: FileDescriptorProto) -> Iterator[Element]:
    """Path and name of everything that a file declares."""
    yield from message_elements(file.message_type, (FileDescriptorProto.MESSAGE_TYPE_FIELD_NUMBER,))
    for number, enum in enumerate(file.enum_type):
        path = (FileDescriptorProto.ENUM_TYPE_FIELD_NUMBER, number)
        yield path, enum.name
        for place, value in enumerate(enum.value):
            yield (*path, EnumDescriptorProto.VALUE_FIELD_NUMBER, place), value.name
    for number, service in enumerate(file.service):
        path = (FileDescriptorProto.SERVICE_FIELD_NUMBER, number)
        yield path, service.name
        for place, method in enumerate(service.method):
            yield (*path, service.METHOD_FIELD_NUMBER, place), method.name


def message_elements(messages: Sequence[DescriptorProto], parent: tuple[int, ...]) -> Iterator[Element]:
    """The same for messages, what they contain included."""
    for number, message in enumerate(messages):
        path = (*parent, number)
        yield path, message.name
        for place, field in enumerate(message.field):
            yield (*path, DescriptorProto.FIELD_FIELD_NUMBER, place), field.name
        for place, oneof in enumerate(message.oneof_decl):
            if not oneof.name.startswith("_"):  # an optional field is a oneof of its own that nobody wrote
                yield (*path, DescriptorProto.ONEOF_DECL_FIELD_NUMBER, place), oneof.name
        yield from message_elements(message.nested_type, (*path, DescriptorProto.NESTED_TYPE_FIELD_NUMBER))


@pytest.mark.parametrize("name", FILES)
def test_the_generated_modules_describe_the_same_contract(name: str) -> None:
    module = importlib.import_module(name.removesuffix(".proto").replace("/", ".") + "_pb2")

    assert FileDescriptorProto.FromString(module.DESCRIPTOR.serialized_pb) == without_comments(FILES[name])


def test_every_generated_module_belongs_to_a_file_of_the_contract() -> None:
    package = Path(importlib.import_module("sessiontools.v1").__path__[0])

    modules = {path.name.removesuffix("_pb2.py") for path in package.glob("*_pb2.py")}
    assert modules == {Path(name).stem for name in FILES}


def without_comments(file: FileDescriptorProto) -> FileDescriptorProto:
    """A file as generated modules hold it."""
    bare = FileDescriptorProto()
    bare.CopyFrom(file)
    bare.ClearField("source_code_info")
    return bare
