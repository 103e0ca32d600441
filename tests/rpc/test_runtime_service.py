"""RuntimeService over the wire: a runtime in a few calls, and what it is told when something is not its own."""

from __future__ import annotations

from pathlib import Path

import grpc
import pytest

from sessiontools.v1 import gateway_service_pb2 as gateway
from sessiontools.v1 import message_pb2, run_pb2
from sessiontools.v1 import runtime_service_pb2 as pb
from sessiontools.v1 import session_tools_service_pb2 as tools
from tests.rpc.serving import error_info, rich_status
from tests.rpc.test_send import refused, take
from tests.serving import EXTERNAL, Served, acting, served

NOT_YOURS = (grpc.StatusCode.FAILED_PRECONDITION, "LEASE_LOST")
INVALID = grpc.StatusCode.INVALID_ARGUMENT


async def queue(server: Served, message: str = "hello", key: str = "main") -> str:
    request = tools.SessionsSendRequest(session_key=key, message=message, timeout_seconds=0, max_ping_pong_turns=0)
    return (await server.tools.SessionsSend(request)).run_id


def assistant(text: str) -> pb.RunEvent:
    block = message_pb2.ContentBlock(text=message_pb2.TextBlock(text=text))
    return pb.RunEvent(message=message_pb2.Message(role=message_pb2.ROLE_ASSISTANT, content=[block]))


async def test_a_runtime_leases_appends_and_completes(tmp_path: Path) -> None:
    async with served(tmp_path, EXTERNAL) as server:
        run_id = await queue(server, "question")
        lease = await take(server)

        assert (lease.run.id, lease.run.state) == (run_id, run_pb2.RUN_STATE_RUNNING)
        assert (lease.input.content[0].text.text, lease.session.key, lease.lease_seconds) == ("question", "main", 30)
        assert lease.lease_expires.ToMilliseconds() > lease.run.start_time.ToMilliseconds()
        assert lease.traceparent.split("-")[1] == lease.run.trace_id
        events = [pb.RunEvent(delta="a"), assistant("thinking"), pb.RunEvent(usage=message_pb2.Usage(input_tokens=3))]
        append = pb.AppendRunEventsRequest(lease_token=lease.lease_token, first_sequence=1, events=events)
        for _ in range(2):
            assert (await server.runtime.AppendRunEvents(append)).next_sequence == 4
        done = await server.runtime.CompleteRun(
            pb.CompleteRunRequest(
                lease_token=lease.lease_token, reply="answer", usage=message_pb2.Usage(total_tokens=9)
            )
        )

        assert (done.run.state, done.run.reply) == (run_pb2.RUN_STATE_SUCCEEDED, "answer")
        assert done.run.usage.total_tokens == 9
        again = await server.runtime.CompleteRun(pb.CompleteRunRequest(lease_token=lease.lease_token, reply="other"))
        assert again == done


async def test_heartbeats_tell_of_cancels_and_losses(tmp_path: Path) -> None:  # R3, R6
    async with served(tmp_path, EXTERNAL) as server:
        for key in ("a", "b"):
            await server.gateway.SessionsPatch(gateway.SessionsPatchRequest(session_key=key, allow_missing=True))
            await queue(server, key=key)
        going, stopping = await take(server), await take(server)
        cancelled = await server.tools.CancelRun(tools.CancelRunRequest(run_id=stopping.run.id, reason="enough"))
        assert [each.state for each in cancelled.runs] == [run_pb2.RUN_STATE_CANCELLING]

        beat = await server.runtime.HeartbeatRuns(
            pb.HeartbeatRunsRequest(leases=[stopping.lease_token, going.lease_token, "nonsense"])
        )

        assert [each.cancel_requested for each in beat.leases] == [True, False, False]
        assert [each.lost for each in beat.leases] == [False, False, True]
        assert [each.HasField("lease_expires") for each in beat.leases] == [True, True, False]
        assert beat.leases[0].cancel_reason == "enough"
        done = await server.runtime.CompleteRun(
            pb.CompleteRunRequest(lease_token=stopping.lease_token, cancelled=pb.Cancelled())
        )
        assert (done.run.state, done.run.end_reason) == (run_pb2.RUN_STATE_CANCELLED, "enough")


async def test_a_lease_that_was_given_back_is_lost(tmp_path: Path) -> None:  # R3
    async with served(tmp_path, EXTERNAL) as server:
        await queue(server)
        lease = await take(server)
        token = lease.lease_token
        released = await server.runtime.ReleaseRun(pb.ReleaseRunRequest(lease_token=token, reason="leaving"))
        assert (released.run.state, released.run.attempt) == (run_pb2.RUN_STATE_QUEUED, 0)

        assert (
            await refused(server.runtime.CompleteRun(pb.CompleteRunRequest(lease_token=token, reply="x"))) == NOT_YOURS
        )
        assert await refused(server.runtime.AppendRunEvents(pb.AppendRunEventsRequest(lease_token=token))) == NOT_YOURS
        assert await refused(server.runtime.ReleaseRun(pb.ReleaseRunRequest(lease_token=token))) == NOT_YOURS
        assert (await take(server)).run.id == lease.run.id


@pytest.mark.parametrize(
    ("events", "first", "reason"),
    [
        ([pb.RunEvent(delta="x")], 2, "EVENT_GAP"),
        ([pb.RunEvent(delta="x")], 0, "INVALID_FIELD"),
        ([pb.RunEvent()], 1, "INVALID_FIELD"),
        ([pb.RunEvent(message=message_pb2.Message(role=message_pb2.ROLE_USER))], 1, "INVALID_FIELD"),
        ([pb.RunEvent(message=message_pb2.Message())], 1, "INVALID_FIELD"),
    ],
)
async def test_events_that_make_no_sense_are_refused(
    tmp_path: Path, events: list[pb.RunEvent], first: int, reason: str
) -> None:  # X1
    async with served(tmp_path, EXTERNAL) as server:
        await queue(server)
        lease = await take(server)
        append = pb.AppendRunEventsRequest(lease_token=lease.lease_token, first_sequence=first, events=events)

        assert await refused(server.runtime.AppendRunEvents(append)) == (INVALID, reason)
        empty = pb.AppendRunEventsRequest(lease_token=lease.lease_token)
        assert (await server.runtime.AppendRunEvents(empty)).next_sequence == 1


async def test_an_outcome_is_required(tmp_path: Path) -> None:  # X1
    async with served(tmp_path, EXTERNAL) as server:
        await queue(server)
        lease = await take(server)

        call = server.runtime.CompleteRun(pb.CompleteRunRequest(lease_token=lease.lease_token))

        assert await refused(call) == (INVALID, "INVALID_FIELD")
        assert "outcome" in (await rich_status(call)).message
        assert error_info(await rich_status(call)).domain == "sessiontools"


async def test_a_send_tells_its_runtime_who_asks_apart_from_the_message(tmp_path: Path) -> None:  # S7
    async with served(tmp_path, EXTERNAL) as server:
        await server.gateway.SessionsPatch(gateway.SessionsPatchRequest(session_key="b", allow_missing=True))
        request = tools.SessionsSendRequest(session_key="b", message="the request", timeout_seconds=0)
        await server.tools.SessionsSend(request, metadata=acting("main"))

        lease = await take(server)

        assert lease.input.content[0].text.text == "the request"
        assert lease.input.provenance.kind == message_pb2.PROVENANCE_KIND_INTER_SESSION
        assert lease.context.requester_session_key == "agent:main:main"
        assert lease.context.target_session_key == "agent:main:b"
        assert (lease.context.original_request, lease.context.skip_token) == ("the request", "REPLY_SKIP")


async def test_many_large_inputs_come_in_several_answers(tmp_path: Path) -> None:  # X6
    keys = [f"k{number}" for number in range(6)]
    async with served(tmp_path, EXTERNAL) as server:
        for key in keys:
            await server.gateway.SessionsPatch(gateway.SessionsPatchRequest(session_key=key, allow_missing=True))
            await queue(server, "x" * 1_000_000, key)

        taken: list[str] = []
        while len(taken) < len(keys):
            answer = await server.runtime.AcquireRuns(pb.AcquireRunsRequest(runtime_id="rt", max_runs=10))
            assert answer.runs
            taken += [each.session.key for each in answer.runs]

        assert sorted(taken) == [f"agent:main:{key}" for key in keys]
