"""SessionsSend over the wire: statuses in the body, refusals as rich errors, and nothing lost when somebody leaves."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.rpc import error_details_pb2

from sessiond.model.errors import StoreUnavailable
from sessiond.store.sqlite import SqliteDatabase
from sessiontools.v1 import gateway_service_pb2 as gateway
from sessiontools.v1 import run_pb2
from sessiontools.v1 import runtime_service_pb2 as runtime
from sessiontools.v1 import session_tools_service_pb2 as pb
from tests.rpc.serving import details, error_info, rich_status
from tests.serving import EXTERNAL, Served, acting, bearer, served


async def refused(call: Any) -> tuple[grpc.StatusCode, str]:
    """The status and reason that a call ends with."""
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await call
    return error.value.code(), error_info(await rich_status(call)).reason


async def take(server: Served) -> runtime.RunAssignment:
    answer = await server.runtime.AcquireRuns(runtime.AcquireRunsRequest(runtime_id="rt", wait_seconds=30))
    (only,) = answer.runs
    return only


async def test_a_reply_in_time_is_ok(tmp_path: Path) -> None:  # S4
    async with served(tmp_path) as server:
        answer = await server.tools.SessionsSend(pb.SessionsSendRequest(session_key="main", message="hello"))

        assert answer.status == pb.SEND_STATUS_OK
        assert (answer.reply, answer.error, answer.session_key) == ("echo: hello", "", "main")
        assert answer.run.state == run_pb2.RUN_STATE_SUCCEEDED
        assert answer.run_id == answer.run.id
        assert answer.message_id.startswith(answer.session_id)
        assert answer.no_route_reason == "NO_ROUTE"


async def test_an_empty_reply_is_a_reply(tmp_path: Path) -> None:  # S4
    async with served(tmp_path) as server:
        request = pb.SessionsSendRequest(session_key="main", message="#!\nreply")
        answer = await server.tools.SessionsSend(request)

        assert answer.status == pb.SEND_STATUS_OK
        assert answer.HasField("reply")
        assert answer.reply == ""


async def test_a_failed_run_is_an_error_in_the_body(tmp_path: Path) -> None:  # S4
    async with served(tmp_path) as server:
        request = pb.SessionsSendRequest(session_key="main", message="#!\nfail BROKEN it broke")
        answer = await server.tools.SessionsSend(request)

        assert answer.status == pb.SEND_STATUS_ERROR
        assert not answer.HasField("reply")
        assert "broke" in answer.error
        assert answer.run.state == run_pb2.RUN_STATE_FAILED


async def test_a_wait_that_expires_says_that_the_run_goes_on(tmp_path: Path) -> None:  # S4, S8
    async with served(tmp_path, EXTERNAL) as server:
        call = server.tools.SessionsSend(pb.SessionsSendRequest(session_key="main", message="hello"), timeout=0.5)
        answer = await call

        assert answer.status == pb.SEND_STATUS_TIMEOUT
        assert answer.run_id in answer.error
        assert "stored" in answer.error
        lease = await take(server)
        await server.runtime.CompleteRun(runtime.CompleteRunRequest(lease_token=lease.lease_token, reply="late"))
        waited = [
            each async for each in server.tools.WaitRun(pb.WaitRunRequest(run_id=answer.run_id, cursor=answer.cursor))
        ]
        assert waited[-1].ended.run.reply == "late"
        assert [each.sequence for each in waited[1:-1]] == [2, 3, 4]


async def test_a_client_that_leaves_changes_nothing(tmp_path: Path) -> None:  # S8
    async with served(tmp_path, EXTERNAL) as server:
        quietly = pb.ANNOUNCE_POLICY_NEVER
        call = server.tools.SessionsSend(pb.SessionsSendRequest(session_key="main", message="hello", announce=quietly))
        asking = asyncio.ensure_future(call)
        lease = await take(server)
        call.cancel()
        await asyncio.wait([asking])

        done = await server.runtime.CompleteRun(
            runtime.CompleteRunRequest(lease_token=lease.lease_token, reply="for nobody")
        )

        assert done.run.state == run_pb2.RUN_STATE_SUCCEEDED
        history = await server.tools.SessionsHistory(pb.SessionsHistoryRequest(session_key="main"))
        assert [each.content[0].text.text for each in history.messages] == ["hello", "for nobody"]


async def test_without_a_wait_it_is_accepted_with_its_place(tmp_path: Path) -> None:  # S3, R2
    async with served(tmp_path, EXTERNAL) as server:
        request = pb.SessionsSendRequest(session_key="main", message="hello", timeout_seconds=0)
        first, second = [await server.tools.SessionsSend(request) for _ in range(2)]

        assert (first.status, second.status) == (pb.SEND_STATUS_ACCEPTED, pb.SEND_STATUS_ACCEPTED)
        assert (first.queue_position, second.queue_position) == (0, 1)
        assert second.blocking_run_id == first.run_id
        assert second.run.queue_position == 1


@pytest.mark.parametrize(
    ("request_", "field", "reason"),
    [
        (pb.SessionsSendRequest(session_key="main"), "message", "INVALID_FIELD"),
        (pb.SessionsSendRequest(session_key="main", message=" "), "message", "INVALID_FIELD"),
        (pb.SessionsSendRequest(session_key="main", label="x", message="m"), "label", "INVALID_FIELD"),
        (pb.SessionsSendRequest(message="m"), "session_key", "INVALID_FIELD"),
        (
            pb.SessionsSendRequest(session_key="main", message="m", timeout_seconds=2**32 - 1),
            "timeout_seconds",
            "INVALID_FIELD",
        ),
        (pb.SessionsSendRequest(session_key="main", message="m", announce=77), "announce", "INVALID_FIELD"),  # type: ignore[arg-type]
        (pb.SessionsSendRequest(session_key="main", message="x" * 2 * 1024 * 1024), "message", "MESSAGE_TOO_LARGE"),
    ],
)
async def test_bad_input_names_the_field_and_stores_nothing(
    tmp_path: Path, request_: pb.SessionsSendRequest, field: str, reason: str
) -> None:  # X1
    async with served(tmp_path) as server:
        call = server.tools.SessionsSend(request_)

        assert await refused(call) == (grpc.StatusCode.INVALID_ARGUMENT, reason)
        (bad,) = details(await rich_status(call), error_details_pb2.BadRequest)
        assert [each.field for each in bad.field_violations] == [field]
        assert not (await server.tools.SessionsList(pb.SessionsListRequest())).sessions


async def test_two_sessions_that_wait_for_each_other_are_refused_and_none_hangs(tmp_path: Path) -> None:  # S5
    async with served(tmp_path, EXTERNAL) as server:
        for key in ("a", "b"):
            await server.gateway.SessionsPatch(gateway.SessionsPatchRequest(session_key=key, allow_missing=True))
        await server.tools.SessionsSend(pb.SessionsSendRequest(session_key="a", message="1", timeout_seconds=0))
        at_a = await take(server)
        to_b = pb.SessionsSendRequest(session_key="b", message="2", max_ping_pong_turns=0)
        waiting = asyncio.ensure_future(server.tools.SessionsSend(to_b, metadata=bearer(at_a.run_token)))
        at_b = await take(server)

        call = server.tools.SessionsSend(
            pb.SessionsSendRequest(session_key="a", message="3"), metadata=bearer(at_b.run_token)
        )

        assert await refused(call) == (grpc.StatusCode.FAILED_PRECONDITION, "WAIT_CYCLE")
        assert error_info(await rich_status(call)).metadata["path"].startswith("agent:main:b -> agent:main:a")
        await server.runtime.CompleteRun(runtime.CompleteRunRequest(lease_token=at_b.lease_token, reply="done"))
        assert (await waiting).reply == "done"


async def test_a_request_id_joins_and_is_refused_for_another_request(tmp_path: Path) -> None:  # R8
    async with served(tmp_path) as server:
        request = pb.SessionsSendRequest(session_key="main", message="hello", request_id="r1")
        answers = await asyncio.gather(*(server.tools.SessionsSend(request) for _ in range(5)))

        assert len({(each.run_id, each.reply, each.message_id) for each in answers}) == 1
        request.message = "other"
        code = (grpc.StatusCode.ALREADY_EXISTS, "REQUEST_ID_REUSED")
        assert await refused(server.tools.SessionsSend(request)) == code


async def test_a_trace_that_comes_in_is_told_in_the_run(tmp_path: Path) -> None:  # R9
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    async with served(tmp_path) as server:
        answer = await server.tools.SessionsSend(
            pb.SessionsSendRequest(session_key="main", message="hello"),
            metadata=(("traceparent", f"00-{trace}-00f067aa0ba902b7-01"),),
        )

        assert answer.run.trace_id == trace


async def test_an_exhausted_trace_is_told_as_a_quota(tmp_path: Path) -> None:  # R9
    trace = (("traceparent", f"00-{'a' * 32}-{'b' * 16}-01"),)
    config = {"session": {"agentToAgent": {"maxRunsPerTrace": 1}}}
    request = pb.SessionsSendRequest(session_key="main", message="hello", timeout_seconds=0)
    async with served(tmp_path, config) as server:
        await server.tools.SessionsSend(request, metadata=trace)
        call = server.tools.SessionsSend(request, metadata=trace)

        assert await refused(call) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "TRACE_BUDGET")
        (quota,) = details(await rich_status(call), error_details_pb2.QuotaFailure)
        assert quota.violations[0].subject == "trace"


async def test_a_script_calls_tools_with_the_runs_own_authority(tmp_path: Path) -> None:  # V1, property 5
    config = {"agents": {"defaults": {"maxConcurrent": 1}}}
    script = '#!\ncall sessions_send {"session_key": "b", "message": "inner", "timeout_seconds": 30}\nreply done'
    async with served(tmp_path, config) as server:
        await server.gateway.SessionsPatch(gateway.SessionsPatchRequest(session_key="b", allow_missing=True))
        answer = await server.tools.SessionsSend(pb.SessionsSendRequest(session_key="main", message=script))

        assert answer.reply == "done"
        request = pb.SessionsHistoryRequest(session_key="main", include_tools=True)
        history = await server.tools.SessionsHistory(request)
        results = [
            block.tool_result for each in history.messages for block in each.content if block.HasField("tool_result")
        ]
        assert "echo: inner" in results[0].text
        inner = await server.tools.SessionsHistory(pb.SessionsHistoryRequest(session_key="b"), metadata=acting("main"))
        assert inner.messages[0].provenance.source_run_id == answer.run_id


async def test_a_store_that_is_away_is_unavailable_with_a_time_to_retry(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # X3
    async def away(self: object, *work: object) -> object:
        raise StoreUnavailable

    request = pb.SessionsSendRequest(session_key="main", message="hello", request_id="r1")
    async with served(tmp_path) as server:
        with monkeypatch.context() as outage:
            for way in ("write", "write_together", "read"):
                outage.setattr(SqliteDatabase, way, away)
            for call in (
                server.tools.SessionsSend(request),
                server.tools.GetRun(pb.GetRunRequest(run_id="x")),
                server.gateway.ChatSend(gateway.ChatSendRequest(session_key="main", text="x")),
                server.runtime.AcquireRuns(runtime.AcquireRunsRequest(runtime_id="rt")),
            ):
                assert await refused(call) == (grpc.StatusCode.UNAVAILABLE, "STORE_UNAVAILABLE")
                (retry,) = details(await rich_status(call), error_details_pb2.RetryInfo)
                assert retry.retry_delay.ToMilliseconds() > 0

        assert (await server.tools.SessionsSend(request)).reply == "echo: hello"
