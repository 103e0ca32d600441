"""Who may call what: every method with every kind of caller, from the contract's own list of methods (V1, V5, V6)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf import message_factory
from google.protobuf.descriptor import MethodDescriptor

from sessiond.rpc.authority import ALLOWED_ROLES
from sessiontools.v1 import gateway_service_pb2, runtime_service_pb2, session_tools_service_pb2
from sessiontools.v1 import runtime_service_pb2 as runtime
from sessiontools.v1 import session_tools_service_pb2 as tools
from tests.rpc.serving import error_info, raw_call, rich_status
from tests.rpc.test_send import refused
from tests.serving import EXTERNAL, Metadata, Served, acting, bearer, served

ROLES = ("owner", "gateway", "runtime")
TOKENS = [{"name": f"the {role}", "role": role, "token": f"{role}-token-0123456789"} for role in ROLES]
GUARDED = {**EXTERNAL, "auth": {"tokens": TOKENS}}
SERVICES = [
    *session_tools_service_pb2.DESCRIPTOR.services_by_name.values(),
    *gateway_service_pb2.DESCRIPTOR.services_by_name.values(),
    *runtime_service_pb2.DESCRIPTOR.services_by_name.values(),
]
METHODS: list[MethodDescriptor] = [method for service in SERVICES for method in service.methods]
OWNERS_ONLY = {"ListDeliveries", "RetryDelivery", "DiscardDelivery"}
# What each kind of caller may reach, in V6's words.
REACH: dict[str, Callable[[str, str], bool]] = {
    "owner": lambda service, method: True,
    "gateway": lambda service, method: service != "RuntimeService" and method not in OWNERS_ONLY,
    "runtime": lambda service, method: service == "RuntimeService",
    "agent": lambda service, method: service == "SessionToolsService",
    "nobody": lambda service, method: False,
}


@asynccontextmanager
async def guarded(folder: Path) -> AsyncIterator[tuple[Served, dict[str, Metadata]]]:
    """A server with tokens, and what every kind of caller shows it."""
    async with served(folder, GUARDED) as server:
        callers = {role: bearer(f"{role}-token-0123456789") for role in ROLES}
        send = tools.SessionsSendRequest(session_key="main", message="hello", timeout_seconds=0)
        await server.tools.SessionsSend(send, metadata=callers["owner"])
        answer = await server.runtime.AcquireRuns(
            runtime.AcquireRunsRequest(runtime_id="rt", wait_seconds=30), metadata=callers["runtime"]
        )
        yield server, {**callers, "agent": bearer(answer.runs[0].run_token), "nobody": ()}


def path_of(method: MethodDescriptor) -> str:
    return f"{method.containing_service.full_name}/{method.name}"


async def code_of(server: Served, method: MethodDescriptor, metadata: Metadata) -> tuple[grpc.StatusCode, str]:
    """How a call with an empty request ends; which of those that get in may well be refused for other reasons."""
    empty = message_factory.GetMessageClass(method.input_type)().SerializeToString()
    call = raw_call(_With(server.channel, metadata), path_of(method), empty, is_stream=method.server_streaming)
    try:
        if method.server_streaming:
            await call.read()
        else:
            await call
    except grpc.aio.AioRpcError as error:
        return error.code(), error_info(await rich_status(call)).reason
    return grpc.StatusCode.OK, ""


class _With:
    """A channel whose calls carry metadata."""

    def __init__(self, channel: grpc.aio.Channel, metadata: Metadata) -> None:
        self._channel = channel
        self._metadata = metadata

    def unary_unary(self, method: str) -> Any:
        return lambda data: self._channel.unary_unary(method)(data, metadata=self._metadata, timeout=20)

    def unary_stream(self, method: str) -> Any:
        return lambda data: self._channel.unary_stream(method)(data, metadata=self._metadata, timeout=20)


def test_every_method_of_the_contract_is_in_the_table() -> None:  # V5
    assert set(ALLOWED_ROLES) == {f"/{path_of(method)}" for method in METHODS}


async def test_every_caller_reaches_exactly_what_is_its_own(tmp_path: Path) -> None:  # V1, V5, V6
    async with guarded(tmp_path) as (server, callers):
        for method in METHODS:
            for caller, metadata in callers.items():
                code, reason = await code_of(server, method, metadata)
                may = REACH[caller](method.containing_service.name, method.name)
                expected = () if may else (("UNAUTHENTICATED",) if caller == "nobody" else ("ROLE_DENIED",))
                stopped = (reason,) if reason in ("UNAUTHENTICATED", "ROLE_DENIED") else ()
                assert stopped == expected, (path_of(method), caller, code, reason)


@pytest.mark.parametrize(
    "metadata",
    [
        (),
        bearer("wrong"),
        bearer(""),
        (("authorization", "owner-token-0123456789"),),
        (("authorization", "Basic owner-token-0123456789"),),
        bearer("run.no-such-run.1." + "0" * 64),
        bearer("run.x.1"),
    ],
)
async def test_a_missing_or_wrong_credential_is_unauthenticated(tmp_path: Path, metadata: Metadata) -> None:  # V1
    async with served(tmp_path, GUARDED) as server:
        call = server.tools.SessionsList(tools.SessionsListRequest(), metadata=metadata)

        assert await refused(call) == (grpc.StatusCode.UNAUTHENTICATED, "UNAUTHENTICATED")


async def test_a_run_token_dies_with_its_run(tmp_path: Path) -> None:  # V1
    async with served(tmp_path, EXTERNAL) as server:  # also where no tokens are configured
        send = tools.SessionsSendRequest(session_key="main", message="hello", timeout_seconds=0)
        await server.tools.SessionsSend(send)
        answer = await server.runtime.AcquireRuns(runtime.AcquireRunsRequest(runtime_id="rt", wait_seconds=30))
        (lease,) = answer.runs
        agent = bearer(lease.run_token)
        listed = await server.tools.SessionsList(tools.SessionsListRequest(), metadata=agent)
        assert [each.key for each in listed.sessions] == ["main"]
        poll = server.runtime.AcquireRuns(runtime.AcquireRunsRequest(runtime_id="rt"), metadata=agent)
        assert await refused(poll) == (grpc.StatusCode.PERMISSION_DENIED, "ROLE_DENIED")

        await server.runtime.CompleteRun(runtime.CompleteRunRequest(lease_token=lease.lease_token, reply="done"))

        call = server.tools.SessionsList(tools.SessionsListRequest(), metadata=agent)
        assert await refused(call) == (grpc.StatusCode.UNAUTHENTICATED, "UNAUTHENTICATED")


async def test_only_owners_and_gateways_act_from_a_session_of_their_choice(tmp_path: Path) -> None:  # V1
    async with guarded(tmp_path) as (server, callers):
        for caller in ("owner", "gateway"):
            metadata = (*callers[caller], *acting("agent:ops:main"))
            listed = await server.tools.SessionsList(tools.SessionsListRequest(), metadata=metadata)
            assert not listed.sessions
        call = server.tools.SessionsList(
            tools.SessionsListRequest(), metadata=(*callers["agent"], *acting("agent:ops:main"))
        )
        assert await refused(call) == (grpc.StatusCode.PERMISSION_DENIED, "ROLE_DENIED")


async def test_an_acting_session_that_is_not_there_is_not_found(tmp_path: Path) -> None:  # V3
    async with served(tmp_path, EXTERNAL) as server:
        for key in ("agent:main:nope", "agent:nobody:main"):
            call = server.tools.SessionsList(tools.SessionsListRequest(), metadata=acting(key))
            assert await refused(call) == (grpc.StatusCode.NOT_FOUND, "SESSION_NOT_FOUND")
