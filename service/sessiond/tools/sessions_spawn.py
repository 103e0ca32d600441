"""SessionsSpawn: a sub-agent with a task, in a session of its own; never waits (P1-P6)."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any

from sessiond.access import View, key_of, make_acting, view_of
from sessiond.ids import new_id
from sessiond.model.agents import Agent, allowed_agents, is_sandboxed
from sessiond.model.callers import Caller
from sessiond.model.errors import (
    AgentNotAllowed,
    AgentNotFound,
    ChildLimit,
    FieldProblem,
    InvalidField,
    ModelUnknown,
    SendPolicyDenied,
    SessionNotFound,
    SubagentSpawn,
    ToolDenied,
)
from sessiond.model.exchanges import AnnouncePolicy, ExchangeKind, route_from
from sessiond.model.keys import UNKNOWN_CHANNEL, SessionKey, agent_id_of
from sessiond.model.messages import Provenance, ProvenanceKind, Text
from sessiond.model.policy import PolicySubject, judge
from sessiond.model.rules import Rules
from sessiond.model.runs import RunKind
from sessiond.model.sessions import Route, Session
from sessiond.model.tools import SPAWN, ToolPolicy, subagent_policy
from sessiond.store import exchanges, messages, runs, sessions
from sessiond.store.database import Database
from sessiond.store.exchanges import NewExchange
from sessiond.store.requests import Request, answered_once
from sessiond.store.runs import PlacedRun
from sessiond.store.sessions import NewSession
from sessiond.store.transaction import Tx
from sessiond.turns import Turn, require_text_size, start_turn

MAX_LABEL = 64
KEEP, DELETE = "keep", "delete"


@dataclass(frozen=True)
class SpawnQuery:
    """A task for a new sub-agent."""

    task: str
    label: str = ""
    agent_id: str = ""
    model: str = ""
    run_timeout_s: int = 0
    cleanup: str = KEEP
    request_id: str = ""


@dataclass(frozen=True)
class Spawned:
    """The child and its run, as stored."""

    placed: PlacedRun
    child: Session
    exchange_id: str
    route: Route | None
    view: View


async def sessions_spawn(db: Database, rules: Rules, caller: Caller, query: SpawnQuery) -> Spawned:
    """One transaction creates the child, its first message, its run and the exchange."""
    _check(rules, query)
    ids = {"run": new_id(), "exchange": new_id(), "child": str(uuid.uuid4())}
    return await db.write(lambda tx: _spawn(tx, rules, caller, query, ids))


def _check(rules: Rules, query: SpawnQuery) -> None:
    problems = []
    if not query.task.strip():
        problems.append(FieldProblem("task", "is blank"))
    if len(query.label) > MAX_LABEL:
        problems.append(FieldProblem("label", f"is longer than {MAX_LABEL} characters"))
    if problems:
        raise InvalidField(*problems)
    require_text_size(rules, "task", query.task)
    if query.model and query.model not in rules.models:
        raise ModelUnknown("model", query.model, sorted(rules.models))


def _spawn(tx: Tx, rules: Rules, caller: Caller, query: SpawnQuery, ids: dict[str, str]) -> Spawned:
    view = make_acting(tx, rules, view_of(tx, rules, caller))
    requester = sessions.get(tx, view.acting.id, lock=True) if view.acting else None
    content = (query.task, query.label, query.agent_id, query.model, query.run_timeout_s, query.cleanup)
    request = Request(caller, query.request_id, "SessionsSpawn", content)
    done = answered_once(tx, request, lambda: _create(tx, rules, caller, view, requester, query, ids))
    placed = runs.find(tx, done["run"])
    if placed is None:
        raise SessionNotFound  # the child was purged since the first call of this request
    route = Route(*done["route"]) if done["route"] else None
    return Spawned(placed, sessions.get(tx, placed.run.session), done["exchange"], route, view)


def _create(
    tx: Tx,
    rules: Rules,
    caller: Caller,
    view: View,
    requester: Session | None,
    query: SpawnQuery,
    ids: dict[str, str],
) -> dict[str, Any]:
    agent = _agent(rules, requester, query)
    child = _child(tx, rules, requester, agent, query, ids["child"])
    _require_policy(rules, child)
    source = Provenance(ProvenanceKind.SUBAGENT_TASK, requester.key if requester else "", _run_id(view), SPAWN)
    turn = Turn(
        kind=RunKind.SPAWN,
        content=(Text(query.task),),
        provenance=source,
        run_id=ids["run"],
        exchange_id=ids["exchange"],
        timeout_ms=query.run_timeout_s * 1000,
    )
    queued = start_turn(tx, rules, caller, view, child, turn)
    route = route_from(key_of(requester, rules), requester) if requester else None
    new = NewExchange(
        id=ids["exchange"],
        kind=ExchangeKind.SPAWN,
        target_session=child.id,
        requester_session=requester.id if requester else None,
        primary_run_id=ids["run"],
        request_place=messages.place_of(child.generation, queued.input.sequence),
        max_turns=0,
        announce=AnnouncePolicy.MODEL_MAY_SKIP,
        route=route,
        cleanup=query.cleanup,
    )
    exchanges.create(tx, new)
    parts = [route.channel, route.to, route.account_id, route.thread_id] if route else None
    return {"run": ids["run"], "exchange": ids["exchange"], "route": parts}


def _agent(rules: Rules, requester: Session | None, query: SpawnQuery) -> Agent:
    """Who may take the task: checked by the function that AgentsList shows (P3, P4)."""
    if (requester.spawn_depth if requester else 0) >= rules.subagents.max_depth:
        raise SubagentSpawn(rules.subagents.max_depth)
    if requester and requester.spawn_depth and not ToolPolicy(deny=rules.subagents.tools_deny).allows(SPAWN):
        raise ToolDenied(SPAWN)
    requester_id = requester.agent_id if requester else rules.roster.default_id
    wanted = agent_id_of(query.agent_id) if query.agent_id else requester_id
    agent = rules.roster.agents.get(wanted)
    if agent is None:
        raise AgentNotFound(wanted)
    _, allowed = allowed_agents(rules.roster, requester_id)
    if wanted not in {each.id for each in allowed}:
        raise AgentNotAllowed(wanted, requester_id, [each.id for each in allowed])
    return agent


def _child(tx: Tx, rules: Rules, requester: Session | None, agent: Agent, query: SpawnQuery, child_id: str) -> Session:
    """The child's session; its authority is fixed here and never wider than the requester's (P6)."""
    if requester is not None and exchanges.open_spawns(tx, requester.id) >= rules.subagents.max_children:
        raise ChildLimit(rules.subagents.max_children)
    key = SessionKey(agent.id, f"subagent:{child_id}", is_main=False)
    inherited = ToolPolicy.parse(requester.tool_policy) if requester else ToolPolicy()
    tools = subagent_policy(rules.subagents.tools_allow, rules.subagents.tools_deny, inherited)
    confined = is_sandboxed(agent, is_main=False) or bool(requester and requester.sandboxed)
    new = NewSession(
        key=str(key),
        agent_id=agent.id,
        kind=key.kind,
        session_id=new_id(),
        sandboxed=confined,
        is_subagent=True,
        spawned_by=requester,
        label=query.label,
        model=query.model or agent.subagent_model or agent.model,
        tool_policy=tools.stored(),
    )
    return sessions.create(tx, new)


def _require_policy(rules: Rules, child: Session) -> None:
    verdict = judge(rules.send_policy, PolicySubject(child.key, UNKNOWN_CHANNEL, ""))
    if not verdict.allowed:
        raise SendPolicyDenied(child.key, verdict.rule)


def _run_id(view: View) -> str:
    return view.run.id if view.run else ""
