"""SessionsSpawn: who may spawn what, and what the child is made of (P1-P6)."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from sessiond.access import policy_of
from sessiond.configured import rules_of
from sessiond.model.agents import Agent, Roster, SandboxMode
from sessiond.model.errors import (
    AgentNotAllowed,
    AgentNotFound,
    ChildLimit,
    InvalidField,
    InvalidKey,
    ModelUnknown,
    Refusal,
    SendPolicyDenied,
    SubagentSpawn,
)
from sessiond.model.messages import ProvenanceKind
from sessiond.model.policy import PolicyRule, SendPolicy
from sessiond.model.rules import SubagentRules
from sessiond.model.runs import Failure
from sessiond.model.sessions import PolicyAction
from sessiond.model.tools import SESSION_TOOLS, SPAWN
from sessiond.rpc.session_tools import SessionTools
from sessiond.rpc.toolbox import Toolbox
from sessiond.settings import Settings
from sessiond.store.schema import exchanges, messages, runs, sessions
from sessiond.tools.sessions_spawn import DELETE, KEEP
from tests.exchanges.stage import MAIN, RULES, Stage, agent_of
from tests.making import count, make_session, session_of

pytest_plugins = ("tests.exchanges.fixtures",)


@pytest.fixture
async def stage(stage: Stage) -> Stage:
    await make_session(stage.db, MAIN)
    return stage


def configured(**tree: Any) -> Any:
    """The rules of a configuration."""
    return rules_of(Settings.model_validate(tree, by_alias=True, by_name=False))


async def test_one_call_makes_child_task_run_and_exchange(stage: Stage) -> None:  # P2
    spawned = await stage.spawn("dig a hole", label="digger", run_timeout_s=60)

    child, run = spawned.child, spawned.placed.run
    assert child.key.startswith("agent:main:subagent:")
    assert (child.label, child.spawned_by, child.spawn_depth) == ("digger", MAIN, 1)
    assert (run.kind, run.state, run.pool, run.timeout_ms) == ("spawn", "queued", "subagents", 60_000)
    assert (run.exchange_id, run.model) == (spawned.exchange_id, "echo")
    [task] = await stage.transcript(child.key)
    assert task.text == "dig a hole"
    assert task.draft.provenance is not None
    assert task.draft.provenance.kind is ProvenanceKind.SUBAGENT_TASK
    assert task.draft.provenance.source_session_key == MAIN


@pytest.mark.parametrize("task", ["", " \n\t"])
async def test_a_task_is_required(stage: Stage, task: str) -> None:  # P1
    with pytest.raises(InvalidField) as refused:
        await stage.spawn(task)

    assert [problem.field for problem in refused.value.fields] == ["task"]


async def test_a_label_has_at_most_64_characters(stage: Stage) -> None:  # P1
    assert (await stage.spawn(label="ä" * 64)).child.label == "ä" * 64

    with pytest.raises(InvalidField) as refused:
        await stage.spawn(label="ä" * 65)

    assert [problem.field for problem in refused.value.fields] == ["label"]


@pytest.mark.parametrize(
    ("query", "refusal"),
    [
        ({"model": "gpt-none"}, ModelUnknown),
        ({"agent_id": "nobody"}, AgentNotFound),
        ({"agent_id": "not an id"}, InvalidKey),
    ],
    ids=["model", "agent", "malformed agent"],
)
async def test_a_refused_spawn_leaves_nothing_behind(
    stage: Stage, query: dict[str, str], refusal: type[Refusal]
) -> None:  # P4, P5
    with pytest.raises(refusal):
        await stage.spawn(**query)

    left = [await count(stage.db, table) for table in (sessions, runs, messages, exchanges)]
    assert left == [1, 0, 0, 0]


async def test_an_unknown_model_is_refused_by_its_field_and_with_the_known_ones(stage: Stage) -> None:  # P5
    with pytest.raises(ModelUnknown, match="known: echo") as refused:
        await stage.spawn(model="gpt-none")

    assert [problem.field for problem in refused.value.fields] == ["model"]


MODELS = {name: {"provider": "echo"} for name in ("own", "as-child", "of-all-children", "asked")}


@pytest.mark.parametrize(
    ("asked", "as_child", "of_all", "effective"),
    [
        ("asked", "as-child", "of-all-children", "asked"),
        ("", "as-child", "of-all-children", "as-child"),
        ("", None, "of-all-children", "of-all-children"),
        ("", None, None, "own"),
    ],
)
async def test_the_nearest_model_wins(
    stage: Stage, asked: str, as_child: str | None, of_all: str | None, effective: str
) -> None:  # P5
    agent = {"id": "main", "model": "own", "subagents": {"model": as_child}}
    agents = {"list": [agent], "defaults": {"model": "own", "subagents": {"model": of_all}}}
    stage.rules = configured(models=MODELS, agents=agents)

    spawned = await stage.spawn(model=asked)

    assert (spawned.child.model, spawned.placed.run.model) == (effective, effective)


ROSTER = Roster(
    {
        "main": Agent("main", allow_agents=frozenset({"ops", "gone"})),
        "ops": Agent("ops", model="echo"),
        "web": Agent("web", allow_agents=frozenset({"*"})),
    }
)


async def test_an_allowed_agent_may_be_asked(stage: Stage) -> None:  # P4
    stage.rules = replace(RULES, roster=ROSTER)

    spawned = await stage.spawn(agent_id="OPS")

    assert spawned.child.key.startswith("agent:ops:subagent:")
    assert (spawned.child.agent_id, spawned.child.spawned_by) == ("ops", MAIN)


async def test_an_agent_that_is_not_allowed_is_refused_with_those_that_are(stage: Stage) -> None:  # P4
    stage.rules = replace(RULES, roster=ROSTER)

    with pytest.raises(AgentNotAllowed, match="allowed: main, gone, ops") as refused:
        await stage.spawn(agent_id="web")

    assert refused.value.facts["allowed"] == "main, gone, ops"


@pytest.mark.parametrize(("by", "agent"), [("agent:main:main", "gone"), ("agent:web:main", "nobody")])
async def test_an_agent_that_is_not_configured_is_not_found_whatever_is_allowed(
    stage: Stage, by: str, agent: str
) -> None:  # P4
    stage.rules = replace(RULES, roster=ROSTER)

    with pytest.raises(AgentNotFound):
        await stage.spawn(by=by, agent_id=agent)


async def test_a_star_allows_every_configured_agent(stage: Stage) -> None:  # P4
    stage.rules = replace(RULES, roster=ROSTER)

    assert (await stage.spawn(by="agent:web:main", agent_id="ops")).child.agent_id == "ops"


async def test_a_subagent_may_not_spawn(stage: Stage) -> None:  # P3
    await stage.spawn()
    child = await stage.take()

    with pytest.raises(SubagentSpawn):
        await stage.spawn(by=agent_of(child))
    with pytest.raises(SubagentSpawn):
        await stage.spawn(by=child.session.key)


async def test_spawns_nest_as_deep_as_configured(stage: Stage) -> None:  # P3
    stage.rules = replace(RULES, subagents=SubagentRules(max_depth=2))
    child = (await stage.spawn()).child

    grandchild = (await stage.spawn(by=child.key)).child

    assert grandchild.spawn_depth == 2
    with pytest.raises(SubagentSpawn):
        await stage.spawn(by=grandchild.key)


@pytest.mark.parametrize(
    ("mode", "requester_sandboxed", "expected"),
    [
        (SandboxMode.OFF, False, False),
        (SandboxMode.OFF, True, True),
        (SandboxMode.NON_MAIN, False, True),
        (SandboxMode.ALL, False, True),
    ],
)
async def test_a_child_is_sandboxed_if_its_agent_or_its_requester_is(
    stage: Stage, mode: SandboxMode, requester_sandboxed: bool, expected: bool
) -> None:  # P6
    stage.rules = replace(RULES, roster=Roster({"main": Agent("main", sandbox=mode)}))
    await make_session(stage.db, "agent:main:cron:tidy", sandboxed=requester_sandboxed)

    spawned = await stage.spawn(by="agent:main:cron:tidy")

    assert bool(spawned.child.sandboxed) is expected


ARGUMENTS: Mapping[str, dict[str, Any]] = {
    "sessions_history": {"session_key": MAIN},
    "sessions_send": {"session_key": MAIN, "message": "hi", "timeout_seconds": 0},
    "sessions_spawn": {"task": "dig"},
}


async def refused(stage: Stage, tool: str) -> str:
    """Why the child of the stage may not use a tool; `RUN_NOT_FOUND` and the like say that it may."""
    child = await stage.take()
    toolbox = Toolbox(SessionTools(stage.db, stage.rules, stage.waits), partial(policy_of, stage.db))
    arguments = ARGUMENTS.get(tool, {"waits": [{"run_id": "none"}]} if tool == "wait_runs" else {"run_id": "none"})
    answer = await toolbox.call(agent_of(child), tool, {} if tool in ("sessions_list", "agents_list") else arguments)
    reason: str = json.loads(answer.text).get("reason", "") if answer.is_error else ""
    return reason


@pytest.mark.parametrize("tool", [tool for tool in SESSION_TOOLS if tool != SPAWN])
async def test_session_tools_are_denied_to_subagents(stage: Stage, tool: str) -> None:  # P6
    await stage.spawn()

    assert await refused(stage, tool) == "TOOL_DENIED"


@pytest.mark.parametrize(
    ("allow", "deny", "tool", "reason"),
    [
        (("sessions_list",), (), "sessions_list", ""),
        (("sessions_list",), (), "sessions_history", "TOOL_DENIED"),
        (("sessions_*",), (), "sessions_history", ""),
        (("*",), (), "get_run", "RUN_NOT_FOUND"),
        (("*",), ("sessions_list",), "sessions_list", "TOOL_DENIED"),
        (("sessions_list",), ("*",), "sessions_list", "TOOL_DENIED"),
        (("*", "sessions_spawn"), (), "sessions_spawn", "SUBAGENT_SPAWN"),
    ],
)
async def test_configuration_lifts_a_denial_but_deny_wins_and_spawning_stays_denied(
    stage: Stage, allow: tuple[str, ...], deny: tuple[str, ...], tool: str, reason: str
) -> None:  # P6
    stage.rules = replace(RULES, subagents=SubagentRules(tools_allow=allow, tools_deny=deny))
    await stage.spawn()

    assert await refused(stage, tool) == reason


async def test_a_childs_tools_are_fixed_when_it_is_spawned(stage: Stage) -> None:  # P6
    await stage.spawn()
    stage.rules = replace(RULES, subagents=SubagentRules(tools_allow=("*",)))

    assert await refused(stage, "sessions_list") == "TOOL_DENIED"


async def test_a_child_is_told_which_tools_it_may_not_use(stage: Stage) -> None:  # P6
    await stage.spawn()

    child = await stage.take()

    assert [tool for tool in SESSION_TOOLS if child.tools.allows(tool)] == []


async def test_fifty_spawns_at_once_get_exactly_the_places_there_are(stage: Stage) -> None:  # P2, property 6
    answers = await asyncio.gather(*(stage.spawn(f"task {number}") for number in range(50)), return_exceptions=True)

    assert Counter(type(answer).__name__ for answer in answers) == {"Spawned": 12, "ChildLimit": 38}
    assert await count(stage.db, exchanges) == await count(stage.db, runs) == 12
    assert await count(stage.db, sessions) == 13


async def test_a_settled_child_makes_room_for_the_next(stage: Stage) -> None:  # property 6
    stage.rules = replace(RULES, subagents=SubagentRules(max_children=1))
    await stage.spawn()
    with pytest.raises(ChildLimit):
        await stage.spawn()

    await stage.turn(Failure("MODEL_ERROR", "no"))

    assert (await stage.spawn()).child.spawn_depth == 1


async def test_each_session_has_a_limit_of_its_own(stage: Stage) -> None:  # property 6
    stage.rules = replace(RULES, subagents=SubagentRules(max_children=1))
    await make_session(stage.db, "agent:main:cron:tidy")
    await stage.spawn()

    assert (await stage.spawn(by="agent:main:cron:tidy")).child.spawned_by == "agent:main:cron:tidy"


@pytest.mark.parametrize("prefix", ["subagent:", "agent:main:subagent:"])
async def test_the_send_policy_of_the_childs_key_gates_the_spawn(stage: Stage, prefix: str) -> None:  # Q3
    deny = SendPolicy(rules=(PolicyRule(PolicyAction.DENY, key_prefix=prefix),))
    stage.rules = replace(RULES, send_policy=deny)

    with pytest.raises(SendPolicyDenied) as denied:
        await stage.spawn()

    assert denied.value.facts["rule"] == "session.sendPolicy.rules[0]"
    assert await count(stage.db, sessions) == 1


async def test_first_use_of_a_main_session_may_be_a_spawn(stage: Stage) -> None:  # K9
    stage.rules = replace(RULES, roster=ROSTER)

    spawned = await stage.spawn(by="agent:ops:main")

    assert await session_of(stage.db, "agent:ops:main") is not None
    assert spawned.child.spawned_by == "agent:ops:main"


@pytest.mark.parametrize("cleanup", [KEEP, DELETE])
async def test_a_repeated_request_names_the_same_child(stage: Stage, cleanup: str) -> None:  # P1, R8
    first = await stage.spawn(request_id="once", cleanup=cleanup)

    again = await stage.spawn(request_id="once", cleanup=cleanup)

    assert (again.child.key, again.placed.run.id) == (first.child.key, first.placed.run.id)
    assert (await stage.exchange(first.exchange_id)).cleanup == cleanup
    assert await count(stage.db, sessions) == 2
