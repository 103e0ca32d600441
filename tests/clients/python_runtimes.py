"""A fake of RuntimeService that hands out runs and notes how they end, and a runtime that it serves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from sessiontools.assignment import Execute
from sessiontools.pauses import Clock
from sessiontools.v1 import runtime_service_pb2 as pb
from sessiontools.v1.message_pb2 import ContentBlock, Message, TextBlock
from sessiontools.v1.run_pb2 import Run
from tests.clients.python_serving import PATIENCE_S, LongPolls, Refusal, connected

AGENT = "agent-of-the-run"


def a_run(number: int = 1, lease_seconds: int = 30) -> pb.RunAssignment:
    """A run to execute."""
    hello = Message(content=[ContentBlock(text=TextBlock(text="hello"))])
    return pb.RunAssignment(
        run=Run(id=f"run-{number}"),
        lease_token=f"lease-{number}",
        lease_seconds=lease_seconds,
        run_token=AGENT,
        input=hello,
    )


class FakeRuntimes:
    """Hands out runs, and answers as a test has set it up."""

    def __init__(self, *runs: pb.RunAssignment, refusals: tuple[Refusal, ...] = ()) -> None:
        self.runs = LongPolls(*runs)
        self.refusals = [*refusals]  # of all calls but heartbeats, before they answer
        self.lease = pb.LeaseStatus()
        self.heartbeat_refusal: Refusal | None = None
        self.cancels_at_append = False
        self.polls: asyncio.Queue[pb.AcquireRunsRequest] = asyncio.Queue()
        self.heartbeats: asyncio.Queue[list[str]] = asyncio.Queue()
        self.appended: list[str] = []
        self.ends: asyncio.Queue[str] = asyncio.Queue()

    async def three_heartbeats(self) -> list[str]:
        """Wait for three more; the leases of the last."""
        while not self.heartbeats.empty():
            self.heartbeats.get_nowait()
        return [await self.heartbeats.get() for _ in range(3)][-1]

    async def _refuse(self, context: Any) -> None:
        if self.refusals:
            await self.refusals.pop(0).abort(context)

    async def AcquireRuns(self, request: pb.AcquireRunsRequest, context: Any) -> pb.AcquireRunsResponse:  # noqa: N802
        self.polls.put_nowait(request)
        await self._refuse(context)
        return pb.AcquireRunsResponse(runs=await self.runs.poll())

    async def HeartbeatRuns(self, request: pb.HeartbeatRunsRequest, context: Any) -> pb.HeartbeatRunsResponse:  # noqa: N802
        self.heartbeats.put_nowait([*request.leases])
        if self.heartbeat_refusal:
            await self.heartbeat_refusal.abort(context)
        answer = pb.HeartbeatRunsResponse(leases=[self.lease] * len(request.leases))
        for status, token in zip(answer.leases, request.leases, strict=True):
            status.lease_token = token
        return answer

    async def AppendRunEvents(self, request: pb.AppendRunEventsRequest, context: Any) -> pb.AppendRunEventsResponse:  # noqa: N802
        await self._refuse(context)
        for number, event in enumerate(request.events, request.first_sequence):
            self.appended.append(f"{number} {event.delta}")
        return pb.AppendRunEventsResponse(next_sequence=len(self.appended) + 1, cancel_requested=self.cancels_at_append)

    async def CompleteRun(self, request: pb.CompleteRunRequest, context: Any) -> pb.CompleteRunResponse:  # noqa: N802
        await self._refuse(context)
        match request.WhichOneof("outcome"):
            case "reply":
                self.ends.put_nowait(f"reply {request.reply}")
            case "failure":
                told = f"{request.failure.reason} {request.failure.message} {request.failure.retryable}"
                self.ends.put_nowait(f"failure {told}")
            case other:
                self.ends.put_nowait(str(other))
        return pb.CompleteRunResponse()

    async def ReleaseRun(self, request: pb.ReleaseRunRequest, context: Any) -> pb.ReleaseRunResponse:  # noqa: N802
        await self._refuse(context)
        self.ends.put_nowait(f"released {request.lease_token} {request.reason}")
        return pb.ReleaseRunResponse()


class Serving:
    """A runtime at work."""

    def __init__(self, fake: FakeRuntimes, task: asyncio.Task[Any]) -> None:
        self.fake, self.task = fake, task

    async def next_end(self) -> str:
        """How the next run ends."""
        return await self.fake.ends.get()

    async def end(self) -> None:
        """Cancel it as its caller would, and wait until it has ended."""
        self.task.cancel()
        self.fake.runs.end()
        await asyncio.wait([self.task])
        assert self.task.cancelled(), self.task


@asynccontextmanager
async def serving(
    fake: FakeRuntimes, execute: Execute, clock: Clock | None = None, **options: Any
) -> AsyncIterator[Serving]:
    """A runtime of this fake, whose pauses take no time."""
    async with connected(fake, clock) as client:
        task = asyncio.create_task(client.serve_runs(execute, runtime_id="test", **options))
        try:
            yield Serving(fake, task)
        finally:
            fake.runs.end()
            task.cancel()
            await asyncio.wait([task], timeout=PATIENCE_S)
