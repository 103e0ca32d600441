"""What a careful client does: call again what was cut, and resume a wait by its cursor."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import grpc
from google.rpc import error_details_pb2
from grpc import StatusCode
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_status import rpc_status

from sessiontools.v1 import gateway_service_pb2 as gateway_pb
from sessiontools.v1 import gateway_service_pb2_grpc, run_pb2, session_tools_service_pb2_grpc
from sessiontools.v1 import session_tools_service_pb2 as pb

Answer = TypeVar("Answer")
NOT_TOLD = frozenset({"snapshot", "heartbeat", "ended"})  # not events of the run


@dataclass
class Followed:
    """What a wait told, over all the connections it took."""

    events: list[pb.WaitRunResponse] = field(default_factory=list)
    ended: run_pb2.WaitEnded = field(default_factory=run_pb2.WaitEnded)
    cursor: str = ""
    streams: int = 0


class Client:
    """What gateways and owners use, on one connection."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self.tools = session_tools_service_pb2_grpc.SessionToolsServiceStub(channel)
        self.gateway = gateway_service_pb2_grpc.GatewayServiceStub(channel)
        self._health: Any = health_pb2_grpc.HealthStub(channel)  # its types lack Watch

    async def make_sessions(self, *keys: str) -> None:
        """Make these sessions, with no message yet."""
        for key in keys:
            await self.gateway.SessionsPatch(gateway_pb.SessionsPatchRequest(session_key=key, allow_missing=True))

    async def send(self, key: str, message: str, *, acting: str = "", **fields: Any) -> pb.SessionsSendResponse:
        """SessionsSend; without a wait, reply turns and an announcement unless told."""
        quiet = {"timeout_seconds": 0, "announce": pb.ANNOUNCE_POLICY_NEVER, "max_ping_pong_turns": 0}
        request = pb.SessionsSendRequest(session_key=key, message=message, **{**quiet, **fields})
        metadata = (("acting-session", acting),) if acting else ()
        return await self.tools.SessionsSend(request, metadata=metadata, wait_for_ready=True)

    async def run(self, run_id: str, wait_s: int = 0, known_version: int = 0) -> Any:
        """The run as it is now, or once it is another than the known version."""
        request = pb.GetRunRequest(run_id=run_id, wait_seconds=wait_s, known_version=known_version)
        return (await self.tools.GetRun(request)).run

    async def is_running(self, run_id: str) -> None:
        """Return once somebody executes the run."""
        run = await self.run(run_id)
        while run.state == run_pb2.RUN_STATE_QUEUED:
            run = await self.run(run_id, wait_s=30, known_version=run.version)
        assert run.state == run_pb2.RUN_STATE_RUNNING, run

    async def history(self, key: str) -> list[Any]:
        """The whole transcript."""
        request = pb.SessionsHistoryRequest(session_key=key, limit=1000, include_tools=True)
        return list((await self.tools.SessionsHistory(request)).messages)

    async def has_begun(self, run_id: str) -> None:
        """Return once the run has shown something."""
        request = pb.WaitRunRequest(run_id=run_id, include_deltas=True)
        async for each in self.tools.WaitRun(request, wait_for_ready=True):
            if each.HasField("output_delta"):
                return

    async def health(self) -> AsyncIterator[int]:
        """Whether the server serves, now and at every change."""
        async for each in self._health.Watch(health_pb2.HealthCheckRequest()):
            yield each.status

    async def follow(self, run_id: str, **fields: Any) -> Followed:
        """Wait for the run, deltas and all, through however many cuts."""
        told = Followed()
        while not told.ended.reason:
            request = pb.WaitRunRequest(run_id=run_id, cursor=told.cursor, include_deltas=True, **fields)
            await until_answered(partial(self._read, request, told), tries=1)
        return told

    async def settled(self, run_id: str) -> Followed:
        """Wait until all that the run led to is over."""
        return await self.follow(run_id, until=run_pb2.WAIT_UNTIL_SETTLED)

    async def _read(self, request: pb.WaitRunRequest, told: Followed) -> None:
        """Read one stream to its end, and keep what it told even if that end is a cut."""
        told.streams += 1
        async for each in self.tools.WaitRun(request, wait_for_ready=True):
            told.cursor = each.cursor
            if each.WhichOneof("event") not in NOT_TOLD:
                told.events.append(each)
            told.ended.CopyFrom(each.ended)


async def until_answered(call: Callable[[], Awaitable[Answer]], tries: int = 1000) -> Answer | None:
    """Call again after a cut, when the server says; None when all tries were cut. Any other error is the caller's."""
    for _ in range(tries):
        try:
            return await call()
        except grpc.aio.AioRpcError as problem:
            if problem.code() is not StatusCode.UNAVAILABLE:
                raise
            await asyncio.sleep(retry_after_s(problem))
    return None


def retry_after_s(problem: grpc.aio.AioRpcError) -> float:
    """How long the server asks to wait; nothing when it had no chance to say so."""
    for detail in _details(problem):
        if detail.Is(error_details_pb2.RetryInfo.DESCRIPTOR):
            retry = error_details_pb2.RetryInfo()
            detail.Unpack(retry)
            return float(retry.retry_delay.ToTimedelta().total_seconds())
    return 0.0


def _details(problem: grpc.aio.AioRpcError) -> list[Any]:
    status = rpc_status.from_call(problem)  # type: ignore[arg-type] # it has all that is read of a call
    return list(status.details) if status else []
