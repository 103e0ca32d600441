"""The interceptor: what callers are told, what the log says, and what neither of them learns."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from time import monotonic
from typing import Any, Never

import grpc
import pytest
from google.rpc import error_details_pb2

from sessiond.model.callers import Caller, CallerRole, RunToken
from sessiond.model.errors import FieldProblem, InvalidField, Refusal, RoleDenied, SessionNotFound, Unauthenticated
from sessiond.rpc.admission import admission
from sessiond.rpc.calls import current_call, the_caller
from sessiond.rpc.credentials import Credentials, Token, hash_of
from sessiond.rpc.door import Door
from sessiond.rpc.guard import MAX_RESPONSE_BYTES, Guard
from sessiond.rpc.health import Health, add_health
from sessiond.rpc.rate import RateLimit
from sessiond.rpc.run_tokens import RunTokens
from sessiond.store.signing_keys import SigningKey
from sessiontools.v1 import session_tools_service_pb2 as pb
from sessiontools.v1 import session_tools_service_pb2_grpc as rpc
from tests.logs import until_logged
from tests.rpc.serving import TOOLS, Tools, details, error_info, raw_call, rich_status, serving

SECRET = "SELECT password FROM users"  # noqa: S105 - a text that must not get out


class ReasonOfNobody(Refusal):
    """A refusal whose reason the contract does not have."""

    reason = "NO_SUCH_REASON"


async def answers(request: pb.SessionsListRequest, context: Any) -> pb.SessionsListResponse:
    return pb.SessionsListResponse(limit_applied=7)


async def counts(request: pb.WaitRunRequest, context: Any) -> AsyncIterator[pb.WaitRunResponse]:
    for sequence in (1, 2, 3):
        yield pb.WaitRunResponse(sequence=sequence)


def raises(problem: BaseException) -> Callable[..., Any]:
    async def fail(request: object, context: object) -> Never:
        raise problem

    return fail


def yields_then_raises(problem: BaseException) -> Callable[..., AsyncIterator[Any]]:
    async def fail(request: object, context: object) -> AsyncIterator[Any]:
        yield pb.WaitRunResponse(sequence=1)
        raise problem

    return fail


def tools(
    unary: Callable[..., Any] = answers, stream: Callable[..., AsyncIterator[Any]] = counts, guard: Guard | None = None
) -> AbstractAsyncContextManager[grpc.aio.Channel]:
    def register(server: grpc.aio.Server) -> None:
        rpc.add_SessionToolsServiceServicer_to_server(Tools(unary, stream), server)  # type: ignore[abstract]

    return serving(register, guard=guard)


async def list_sessions(channel: grpc.aio.Channel, *metadata: tuple[str, str]) -> Any:
    call = rpc.SessionToolsServiceStub(channel).SessionsList(pb.SessionsListRequest(), metadata=metadata)
    await call.code()
    return call


async def wait_run(channel: grpc.aio.Channel) -> Any:
    call: Any = rpc.SessionToolsServiceStub(channel).WaitRun(pb.WaitRunRequest())
    assert (await call.read()).sequence == 1
    return call


def lines(caplog: pytest.LogCaptureFixture) -> list[logging.LogRecord]:
    return [each for each in caplog.records if each.name == "sessiond.calls"]


@pytest.fixture(autouse=True)
def everything_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)


async def test_an_answer_passes_unchanged() -> None:
    async with tools() as channel:
        stub = rpc.SessionToolsServiceStub(channel)

        response = await stub.SessionsList(pb.SessionsListRequest())
        events = [each.sequence async for each in stub.WaitRun(pb.WaitRunRequest())]

    assert response.limit_applied == 7
    assert events == [1, 2, 3]


async def test_a_refusal_becomes_its_status() -> None:  # X1
    async with tools(raises(SessionNotFound())) as channel:
        call = await list_sessions(channel)

        assert await call.code() is grpc.StatusCode.NOT_FOUND
        assert error_info(await rich_status(call)).reason == "SESSION_NOT_FOUND"


async def test_every_wrong_field_reaches_the_caller() -> None:  # X1
    problem = InvalidField(FieldProblem("limit", "too large"), FieldProblem("label", "too long"))
    async with tools(raises(problem)) as channel:
        status = await rich_status(await list_sessions(channel))

    (bad,) = details(status, error_details_pb2.BadRequest)
    assert [each.field for each in bad.field_violations] == ["limit", "label"]
    assert error_info(status).reason == "INVALID_FIELD"


async def test_a_stream_is_refused_as_a_unary_call_is_even_after_messages() -> None:
    async with tools(stream=yields_then_raises(SessionNotFound())) as channel:
        call = await wait_run(channel)

        assert await call.code() is grpc.StatusCode.NOT_FOUND
        assert error_info(await rich_status(call)).reason == "SESSION_NOT_FOUND"


async def test_letters_of_all_scripts_survive_in_the_text() -> None:
    text = "ключ „größe“ 会话 🦀 100 % \n done"
    async with tools(raises(InvalidField(FieldProblem("label", text)))) as channel:
        call = await list_sessions(channel)

        assert await call.details() == f"label: {text}"
        (bad,) = details(await rich_status(call), error_details_pb2.BadRequest)
        assert bad.field_violations[0].description == text


async def test_the_longest_refusal_still_arrives_with_its_reason() -> None:
    many = [FieldProblem(f"kinds[{n}]", "会" * 1000) for n in range(200)]
    async with tools(raises(InvalidField(*many))) as channel:
        status = await rich_status(await list_sessions(channel))

    assert error_info(status).reason == "INVALID_FIELD"


@pytest.mark.parametrize("stream", [False, True])
async def test_a_fault_tells_an_id_and_nothing_else(stream: bool, caplog: pytest.LogCaptureFixture) -> None:  # X1
    fault = RuntimeError(SECRET)
    async with tools(raises(fault), yields_then_raises(fault)) as channel:
        call = await wait_run(channel) if stream else await list_sessions(channel)
        status = await rich_status(call)

    info = error_info(status)
    error_id = info.metadata["error_id"]
    (line,) = lines(caplog)
    assert await call.code() is grpc.StatusCode.INTERNAL
    assert info.reason == "INTERNAL"
    assert error_id in status.message
    assert b"SELECT" not in status.SerializeToString()
    assert b"RuntimeError" not in status.SerializeToString()
    assert (line.levelname, line.__dict__["error_id"]) == ("ERROR", error_id)
    assert line.exc_info is not None
    assert line.exc_info[1] is fault


@pytest.mark.parametrize("problem", [ReasonOfNobody("odd"), grpc.aio.UsageError("odd"), NotImplementedError("odd")])
async def test_what_the_contract_has_no_word_for_is_a_fault(problem: Exception) -> None:
    async with tools(raises(problem)) as channel:
        status = await rich_status(await list_sessions(channel))

    assert error_info(status).reason == "INTERNAL"
    assert "odd" not in status.message


async def test_an_answer_that_is_bytes_already_leaves_as_it_is() -> None:
    async def ready(request: pb.SessionsListRequest, context: Any) -> bytes:
        return pb.SessionsListResponse(limit_applied=7).SerializeToString()

    async with tools(ready) as channel:
        call = await list_sessions(channel)

        assert (await call).limit_applied == 7


async def test_a_response_of_the_wrong_kind_is_a_fault() -> None:
    async def wrong(request: object, context: object) -> str:
        return SECRET

    async with tools(wrong) as channel:
        status = await rich_status(await list_sessions(channel))

    assert error_info(status).reason == "INTERNAL"


@pytest.mark.parametrize("method", ["SessionsList", "WaitRun"])
async def test_a_response_that_is_too_large_is_a_fault_not_a_caller_that_has_left(
    method: str, caplog: pytest.LogCaptureFixture
) -> None:  # X1
    too_large = b"x" * (MAX_RESPONSE_BYTES + 1)

    async def unary(request: object, context: object) -> bytes:
        return too_large

    async def stream(request: object, context: object) -> AsyncIterator[Any]:
        yield too_large

    async with tools(unary, stream) as channel:
        call = raw_call(channel, f"{TOOLS}/{method}", is_stream=method == "WaitRun")
        await call.code()

        assert error_info(await rich_status(call)).reason == "INTERNAL"
    assert [each.levelname for each in lines(caplog)] == ["ERROR"]


@pytest.mark.parametrize("method", ["SessionsList", "WaitRun"])
async def test_bytes_that_are_no_request_are_the_callers_mistake(method: str) -> None:  # X1
    async with tools() as channel:
        call = raw_call(channel, f"{TOOLS}/{method}", b"\xff\xff\xff", is_stream=method == "WaitRun")
        await call.code()
        status = await rich_status(call)

    assert error_info(status).reason == "INVALID_FIELD"
    assert details(status, error_details_pb2.BadRequest)[0].field_violations[0].field == "request"


@pytest.mark.parametrize("method", ["SessionsSend", "WaitRuns"])
async def test_a_method_that_is_not_there_yet_says_so(method: str) -> None:
    async with tools() as channel:
        call = raw_call(channel, f"{TOOLS}/{method}", is_stream=method == "WaitRuns")

        assert await call.code() is grpc.StatusCode.UNIMPLEMENTED
        assert f"does not serve {TOOLS}/{method};" in await call.details()
        assert error_info(await rich_status(call)).reason == "NOT_IMPLEMENTED"


@pytest.mark.parametrize("is_stream", [False, True])
async def test_a_method_outside_the_contract_is_refused_with_a_reason(is_stream: bool) -> None:  # X1
    async with tools() as channel:
        call = raw_call(channel, f"{TOOLS}/Nonsense", is_stream=is_stream)

        assert await call.code() is grpc.StatusCode.UNIMPLEMENTED
        assert error_info(await rich_status(call)).reason == "NOT_IMPLEMENTED"


async def test_whether_a_method_is_there_is_told_only_to_those_who_may_come_in() -> None:  # V1
    async with tools(guard=Guard(raises(Unauthenticated()))) as channel:
        call = raw_call(channel, f"{TOOLS}/Nonsense")

        assert await call.code() is grpc.StatusCode.UNAUTHENTICATED


async def test_a_request_that_is_too_large_is_refused_with_a_reason() -> None:  # X6
    async with tools(guard=Guard(max_request_bytes=1_000)) as channel:
        call = rpc.SessionToolsServiceStub(channel).SessionsList(pb.SessionsListRequest(label="x" * 1_000))

        status = await rich_status(call)
        assert error_info(status).reason == "REQUEST_TOO_LARGE"
        assert error_info(status).metadata["config_key"] == "server.maxRequestBytes"
        assert details(status, error_details_pb2.QuotaFailure)


async def test_a_handler_that_aborts_by_itself_keeps_its_status(caplog: pytest.LogCaptureFixture) -> None:
    async def aborts(request: object, context: Any) -> None:
        await context.abort(grpc.StatusCode.DATA_LOSS, "as said")

    async with tools(aborts) as channel:
        call = await list_sessions(channel)
        assert (await call.code(), await call.details()) == (grpc.StatusCode.DATA_LOSS, "as said")
        await until_logged(caplog, lambda each: each.name == "sessiond.calls")  # it comes after the handler's own abort

    assert [each.__dict__["code"] for each in lines(caplog)] == ["DATA_LOSS"]


async def test_a_caller_that_leaves_ends_the_handler_at_once(caplog: pytest.LogCaptureFixture) -> None:
    cleaned_up = asyncio.Event()

    async def waits(request: object, context: object) -> AsyncIterator[Any]:
        try:
            yield pb.WaitRunResponse(sequence=1)
            await asyncio.Event().wait()
        finally:
            cleaned_up.set()

    async with tools(stream=waits) as channel:
        call = await wait_run(channel)
        call.cancel()
        await cleaned_up.wait()

    (line,) = lines(caplog)
    assert (line.levelname, line.__dict__["code"]) == ("INFO", "CANCELLED")


async def test_what_is_written_to_a_caller_that_has_left_is_no_fault(caplog: pytest.LogCaptureFixture) -> None:  # X1
    not_sent = grpc.aio.InternalError("not sent")  # as when a write fails before grpc hears that the caller is gone
    async with tools(stream=yields_then_raises(not_sent)) as channel:
        call = await wait_run(channel)
        await until_logged(caplog, lambda each: each.name == "sessiond.calls")
        call.cancel()

    (line,) = lines(caplog)
    assert (line.levelname, line.__dict__["code"]) == ("INFO", "CANCELLED")
    assert [each.getMessage() for each in caplog.records if each.levelno >= logging.ERROR] == []


async def test_each_call_leaves_one_line_with_its_fields(caplog: pytest.LogCaptureFixture) -> None:
    async def known(request: object, context: object) -> pb.SessionsListResponse:
        current_call().caller = Caller(CallerRole.GATEWAY, "telegram")
        return pb.SessionsListResponse()

    async with tools(known) as channel:
        await list_sessions(channel)
        [_ async for _ in rpc.SessionToolsServiceStub(channel).WaitRun(pb.WaitRunRequest())]

    shown = [
        {name: each.__dict__[name] for name in ("method", "caller", "role", "code")} | {"level": each.levelname}
        for each in lines(caplog)
    ]
    assert shown == [
        {"method": f"{TOOLS}/SessionsList", "caller": "telegram", "role": "gateway", "code": "OK", "level": "INFO"},
        {"method": f"{TOOLS}/WaitRun", "caller": "", "role": "", "code": "OK", "level": "INFO"},
    ]
    assert all(isinstance(each.__dict__["ms"], float) for each in lines(caplog))


async def test_a_refused_call_is_logged_with_its_reason_and_no_traceback(caplog: pytest.LogCaptureFixture) -> None:
    async with tools(raises(SessionNotFound())) as channel:
        await list_sessions(channel)

    (line,) = lines(caplog)
    assert (line.levelname, line.__dict__["code"], line.__dict__["reason"], line.exc_info) == (
        "INFO",
        "NOT_FOUND",
        "SESSION_NOT_FOUND",
        None,
    )


async def test_health_calls_are_logged_for_debugging_only(caplog: pytest.LogCaptureFixture) -> None:
    async with serving(lambda server: add_health(server, Health([]))) as channel:
        await raw_call(channel, "grpc.health.v1.Health/Check")

    assert [each.levelname for each in lines(caplog)] == ["DEBUG"]


async def test_a_method_is_wrapped_once() -> None:
    class Counting(Guard):
        looked_up = 0

        async def intercept_service(self, continuation: Any, handler_call_details: Any) -> Any:
            async def counted(asked: Any) -> Any:
                self.looked_up += 1
                return await continuation(asked)

            return await super().intercept_service(counted, handler_call_details)

    guard = Counting()
    async with tools(guard=guard) as channel:
        for _ in range(3):
            await list_sessions(channel)

    assert guard.looked_up == 1


async def test_each_call_sees_its_own_caller() -> None:
    together = asyncio.Barrier(2)
    seen: dict[str, str] = {}

    async def admit(method: str, context: Any) -> None:
        name = str(dict(context.invocation_metadata())["who"])
        current_call().caller = Caller(CallerRole.OWNER, name)

    async def who(request: object, context: Any) -> pb.SessionsListResponse:
        await together.wait()
        seen[str(dict(context.invocation_metadata())["who"])] = the_caller().name
        return pb.SessionsListResponse()

    async with tools(who, guard=Guard(admit)) as channel:
        await asyncio.gather(*(list_sessions(channel, ("who", name)) for name in ("ann", "ben")))

    assert seen == {"ann": "ann", "ben": "ben"}


@pytest.mark.parametrize("refusal", [Unauthenticated(), RoleDenied("runtime", "SessionsSend")])
async def test_who_is_not_admitted_reaches_no_method_but_health(refusal: Refusal) -> None:  # V1
    reached: list[object] = []

    async def note(request: object, context: object) -> pb.SessionsListResponse:
        reached.append(request)
        return pb.SessionsListResponse()

    async with tools(note, guard=Guard(raises(refusal))) as channel:
        listed = await list_sessions(channel)
        missing = raw_call(channel, f"{TOOLS}/SessionsSend")

        assert error_info(await rich_status(listed)).reason == refusal.reason
        assert error_info(await rich_status(missing)).reason == refusal.reason
    async with serving(lambda server: add_health(server, Health([])), guard=Guard(raises(refusal))) as channel:
        await raw_call(channel, "grpc.health.v1.Health/Check")
    assert reached == []


async def no_keys() -> list[SigningKey]:
    """Nothing was ever signed."""
    return []


NO_KEYS = RunTokens(no_keys, life_s=60)
UNLIMITED = RateLimit(0, 1, lambda: 0.0)


async def no_run(token: RunToken) -> None:
    """No run is under way, so no run token opens anything."""


@pytest.mark.parametrize(
    ("token", "code"),
    [
        ("", grpc.StatusCode.UNAUTHENTICATED),
        ("wrong", grpc.StatusCode.UNAUTHENTICATED),
        ("of the runtime", grpc.StatusCode.PERMISSION_DENIED),
        ("of the owner", grpc.StatusCode.OK),
    ],
)
async def test_the_credential_decides_who_comes_in(token: str, code: grpc.StatusCode) -> None:  # V1, V6
    known = [
        Token("boss", CallerRole.OWNER, hash_of("of the owner")),
        Token("worker", CallerRole.RUNTIME, hash_of("of the runtime")),
    ]
    async with tools(
        guard=Guard(admission(Door(monotonic), Credentials(known, NO_KEYS), no_run, UNLIMITED, 16_384))
    ) as channel:
        call = await list_sessions(channel, ("authorization", f"Bearer {token}"))

        assert await call.code() is code


async def test_a_call_refused_for_its_role_is_logged_with_its_caller(caplog: pytest.LogCaptureFixture) -> None:  # V6
    known = [Token("worker", CallerRole.RUNTIME, hash_of("secret"))]
    async with tools(
        guard=Guard(admission(Door(monotonic), Credentials(known, NO_KEYS), no_run, UNLIMITED, 16_384))
    ) as channel:
        await list_sessions(channel, ("authorization", "Bearer secret"))

    (line,) = lines(caplog)
    assert (line.__dict__["caller"], line.__dict__["role"], line.__dict__["reason"]) == (
        "worker",
        "runtime",
        "ROLE_DENIED",
    )


async def test_a_handler_on_a_server_that_admits_nobody_is_a_fault() -> None:
    async def who(request: object, context: Any) -> pb.SessionsListResponse:
        the_caller()
        return pb.SessionsListResponse()

    async with tools(who) as channel:
        status = await rich_status(await list_sessions(channel))

    assert error_info(status).reason == "INTERNAL"
