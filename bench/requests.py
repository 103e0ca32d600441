"""What is asked over the wire: methods and bodies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import grpc

from sessiontools.v1 import session_tools_service_pb2 as tools
from sessiontools.v1.gateway_service_pb2 import SessionsPatchRequest
from sessiontools.v1.gateway_service_pb2_grpc import GatewayServiceStub
from sessiontools.v1.session_tools_service_pb2_grpc import SessionToolsServiceStub

# The agent whose runs are executed by somebody, and one whose runs never are.
AGENT, IDLE_AGENT = "main", "idle"
SESSION_TOOLS = "/sessiontools.v1.SessionToolsService"
MESSAGE = "The build is green again; " + "x" * 174


@dataclass(frozen=True)
class Asked:
    """A method and one request to it, serialised; `stands_for_all`: its answer is as good for any other request."""

    method: str
    body: bytes
    stands_for_all: bool = False


def a_send(key: str, *, timeout_s: int = 0) -> Asked:
    """A message of 200 bytes into a session, nothing announced."""
    request = tools.SessionsSendRequest(session_key=key, message=MESSAGE, timeout_seconds=timeout_s)
    request.announce = tools.ANNOUNCE_POLICY_NEVER
    return Asked(f"{SESSION_TOOLS}/SessionsSend", request.SerializeToString(), stands_for_all=True)


def a_list(limit: int, messages: int = 0) -> Asked:
    """A page of sessions."""
    request = tools.SessionsListRequest(limit=limit, message_limit=messages)
    return Asked(f"{SESSION_TOOLS}/SessionsList", request.SerializeToString())


def a_history(key: str, limit: int) -> Asked:
    """The newest messages of a session."""
    request = tools.SessionsHistoryRequest(session_key=key, limit=limit)
    return Asked(f"{SESSION_TOOLS}/SessionsHistory", request.SerializeToString())


async def make_sessions(address: str, prefix: str, count: int, agent: str = AGENT) -> list[str]:
    """New sessions; their keys, which have the same length."""
    keys = [f"agent:{agent}:{prefix}-{number:04}" for number in range(count)]
    async with grpc.aio.insecure_channel(address) as channel:
        stub = GatewayServiceStub(channel)
        for key in keys:
            await stub.SessionsPatch(SessionsPatchRequest(session_key=key, allow_missing=True))
    return keys


async def stored(address: str, keys: Sequence[str]) -> int:
    """How many messages these sessions have, all of them together."""
    async with grpc.aio.insecure_channel(address) as channel:
        stub = SessionToolsServiceStub(channel)
        requests = [tools.SessionsHistoryRequest(session_key=key, limit=1) for key in keys]
        answers = [await stub.SessionsHistory(request) for request in requests]
    return sum(answer.total_messages for answer in answers)


def an_agents_list() -> Asked:
    """The agents: the least that a tool does."""
    return Asked(f"{SESSION_TOOLS}/AgentsList", tools.AgentsListRequest().SerializeToString())
