"""A refusal says which setting refuses; ids and secrets can't be guessed (S6, P3, P4, P6, property 8)."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable
from pathlib import Path

import pytest
from google.protobuf.message import Message

from sessiontools.v1 import session_tools_service_pb2 as tools
from tests.authority.asking import ask
from tests.authority.cast import SETTINGS, Setting
from tests.authority.house import OWNER
from tests.authority.stage import ANN, BOB, NEVER, staged
from tests.serving import acting, bearer

AS_IT_COMES = SETTINGS[0]
AMONG_SOME = next(each for each in SETTINGS if each.allow)
SAMPLES = 64  # so many that a bit which is always the same is none of chance


def send(key: str) -> tools.SessionsSendRequest:
    return tools.SessionsSendRequest(session_key=key, message="hello", timeout_seconds=0)


async def test_a_denied_spawn_names_the_agents_it_may_and_the_setting(tmp_path: Path) -> None:  # P4
    async with staged(tmp_path, AS_IT_COMES) as stage:
        main = await stage.at_work("main")
        request = tools.SessionsSpawnRequest(task="dig", agent_id="box")

        answer = await ask(stage.server, "SessionsSpawn", request, bearer(main.run_token))

    assert answer.reason == "AGENT_NOT_ALLOWED"
    assert "agents.list[main].subagents.allowAgents" in answer.text
    assert "main, ops" in answer.text


@pytest.mark.parametrize(
    ("setting", "requester", "key"),
    [(AS_IT_COMES, "main", "tools.agentToAgent.enabled"), (AMONG_SOME, "ops", "tools.agentToAgent.allow")],
)
async def test_a_denied_send_to_another_agent_names_the_setting(
    tmp_path: Path, setting: Setting, requester: str, key: str
) -> None:  # S6
    allowed = {"main": "ops", "ops": "box"}[requester]
    more = {"agents": {"list": [_agent("main", "ops"), _agent("ops", "box"), _agent("box", "main")]}}
    async with staged(tmp_path, setting, more) as stage:
        own = await stage.at_work(f"agent:{requester}:main")
        child = await stage.spawn("dig", bearer(own.run_token), agent_id=allowed)

        answer = await ask(stage.server, "SessionsSend", send(child.child_session_key), bearer(own.run_token))

    assert answer.reason == "AGENT_TO_AGENT_DENIED"
    assert answer.text.count(key) >= 2  # in the text, and for programs


def _agent(name: str, may_spawn: str) -> dict[str, object]:
    return {"id": name, "runtime": "external", "subagents": {"allowAgents": [may_spawn]}}


@pytest.mark.parametrize(
    ("rpc", "request_", "reason", "key"),
    [
        ("SessionsList", tools.SessionsListRequest(), "TOOL_DENIED", "tools.subagents.tools.allow"),
        (
            "SessionsSpawn",
            tools.SessionsSpawnRequest(task="dig"),
            "SUBAGENT_SPAWN",
            "agents.defaults.subagents.maxSpawnDepth",
        ),
    ],
)
async def test_what_a_sub_agent_is_denied_names_the_setting(
    tmp_path: Path, rpc: str, request_: Message, reason: str, key: str
) -> None:  # P3, P6
    async with staged(tmp_path, AS_IT_COMES) as stage:
        await stage.make(ANN)
        await stage.spawn("dig", (*OWNER, *acting(ANN)))
        child = await stage.lease()

        answer = await ask(stage.server, rpc, request_, bearer(child.run_token))

    assert answer.reason == reason
    assert answer.text.count(key) >= 2


TOOLS = {
    "sessions_list": ("SessionsList", tools.SessionsListRequest()),
    "sessions_send": ("SessionsSend", send("main")),
    "agents_list": ("AgentsList", tools.AgentsListRequest()),
    "sessions_spawn": ("SessionsSpawn", tools.SessionsSpawnRequest(task="dig deeper")),
}


@pytest.mark.parametrize("denied", TOOLS)
async def test_a_tool_that_is_denied_to_sub_agents_is_denied_whatever_else_allows_it(
    tmp_path: Path, denied: str
) -> None:  # P6
    more = {
        "tools": {"subagents": {"tools": {"allow": ["*"], "deny": [denied]}}},
        "agents": {"list": [_agent("main", "main")], "defaults": {"subagents": {"maxSpawnDepth": 2}}},
    }
    async with staged(tmp_path, AS_IT_COMES, more) as stage:
        await stage.make(ANN)
        await stage.spawn("dig", (*OWNER, *acting(ANN)))
        child = bearer((await stage.lease()).run_token)

        reasons = {tool: (await ask(stage.server, *call, child)).reason for tool, call in TOOLS.items()}

    assert reasons == {tool: "TOOL_DENIED" if tool == denied else "OK" for tool in TOOLS}


async def test_a_send_that_policy_denies_names_the_rule_after_visibility_has_spoken(tmp_path: Path) -> None:  # S6
    policy = {"default": "allow", "rules": [{"action": "deny", "match": {"channel": "telegram"}}]}
    more = {"session": {"sendPolicy": policy}}
    async with staged(tmp_path, AS_IT_COMES, more) as stage:
        await stage.make(ANN)
        hidden = "agent:ops:telegram:direct:eve"
        await stage.make(hidden)
        main = await stage.at_work("main")

        denied, not_found = [
            await ask(stage.server, "SessionsSend", send(key), bearer(main.run_token)) for key in (ANN, hidden)
        ]

    assert denied.reason == "SEND_POLICY_DENIED"
    assert "session.sendPolicy.rules[0]" in denied.text
    assert not_found.reason == "SESSION_NOT_FOUND"
    assert "telegram" not in not_found.text


async def test_ids_are_random(tmp_path: Path) -> None:
    async with staged(tmp_path, AS_IT_COMES) as stage:
        await stage.make(BOB)
        request = tools.SessionsSendRequest(session_key=BOB, message="x", timeout_seconds=0, announce=NEVER)
        sent = [await stage.server.tools.SessionsSend(request, metadata=OWNER) for _ in range(SAMPLES)]
        spawned = [await stage.spawn("dig", OWNER) for _ in range(SAMPLES)]

    assert_random((each.run_id for each in sent), bits=74)
    assert_random((each.exchange_id for each in sent), bits=74)
    assert_random((each.child_session_id for each in spawned), bits=74)
    assert_random((each.child_session_key.rpartition(":")[2] for each in spawned), bits=122)


def assert_random(ids: Iterable[str], bits: int) -> None:
    """Every bit that is left to chance takes both values; UUIDs of version 7 leave it 74, of version 4, 122."""
    values = [uuid.UUID(each).int for each in ids]
    ones = zeros = 0
    for value in values:
        ones, zeros = ones | value, zeros | ~value
    free = ones & zeros & ((1 << 128) - 1)
    if bits == 74:
        free &= (1 << 80) - 1  # before that lies the time, which is no secret
    assert free.bit_count() == bits


async def test_secrets_are_random_and_long(tmp_path: Path) -> None:  # V1, R3
    async with staged(tmp_path, AS_IT_COMES) as stage:
        leases = [await stage.at_work(key) for key in ("main", "agent:box:main", "agent:ops:main")]

    secrets = [lease.lease_token.rpartition(".")[2] for lease in leases]
    assert len(set(secrets)) == len(secrets)
    assert all(re.fullmatch(r"[\w-]{22,}|[0-9a-f]{32,}", secret) for secret in secrets)  # 128 bits at least
