"""The server that is attacked: tokens for everybody, every kind of agent and runtime, and something in its store."""

from __future__ import annotations

from typing import Any

import grpc

from sessiontools.v1 import gateway_service_pb2 as gateway_pb
from sessiontools.v1 import gateway_service_pb2_grpc, runtime_service_pb2_grpc, session_tools_service_pb2_grpc
from sessiontools.v1 import session_tools_service_pb2 as pb
from tests.fuzz.callers import CONFIGURED, TOKENS, bearer

CONFIG: dict[str, Any] = {
    "auth": {"tokens": CONFIGURED},
    "server": {"drainGraceSeconds": 5},
    "runtime": {"leaseSeconds": 8, "cancelGraceSeconds": 1},
    "deliveries": {"leaseSeconds": 8},
    "models": {"echo": {"provider": "echo"}, "prog": {"provider": "command", "command": ["cat"]}},
    "agents": {
        "defaults": {"maxConcurrent": 32, "subagents": {"maxConcurrent": 32}},
        "list": [
            {"id": "main", "subagents": {"allowAgents": ["*"]}},
            {"id": "far", "runtime": "external"},
            {"id": "box", "sandbox": {"mode": "all"}},
            {"id": "prog", "model": "prog"},
        ],
    },
    "session": {"sendPolicy": {"rules": [{"action": "deny", "match": {"channel": "discord", "chatType": "group"}}]}},
    "tools": {"agentToAgent": {"enabled": True}},
}
SEEDED = ("main", "cron:1", "agent:far:main", "agent:far:cron:1", "agent:box:main", "agent:prog:main")


class Caller:
    """Somebody who means well, with one of the tokens."""

    def __init__(self, channel: grpc.aio.Channel, role: str = "owner") -> None:
        self.tools = session_tools_service_pb2_grpc.SessionToolsServiceStub(channel)
        self.gateway = gateway_service_pb2_grpc.GatewayServiceStub(channel)
        self.runtime = runtime_service_pb2_grpc.RuntimeServiceStub(channel)
        self.metadata = (bearer(TOKENS[role]),)

    async def ask(self, method: Any, request: Any, *extra: tuple[str, str]) -> Any:
        """Call a method of one of the stubs."""
        return await method(request, metadata=(*self.metadata, *extra))


async def furnish(channel: grpc.aio.Channel) -> None:
    """Sessions, messages, runs and deliveries, so that there is something to be found from the first call on."""
    owner = Caller(channel)
    for key in SEEDED:
        chat = gateway_pb.ChatSendRequest(session_key=key, text="hello")
        chat.route.channel, chat.route.to = "telegram", key
        await owner.ask(owner.gateway.ChatSend, chat)
        send = pb.SessionsSendRequest(session_key=key, message="#!\nreply one\n@reply\nreply two", timeout_seconds=0)
        await owner.ask(owner.tools.SessionsSend, send, ("acting-session", "main"))
        await owner.ask(owner.tools.SessionsSpawn, pb.SessionsSpawnRequest(task="dig"), ("acting-session", key))
