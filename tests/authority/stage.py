"""A small stage: a server with tokens and external agents, and short ways to make something happen on it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from sessiontools.v1 import delivery_pb2, message_pb2, run_pb2
from sessiontools.v1 import gateway_service_pb2 as gateway
from sessiontools.v1 import runtime_service_pb2 as runtime
from sessiontools.v1 import session_tools_service_pb2 as tools
from tests.authority.cast import Setting
from tests.authority.house import OWNER, RUNTIME, SECRETS, config
from tests.serving import Metadata, Served, bearer, served

GATEWAY = bearer(SECRETS["gateway"])
ANN = "agent:main:telegram:direct:ann"
BOB = "agent:main:telegram:direct:bob"
NEVER = tools.ANNOUNCE_POLICY_NEVER


class Stage:
    """Sessions speak to each other on it; the test is their runtime."""

    def __init__(self, server: Served) -> None:
        self.server = server

    async def make(self, key: str, to: str = "") -> None:
        """A session, with a route if it is to be reached from outside."""
        patch = gateway.SessionPatch(route=delivery_pb2.Route(channel="telegram", to=to)) if to else None
        request = gateway.SessionsPatchRequest(session_key=key, patch=patch, allow_missing=True)
        await self.server.gateway.SessionsPatch(request, metadata=OWNER)

    async def chat(self, key: str, text: str) -> str:
        """What a user says; its run."""
        request = gateway.ChatSendRequest(session_key=key, text=text, sender=gateway.Sender(is_owner=True))
        return (await self.server.gateway.ChatSend(request, metadata=GATEWAY)).run_id

    async def send(self, key: str, text: str, metadata: Metadata = OWNER, **more: Any) -> str:
        """What another session says; its run."""
        request = tools.SessionsSendRequest(session_key=key, message=text, timeout_seconds=0, **more)
        return (await self.server.tools.SessionsSend(request, metadata=metadata)).run_id

    async def spawn(self, task: str, metadata: Metadata, agent_id: str = "") -> tools.SessionsSpawnResponse:
        """A task for a sub-agent."""
        request = tools.SessionsSpawnRequest(task=task, agent_id=agent_id)
        return await self.server.tools.SessionsSpawn(request, metadata=metadata)

    async def lease(self) -> runtime.RunAssignment:
        """The next run, as its runtime gets it."""
        request = runtime.AcquireRunsRequest(runtime_id="rt", wait_seconds=30)
        (taken,) = (await self.server.runtime.AcquireRuns(request, metadata=RUNTIME)).runs
        return taken

    async def at_work(self, key: str) -> runtime.RunAssignment:
        """A run under way in a session."""
        run_id = await self.send(key, "work", announce=NEVER)
        taken = await self.lease()
        assert taken.run.id == run_id
        return taken

    async def complete(self, taken: runtime.RunAssignment, reply: str = "done") -> None:
        """The end of a run."""
        request = runtime.CompleteRunRequest(lease_token=taken.lease_token, reply=reply)
        await self.server.runtime.CompleteRun(request, metadata=RUNTIME)

    async def append(self, taken: runtime.RunAssignment, message: message_pb2.Message) -> None:
        """A message that a runtime writes."""
        events = [runtime.RunEvent(message=message)]
        request = runtime.AppendRunEventsRequest(lease_token=taken.lease_token, first_sequence=1, events=events)
        await self.server.runtime.AppendRunEvents(request, metadata=RUNTIME)

    async def history(self, key: str, metadata: Metadata = OWNER) -> list[message_pb2.Message]:
        """What a reader sees."""
        request = tools.SessionsHistoryRequest(session_key=key, include_tools=True)
        return [*(await self.server.tools.SessionsHistory(request, metadata=metadata)).messages]

    def wait(self, run_id: str, metadata: Metadata, until: run_pb2.WaitUntil.ValueType) -> Any:
        """A stream of what becomes of a run."""
        return self.server.tools.WaitRun(tools.WaitRunRequest(run_id=run_id, until=until), metadata=metadata)


@asynccontextmanager
async def staged(folder: Path, setting: Setting, more: Mapping[str, Any] | None = None) -> AsyncIterator[Stage]:
    """A stage with a setting, and further sections of configuration."""
    async with served(folder, {**config(setting.sections), **(more or {})}) as server:
        yield Stage(server)
