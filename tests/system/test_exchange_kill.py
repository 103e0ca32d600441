"""kill -9 at every transaction boundary of a five-turn exchange with announce and delivery (X2, properties 1 and 2)."""

from __future__ import annotations

import asyncio
import shutil
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import count
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import grpc
import pytest
import sqlalchemy as sa

from sessiond.store.codec import decode
from sessiond.store.opening import engine_of
from sessiond.store.schema import deliveries, exchanges, messages, runs, sessions
from sessiontools.v1 import gateway_service_pb2 as gateway_pb
from sessiontools.v1 import gateway_service_pb2_grpc, session_tools_service_pb2_grpc
from sessiontools.v1 import session_tools_service_pb2 as tools_pb
from tests.system.doomed_server import KillPoint, Life, start

GROUP = "agent:main:telegram:group:42"
SCRIPT = "\n".join(
    ["#!", "reply round one", *(f"@reply\nreply turn {turn}" for turn in range(1, 6)), "@announce", "reply all is well"]
)
# A run or a delivery that died with its server is offered again, at once: the next server's clock is past its lease.
FLAGS = {
    "server.listen": "127.0.0.1:0",
    "agents.defaults.onRuntimeLoss": "requeue",
    "log.level": "error",
}
NEXT_LIFE_MS = 60_000
SOON_S = 60  # only a server that hangs takes so long
# The send, two for each of its seven runs, and two for the delivery.
FEWEST_COMMITS = 1 + 7 + 2  # a lease may share the commit of the end before it


class Lineage:
    """The servers of one store, each of which takes over when the one before has died."""

    def __init__(self, folder: Path, kill_point: KillPoint | None) -> None:
        self._flags = FLAGS | {"store.dataDir": str(folder)}
        self._kill_point = kill_point
        self._process: BaseProcess | None = None
        self._channel: grpc.aio.Channel | None = None
        self.deaths = 0

    async def call(self, stub: Callable[[Any], Any], method: str, request: Any, acting: str = "") -> Any:
        """Call until a server answers, as a careful client does: the same request, whoever dies over it."""
        while True:
            channel = self._channel or await self._next_life()
            metadata = (("acting-session", acting),) if acting else ()
            try:
                return await getattr(stub(channel), method)(request, metadata=metadata, timeout=SOON_S)
            except grpc.aio.AioRpcError as refused:
                if refused.code() is not grpc.StatusCode.UNAVAILABLE:
                    raise
                await self._bury()

    async def _next_life(self) -> grpc.aio.Channel:
        life = Life(self._flags, self.deaths * NEXT_LIFE_MS, None if self.deaths else self._kill_point)
        self._process, told = await asyncio.to_thread(start, life)
        with told:
            port = await asyncio.to_thread(told.recv)
        self._channel = grpc.aio.insecure_channel(f"127.0.0.1:{port}")
        return self._channel

    async def _bury(self) -> None:
        """The server is dead, by the kill and by nothing else."""
        assert self._process is not None
        await asyncio.to_thread(self._process.join, SOON_S)
        assert self._process.exitcode == -signal.SIGKILL
        self.deaths += 1
        await self.end()

    async def end(self) -> None:
        """Let go of channel and process."""
        if self._channel is not None:
            await self._channel.close()
            self._channel = None
        if self._process is not None:
            self._process.kill()
            await asyncio.to_thread(self._process.join)
            self._process.close()
            self._process = None


@asynccontextmanager
async def lineage(folder: Path, kill_point: KillPoint | None = None) -> AsyncIterator[Lineage]:
    servers = Lineage(folder, kill_point)
    try:
        yield servers
    finally:
        await servers.end()


async def play(servers: Lineage) -> list[str]:
    """The whole exchange; what the gateway sent, in order, each id once however often it was offered."""
    tools = session_tools_service_pb2_grpc.SessionToolsServiceStub
    gateway = gateway_service_pb2_grpc.GatewayServiceStub
    send = tools_pb.SessionsSendRequest(session_key=GROUP, message=SCRIPT, timeout_seconds=0, request_id="once")
    await servers.call(tools, "SessionsSend", send, acting="main")
    sent: dict[str, str] = {}
    while not sent:
        request = gateway_pb.AcquireDeliveriesRequest(channels=["telegram"], wait_seconds=50)
        for taken in (await servers.call(gateway, "AcquireDeliveries", request)).deliveries:
            sent[taken.id] = taken.text
            ack = gateway_pb.AckDeliveryRequest(delivery_id=taken.id, lease_token=taken.lease_token, receipt="m1")
            await servers.call(gateway, "AckDelivery", ack)
    return list(sent.values())


def facts_of(folder: Path) -> dict[str, Any]:
    """Everything of the store that a crash must not change."""
    engine = engine_of(f"sqlite:///{folder}/sessiontools.db")
    with engine.connect() as connection:
        transcript = sa.select(sessions.c.key, messages.c.body).join(
            sessions, sessions.c.generation == messages.c.place.op(">>")(32)
        )
        said = [(key, decode(body)) for key, body in connection.execute(transcript.order_by(messages.c.place))]
        facts = {
            "said": [(key, message.draft.role, message.text) for key, message in said],
            "runs": _rows(connection, runs, "kind", "turn", "state", "reply", "is_skipped"),
            "exchanges": _rows(connection, exchanges, "state", "first_reply", "latest_reply"),
            "deliveries": _rows(connection, deliveries, "text", "state", "receipt", "route_channel", "route_to"),
            "unfinished": connection.execute(sa.select(sa.func.sum(sessions.c.unfinished_runs))).scalar(),
            "intact": connection.exec_driver_sql("PRAGMA integrity_check").scalar(),
        }
    engine.dispose()
    return facts


def _rows(connection: sa.Connection, table: sa.Table, *columns: str) -> list[tuple[Any, ...]]:
    found = connection.execute(sa.select(*(table.c[name] for name in columns)).order_by(table.c.id))
    return [tuple(row) for row in found]


@pytest.fixture
async def set_stage(tmp_path: Path) -> Path:
    """A store with both sessions, to be copied for every life."""
    folder = tmp_path / "empty"
    folder.mkdir()
    async with lineage(folder) as servers:
        for key in ("main", GROUP):
            patch = gateway_pb.SessionsPatchRequest(session_key=key, allow_missing=True)
            await servers.call(gateway_service_pb2_grpc.GatewayServiceStub, "SessionsPatch", patch)
    return folder


async def exchanged(template: Path, name: str, kill_point: KillPoint | None) -> tuple[dict[str, Any], int]:
    """The facts after an exchange in which a server died there, and how many did."""
    folder = Path(shutil.copytree(template, template.with_name(name)))
    async with lineage(folder, kill_point) as servers:
        sent = await play(servers)
    return facts_of(folder) | {"sent": sent}, servers.deaths


@pytest.mark.parametrize("is_after", [False, True], ids=["before", "after"])
async def test_a_kill_at_any_commit_changes_nothing(set_stage: Path, is_after: bool) -> None:  # X2
    untouched, deaths = await exchanged(set_stage, "untouched", None)
    assert deaths == 0
    assert untouched["sent"] == ["all is well"]
    assert [row[:3] for row in untouched["runs"]] == [
        ("send", 0, "succeeded"),
        *(("reply", turn, "succeeded") for turn in range(1, 6)),
        ("announce", 0, "succeeded"),
    ]
    assert untouched["exchanges"] == [("settled", "round one", "turn 5")]
    assert (untouched["unfinished"], untouched["intact"]) == (0, "ok")

    for commit in count(1):
        facts, deaths = await exchanged(set_stage, f"commit-{commit}", KillPoint(commit, is_after))
        assert facts == untouched, f"killed {'after' if is_after else 'before'} commit {commit}"
        if not deaths:  # the exchange was over before it came to this commit
            break
    assert commit > FEWEST_COMMITS
