"""A runtime as small as can be, in a process of its own: `python small_runtime.py HOST:PORT FILE`.

It notes each run in FILE before it executes it, and says `ready` once it asks for runs. Whatever the server misses,
because it is away, is said again; the lease decides whether it still counts.
"""

from __future__ import annotations

import asyncio
import os
import sys
from functools import partial
from pathlib import Path
from typing import Any

import grpc

sys.path.insert(0, str(Path(__file__).parents[2]))

from sessiontools.v1 import message_pb2, run_pb2, runtime_service_pb2_grpc
from sessiontools.v1 import runtime_service_pb2 as pb
from tests.system.client import until_answered
from tests.system.server_process import CLIENT_OPTIONS

AT_ONCE = 8
WORK_S = 0.02


class SmallRuntime:
    """Executes the runs of external agents, several at a time."""

    def __init__(self, channel: grpc.aio.Channel, journal: int) -> None:
        self._stub = runtime_service_pb2_grpc.RuntimeServiceStub(channel)
        self._journal = journal
        self._leases: set[str] = set()

    async def run(self) -> None:
        """Take runs for ever, and renew what is taken."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._heartbeat())
            while True:
                request = pb.AcquireRunsRequest(runtime_id=f"small-{os.getpid()}", max_runs=AT_ONCE, wait_seconds=2)
                answer = await until_answered(partial(self._stub.AcquireRuns, request, wait_for_ready=True))
                for assignment in answer.runs if answer else []:
                    tasks.create_task(self._execute(assignment))

    async def _heartbeat(self) -> None:
        while True:
            request = pb.HeartbeatRunsRequest(leases=sorted(self._leases))
            answer = await until_answered(partial(self._stub.HeartbeatRuns, request, wait_for_ready=True))
            await asyncio.sleep(0.2 if answer else 0)

    async def _execute(self, assignment: pb.RunAssignment) -> None:
        os.write(self._journal, f"{assignment.run.id}\n".encode())
        self._leases.add(assignment.lease_token)
        try:
            await self._append(assignment.lease_token, 1, pb.RunEvent(delta="far "), pb.RunEvent(delta="away"))
            await asyncio.sleep(WORK_S)
            await self._append(assignment.lease_token, 3, pb.RunEvent(message=_note()))
            request = pb.CompleteRunRequest(lease_token=assignment.lease_token, reply=_reply(assignment))
            await until_answered(partial(self._stub.CompleteRun, request, wait_for_ready=True))
        except grpc.aio.AioRpcError as problem:
            if problem.code() is not grpc.StatusCode.FAILED_PRECONDITION:
                raise
            sys.stderr.write("a lease was lost\n")  # whoever took it away has said how the run ended
        finally:
            self._leases.discard(assignment.lease_token)

    async def _append(self, lease: str, first: int, *events: pb.RunEvent) -> None:
        request = pb.AppendRunEventsRequest(lease_token=lease, first_sequence=first, events=events)
        await until_answered(partial(self._stub.AppendRunEvents, request, wait_for_ready=True))


def _reply(assignment: pb.RunAssignment) -> str:
    if assignment.run.kind in (run_pb2.RUN_KIND_CHAT, run_pb2.RUN_KIND_SEND):
        return f"far: {assignment.input.content[0].text.text}"
    return assignment.context.skip_token


def _note() -> message_pb2.Message:
    result: Any = message_pb2.ToolResultBlock(tool_call_id="1", name="look", text="nothing new")
    return message_pb2.Message(
        role=message_pb2.ROLE_TOOL_RESULT, content=[message_pb2.ContentBlock(tool_result=result)]
    )


async def main(address: str, journal: str) -> None:
    """Serve until killed."""
    async with grpc.aio.insecure_channel(address, CLIENT_OPTIONS) as channel:
        runtime = SmallRuntime(channel, os.open(journal, os.O_WRONLY | os.O_CREAT | os.O_APPEND))
        print("ready", flush=True)
        await runtime.run()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
