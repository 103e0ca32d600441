"""The Python client: its methods, credentials, request ids and errors."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from typing import Any, get_type_hints

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc import StatusCode

import sessiontools
from sessiontools import DeadlineError, FieldProblem, SessionToolsError, connect
from sessiontools.calls import Stream, Unary
from sessiontools.dialing import OPTIONS
from sessiontools.methods import Methods
from sessiontools.v1 import error_reason_pb2
from sessiontools.v1 import session_tools_service_pb2 as pb
from tests.clients.python_serving import CONTRACT, Refusal, connected, listening, reason, retry_in

OWNER = "owner-1"
UNAVAILABLE = Refusal(StatusCode.UNAVAILABLE, "restarting")


class FakeSends:
    """Notes what it is sent, and answers with these refusals first."""

    def __init__(self, *refusals: Refusal) -> None:
        self.refusals = [*refusals]
        self.request_ids: list[str] = []
        self.metadata: dict[str, Any] = {}
        self.has_arrived = asyncio.Event()
        self.has_left = asyncio.Event()

    async def SessionsSend(self, request: pb.SessionsSendRequest, context: Any) -> pb.SessionsSendResponse:  # noqa: N802
        self.request_ids.append(request.request_id)
        self.metadata = dict(context.invocation_metadata())
        if self.refusals:
            await self.refusals.pop(0).abort(context)
        return pb.SessionsSendResponse(run_id="run")

    async def GetRun(self, request: pb.GetRunRequest, context: Any) -> pb.GetRunResponse:  # noqa: N802
        """Never answers."""
        self.has_arrived.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.has_left.set()
        raise AssertionError

    async def WaitRuns(self, request: pb.WaitRunsRequest, context: Any) -> AsyncIterator[pb.WaitRunsResponse]:  # noqa: N802
        """One message, and then the refusals' first."""
        yield pb.WaitRunsResponse(run_id="run")
        await self.refusals.pop(0).abort(context)


async def refused(refusal: Refusal) -> SessionToolsError:
    """The error that a call raises when it is answered so."""
    async with connected(FakeSends(refusal)) as client:
        with pytest.raises(SessionToolsError) as caught:
            await client.SessionsSend(pb.SessionsSendRequest())
    return caught.value


def test_a_client_has_exactly_the_methods_of_the_contract_with_their_types() -> None:
    contract = {}
    for module in CONTRACT:
        for service in module.DESCRIPTOR.services_by_name.values():
            for method in service.methods:
                types = getattr(module, method.input_type.name), getattr(module, method.output_type.name)
                contract[method.name] = (Stream if method.server_streaming else Unary)[types]

    assert get_type_hints(Methods) == contract


async def test_every_method_of_the_contract_is_there_at_run_time() -> None:
    async with connect("127.0.0.1:1", plaintext=True) as client:
        kinds = {name: type(getattr(client, name)) for name in get_type_hints(Methods)}

    assert {name for name, kind in kinds.items() if kind is Stream} == {"WaitRun", "WaitRuns"}
    assert {*kinds.values()} == {Unary, Stream}


def test_every_public_name_is_there_and_no_other() -> None:
    assert all(getattr(sessiontools, name).__module__.startswith("sessiontools.") for name in sessiontools.__all__)
    with pytest.raises(AttributeError, match="'nothing'"):
        sessiontools.nothing  # type: ignore[attr-defined] # noqa: B018


def test_the_messages_alone_do_not_load_grpc() -> None:
    program = "import sys, sessiontools.v1.message_pb2; sys.exit('grpc' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", program], env={**os.environ}).returncode == 0


async def test_an_empty_request_id_is_filled_in_anew_for_every_call() -> None:
    fake, request = FakeSends(), pb.SessionsSendRequest(message="hello")
    async with connected(fake) as client:
        await client.SessionsSend(request)
        await client.SessionsSend(request)

    first, second = fake.request_ids
    assert len(first) == len(second) == 36
    assert first != second
    assert not request.request_id


async def test_the_callers_request_id_is_kept() -> None:
    fake = FakeSends()
    async with connected(fake) as client:
        await client.SessionsSend(pb.SessionsSendRequest(request_id="mine"))

    assert fake.request_ids == ["mine"]


async def test_a_call_that_finds_no_server_is_repeated_with_its_request_id() -> None:  # R8
    fake = FakeSends(UNAVAILABLE)
    async with (
        listening(fake) as address,
        connect(address, plaintext=True) as client,
    ):
        answer = await client.SessionsSend(pb.SessionsSendRequest())

    assert answer.run_id == "run"
    assert len(fake.request_ids) == 2
    assert len({*fake.request_ids}) == 1


async def test_a_call_is_repeated_so_often_and_no_more() -> None:
    fake = FakeSends(*[UNAVAILABLE] * 6)
    # By the same policy but for its pauses.
    quick = dict(OPTIONS)["grpc.service_config"].replace('"0.2s"', '"0.01s"').replace('"10s"', '"0.01s"')
    async with (
        listening(fake) as address,
        connect(address, plaintext=True, options=[("grpc.service_config", quick)]) as client,
    ):
        with pytest.raises(SessionToolsError, match="UNAVAILABLE: restarting"):
            await client.SessionsSend(pb.SessionsSendRequest())

    assert len(fake.request_ids) == 5


async def test_credentials_go_with_every_call() -> None:
    fake = FakeSends()
    told = []
    async with connected(fake, token=OWNER, acting_session="main") as owner:
        for client in (owner, owner.acting_as("cron:1"), owner.with_token("run token"), owner.with_token("")):
            await client.SessionsSend(pb.SessionsSendRequest(), metadata=[("traceparent", "00-1")])
            told.append([fake.metadata.get(key) for key in ("authorization", "acting-session", "traceparent")])

    assert told == [
        [f"Bearer {OWNER}", "main", "00-1"],
        [f"Bearer {OWNER}", "cron:1", "00-1"],
        ["Bearer run token", None, "00-1"],
        [None, None, "00-1"],
    ]


async def test_credentials_that_grpc_cannot_send_are_refused_at_once() -> None:
    async with connect("127.0.0.1:1", plaintext=True, token=OWNER) as client:
        with pytest.raises(ValueError, match="acting session"):
            client.acting_as("grüezi")
        with pytest.raises(ValueError, match="token"):
            client.with_token("a\nb")


async def test_a_client_that_shares_a_connection_does_not_end_it() -> None:
    fake = FakeSends()
    async with (
        listening(fake) as address,
        connect(address, plaintext=True) as owner,
    ):
        async with owner.acting_as("main") as agent:
            await agent.SessionsSend(pb.SessionsSendRequest())
        await owner.SessionsSend(pb.SessionsSendRequest())

    assert len(fake.request_ids) == 2
    with pytest.raises(grpc.aio.UsageError, match="closed"):
        await owner.SessionsSend(pb.SessionsSendRequest())


async def test_a_refusal_has_its_reason_and_details() -> None:  # X1
    wrong = error_details_pb2.BadRequest()
    wrong.field_violations.add(field="message", description="is required")
    details = (reason("INVALID_FIELD", a="b"), wrong, retry_in(2))

    error = await refused(Refusal(StatusCode.INVALID_ARGUMENT, "the message is blank", details))

    assert (error.code, error.reason, error.message) == (
        StatusCode.INVALID_ARGUMENT,
        "INVALID_FIELD",
        "the message is blank",
    )
    assert (error.metadata, error.fields) == ({"a": "b"}, (FieldProblem("message", "is required"),))
    assert error.retry_after == 2
    assert error.has_reason(error_reason_pb2.ERROR_REASON_INVALID_FIELD)
    assert not error.has_reason(error_reason_pb2.ERROR_REASON_LEASE_LOST)
    assert str(error) == "INVALID_FIELD: the message is blank"


async def test_a_reason_may_come_with_its_prefix() -> None:
    error = await refused(Refusal(StatusCode.NOT_FOUND, "", (reason("ERROR_REASON_RUN_NOT_FOUND"),)))

    assert error.reason == "RUN_NOT_FOUND"
    assert error.has_reason(error_reason_pb2.ERROR_REASON_RUN_NOT_FOUND)


async def test_an_error_that_is_not_the_services_has_no_reason() -> None:
    error = await refused(Refusal(StatusCode.PERMISSION_DENIED, "no", (reason("IP_BLOCKED", domain="proxy", a="b"),)))

    assert (error.reason, error.metadata, str(error)) == ("", {}, "PERMISSION_DENIED: no")
    assert not error.has_reason(error_reason_pb2.ERROR_REASON_UNSPECIFIED)


async def test_details_that_are_none_are_passed_over() -> None:
    class Garbled(FakeSends):
        async def SessionsSend(self, request: pb.SessionsSendRequest, context: Any) -> pb.SessionsSendResponse:  # noqa: N802
            await context.abort(StatusCode.ABORTED, "a proxy", (("grpc-status-details-bin", b"\xff"),))
            raise AssertionError

    async with connected(Garbled()) as client:
        with pytest.raises(SessionToolsError, match="ABORTED: a proxy"):
            await client.SessionsSend(pb.SessionsSendRequest())


async def test_an_answer_that_cannot_be_decoded_is_an_error() -> None:
    async with connected(FakeSends()) as client:
        # The same bytes, as a message that they are not: field 1 is text there, and another message here.
        client.SessionsSend._method._response_deserializer = pb.GetRunResponse.FromString  # type: ignore[attr-defined]
        with pytest.raises(SessionToolsError, match="INTERNAL: the answer cannot be decoded"):
            await client.SessionsSend(pb.SessionsSendRequest())


async def test_a_call_that_takes_longer_than_its_timeout_is_both_kinds_of_error() -> None:
    async with connected(FakeSends()) as client:
        with pytest.raises(TimeoutError) as caught:
            await client.GetRun(pb.GetRunRequest(), timeout=0.01)

    assert isinstance(caught.value, DeadlineError)
    assert caught.value.code is StatusCode.DEADLINE_EXCEEDED
    assert str(caught.value).startswith("DEADLINE_EXCEEDED: ")


async def test_errors_of_a_stream_have_their_type_too() -> None:
    async with connected(FakeSends(Refusal(StatusCode.NOT_FOUND, "", (reason("RUN_NOT_FOUND"),)))) as client:
        messages = client.WaitRuns(pb.WaitRunsRequest())

        assert (await anext(messages)).run_id == "run"
        with pytest.raises(SessionToolsError, match="RUN_NOT_FOUND"):
            await anext(messages)


async def test_a_cancelled_task_cancels_its_call() -> None:
    fake = FakeSends()
    async with connected(fake) as client:
        calling = asyncio.create_task(client.GetRun(pb.GetRunRequest()))
        await fake.has_arrived.wait()
        calling.cancel()

        with pytest.raises(asyncio.CancelledError):
            await calling
        await fake.has_left.wait()


async def test_the_callers_options_win() -> None:
    fake = FakeSends()
    request = pb.SessionsSendRequest(message="x" * 1000)
    async with (
        listening(fake) as address,
        connect(address, plaintext=True, options=[("grpc.max_send_message_length", 100)]) as client,
    ):
        with pytest.raises(SessionToolsError) as caught:
            await client.SessionsSend(request)

    assert caught.value.code is StatusCode.RESOURCE_EXHAUSTED
    assert not fake.request_ids


async def test_a_connection_is_with_tls_unless_told_otherwise() -> None:
    async with (
        listening(FakeSends()) as address,
        connect(address, options=[("grpc.enable_retries", 0)]) as client,
    ):
        with pytest.raises(SessionToolsError, match=r"UNAVAILABLE: .*(SSL|TLS|handshake)"):
            await client.SessionsSend(pb.SessionsSendRequest())
