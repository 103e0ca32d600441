"""Session Tools with the built-in echo runtime, as it is configured by default."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import sqlalchemy as sa

from bench.peers.side import REPLY, Answer, Running, Side
from bench.requests import SESSION_TOOLS, a_send, make_sessions
from bench.serving import Server, serving
from sessiond.model.runs import RunState
from sessiond.store.schema import runs
from sessiond.store.sqlite_connections import prepare
from sessiontools.v1 import run_pb2
from sessiontools.v1 import session_tools_service_pb2 as tools

PATIENCE_S = 30
# The agent that there is by default, which echoes; no bound on runs at a time is felt, since the peer has none.
CONFIG: dict[str, Any] = {"agents": {"defaults": {"maxConcurrent": 64}}}


class Ours(Side):
    """Each place is a session of its own, as each task of the peer is."""

    def __init__(self, server: Server, engine: sa.Engine) -> None:
        """Its store is looked into from outside, through this engine."""
        running = Running(server, a_send("main").method, f"{SESSION_TOOLS}/GetRun", _durability(engine))
        super().__init__(running, may_fail=False)
        self._engine = engine
        self._turn = 0
        self._keys: list[str] = []

    async def begin(self, places: int) -> None:
        """New sessions, since a run is given the history of its session, and the peer's tasks have none."""
        self._turn += 1
        self._keys = await make_sessions(self.running.server.address, f"peers-{self._turn:04}", places)

    def send(self, place: int) -> bytes:
        """A send that waits."""
        return a_send(self._keys[place], timeout_s=PATIENCE_S).body

    def get(self, work_id: str) -> bytes:
        """The run."""
        return tools.GetRunRequest(run_id=work_id).SerializeToString()

    def read_send(self, answer: bytes) -> Answer:
        """The run as it was when the wait ended."""
        return _read(tools.SessionsSendResponse.FromString(answer).run)

    def read_get(self, answer: bytes) -> Answer:
        """The run as it is now."""
        return _read(tools.GetRunResponse.FromString(answer).run)

    def completed(self) -> int:
        """Runs that succeeded."""
        done = sa.select(sa.func.count()).where(runs.c.state == RunState.SUCCEEDED.value, runs.c.reply == REPLY)
        with self._engine.connect() as connection:
            return connection.execute(done).scalar_one()


def _read(run: run_pb2.Run) -> Answer:
    return Answer(run.id, run.state == run_pb2.RUN_STATE_SUCCEEDED, run.reply)


def _durability(engine: sa.Engine) -> str:
    """What the database says of how it stores, to a connection that is set up as the server's are."""
    is_sqlite = engine.dialect.name == "sqlite"
    names = ("journal_mode", "synchronous") if is_sqlite else ("fsync", "synchronous_commit")
    if is_sqlite:
        sa.event.listen(engine, "connect", prepare)
    with engine.connect() as connection:
        ask = "PRAGMA" if is_sqlite else "SHOW"
        told = [connection.exec_driver_sql(f"{ask} {name}").scalar_one() for name in names]
    return ", ".join(f"{name}={value}" for name, value in zip(names, told, strict=True))


@asynccontextmanager
async def ours(store_url: str) -> AsyncIterator[Side]:
    """Our server on this store."""
    async with serving(store_url, config=CONFIG) as server:
        yield Ours(server, sa.create_engine(store_url, poolclass=sa.NullPool))
