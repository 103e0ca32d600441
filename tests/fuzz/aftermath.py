"""What must be so after a storm: every run ends, an ordinary day goes on, and the log tells of no fault."""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import grpc

from sessiontools.v1 import delivery_pb2, run_pb2
from sessiontools.v1 import gateway_service_pb2 as gateway_pb
from sessiontools.v1 import runtime_service_pb2 as runtime_pb
from sessiontools.v1 import session_tools_service_pb2 as pb
from tests.fuzz.stage import Caller

PATIENCE_S = 3  # after which a run that is still under way is taken for one that was told to be so
OWN_FILES = re.compile(
    r"sessiontools\.json5|server\.log|test\.db(-wal|-shm)?|data/transcripts/(\.lock|\.mirrored|[0-9a-f-]{36}\.jsonl)"
)
SETTLE_S = 300  # only a run that never ends takes so long


async def settle(channel: grpc.aio.Channel) -> None:
    """Return once no session has a run that is not over; those that were told to hang are stopped."""
    owner = Caller(channel)
    async with asyncio.timeout(SETTLE_S), _executing(channel):
        while active := [run_id async for run_id in _active_runs(owner)]:
            await asyncio.gather(*(_ended_or_stopped(owner, run_id) for run_id in active))


async def ordinary_day(channel: grpc.aio.Channel) -> None:
    """A message comes, is answered and delivered; then its session writes to another, which answers."""
    owner, name = Caller(channel), uuid.uuid4().hex
    key, other = f"agent:main:probe:direct:{name}", f"agent:main:cron:{name}"
    chat = gateway_pb.ChatSendRequest(session_key=key, text="hello")
    chat.route.channel, chat.route.to = f"probe-{name}", "1"
    sent = await owner.ask(owner.gateway.ChatSend, chat)
    wait = pb.WaitRunRequest(run_id=sent.run_id, max_wait_seconds=60)
    told = [each async for each in owner.tools.WaitRun(wait, metadata=owner.metadata)]
    assert told[-1].ended.run.reply == "echo: hello", told[-1]

    acquire = gateway_pb.AcquireDeliveriesRequest(channels=[chat.route.channel], max_deliveries=5, wait_seconds=30)
    (delivery,) = (await owner.ask(owner.gateway.AcquireDeliveries, acquire)).deliveries
    ack = gateway_pb.AckDeliveryRequest(delivery_id=delivery.id, lease_token=delivery.lease_token)
    assert (await owner.ask(owner.gateway.AckDelivery, ack)).delivery.state == delivery_pb2.DELIVERY_STATE_DELIVERED

    make = gateway_pb.SessionsPatchRequest(session_key=other, allow_missing=True)
    await owner.ask(owner.gateway.SessionsPatch, make)
    send = pb.SessionsSendRequest(session_key=other, message="and you?", timeout_seconds=60)
    answer = await owner.ask(owner.tools.SessionsSend, send, ("acting-session", key))
    assert (answer.status, answer.reply) == (pb.SEND_STATUS_OK, "echo: and you?"), answer


def faults_in(log: bytes) -> list[str]:
    """Lines of a server's log that tell of a fault, or are none of its own."""
    return [line for line in log.decode(errors="backslashreplace").splitlines() if _is_fault(line)]


def strangers_in(folder: Path) -> list[str]:
    """Files in a server's folder that it has no reason to write: what a path or a command from outside would leave."""
    found = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()]
    return [name for name in found if not OWN_FILES.fullmatch(name)]


def check_sqlite(store_url: str) -> None:
    """The file is whole."""
    connection = sqlite3.connect(store_url.removeprefix("sqlite:///"))
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.close()


def _is_fault(line: str) -> bool:
    try:
        told = json.loads(line)
    except ValueError:
        return True
    return told["level"] in ("error", "critical") or "exception" in told


async def _active_runs(owner: Caller) -> AsyncIterator[str]:
    request = pb.SessionsListRequest(limit=200, include_archived=True)
    while True:
        page = await owner.ask(owner.tools.SessionsList, request)
        for session in page.sessions:
            if session.active_run_id:
                yield session.active_run_id
        if not page.next_page_token:
            return
        request.page_token = page.next_page_token


async def _ended_or_stopped(owner: Caller, run_id: str) -> None:
    try:
        answer = await owner.ask(owner.tools.GetRun, pb.GetRunRequest(run_id=run_id, wait_seconds=PATIENCE_S))
        if answer.run.state == run_pb2.RUN_STATE_RUNNING:
            await owner.ask(owner.tools.CancelRun, pb.CancelRunRequest(run_id=run_id))
    except grpc.aio.AioRpcError as problem:
        if problem.code() is not grpc.StatusCode.NOT_FOUND:  # a sub-agent that was to be deleted at its end
            raise


@asynccontextmanager
async def _executing(channel: grpc.aio.Channel) -> AsyncIterator[None]:
    """A runtime for the agent that has none, at work for the time of the context."""
    async with asyncio.TaskGroup() as tasks:
        working = tasks.create_task(_work(Caller(channel, "runtime")))
        yield
        working.cancel()


async def _work(runtime: Caller) -> None:
    while True:
        request = runtime_pb.AcquireRunsRequest(runtime_id="polite", max_runs=100, wait_seconds=5)
        taken = await runtime.ask(runtime.runtime.AcquireRuns, request)
        await asyncio.gather(*(_complete(runtime, each.lease_token) for each in taken.runs))


async def _complete(runtime: Caller, lease_token: str) -> None:
    request = runtime_pb.CompleteRunRequest(lease_token=lease_token, reply="done")
    try:
        await runtime.ask(runtime.runtime.CompleteRun, request)
    except grpc.aio.AioRpcError as problem:
        if problem.code() is not grpc.StatusCode.FAILED_PRECONDITION:  # it was cancelled in the meantime
            raise
