"""SessionsSend: a message into another session, and the wait for its run (S1-S8, S14)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

from sessiond.access import View, find_labelled, find_or_make, key_of, make_acting, view_of
from sessiond.ids import new_id
from sessiond.model.callers import Caller
from sessiond.model.errors import AgentToAgentDenied, FieldProblem, InvalidField, SessionNotFound
from sessiond.model.exchanges import AnnouncePolicy, ExchangeKind, route_from
from sessiond.model.keys import agent_id_of, main_key_of
from sessiond.model.messages import Provenance, ProvenanceKind, Text
from sessiond.model.rules import Rules
from sessiond.model.runs import RunKind, RunState
from sessiond.model.sessions import Route, Session
from sessiond.model.visibility import may_reach
from sessiond.store import exchanges, messages, runs
from sessiond.store.database import Database
from sessiond.store.exchanges import NewExchange
from sessiond.store.requests import Request, answered_once
from sessiond.store.run_events import run_topic
from sessiond.store.runs import PlacedRun
from sessiond.store.transaction import Tx
from sessiond.turns import Turn, require_policy, require_size, start_turn
from sessiond.waiting import DRAIN_TOPIC, NotedWait, Waits, end_noted, note_wait

DEFAULT_TIMEOUT_S = 30
MAX_TIMEOUT_S = 3600
MAX_TURNS = 5
TOOL = "sessions_send"


@dataclass(frozen=True)
class SendQuery:
    """What a caller sends; None = not set."""

    message: str
    session_key: str = ""
    label: str = ""
    agent_id: str = ""
    timeout_s: int | None = None
    max_turns: int | None = None
    announce: AnnouncePolicy = AnnouncePolicy.MODEL_MAY_SKIP
    request_id: str = ""
    deadline_s: float | None = None


@dataclass(frozen=True)
class Sent:
    """What was stored, and the run as the wait left it."""

    placed: PlacedRun
    message_id: str
    exchange_id: str
    announce: AnnouncePolicy
    route: Route | None
    max_turns: int
    waited: bool
    view: View


async def sessions_send(db: Database, rules: Rules, waits: Waits, caller: Caller, query: SendQuery) -> Sent:
    """One transaction stores message, run and exchange; then the wait, which holds nothing."""
    _check(rules, query)
    timeout_s = DEFAULT_TIMEOUT_S if query.timeout_s is None else query.timeout_s
    ids = {"run": new_id(), "exchange": new_id(), "wait": new_id()}
    if not timeout_s:
        return await db.write(lambda tx: _send(tx, rules, caller, query, ids, waits_for_it=False))
    with waits.slot(caller):
        sent = await db.write(lambda tx: _send(tx, rules, caller, query, ids, waits_for_it=True))
        async with _noted_wait(db, sent, ids["wait"]) as note:
            # The answer must be on its way before the caller gives up, or it would not learn what is stored.
            return await _waited(db, waits, sent, note, min(timeout_s, 0.8 * (query.deadline_s or timeout_s / 0.8)))


def _check(rules: Rules, query: SendQuery) -> None:
    problems = []
    if query.session_key and query.label:
        problems.append(FieldProblem("label", "give session_key or label, not both"))
    if not (query.session_key or query.label or query.agent_id):
        problems.append(FieldProblem("session_key", "is required, or label, or agent_id alone"))
    if not query.message.strip():
        problems.append(FieldProblem("message", "is blank"))
    if (query.timeout_s or 0) > MAX_TIMEOUT_S:
        problems.append(FieldProblem("timeout_seconds", f"is more than {MAX_TIMEOUT_S}; wait again with WaitRun"))
    if (query.max_turns or 0) > MAX_TURNS:
        problems.append(FieldProblem("max_ping_pong_turns", f"is more than {MAX_TURNS}"))
    if problems:
        raise InvalidField(*problems)
    require_size(rules, "message", (Text(query.message),))


def _send(tx: Tx, rules: Rules, caller: Caller, query: SendQuery, ids: dict[str, str], *, waits_for_it: bool) -> Sent:
    view = make_acting(tx, rules, view_of(tx, rules, caller))
    content = (query.session_key, query.label, query.agent_id, query.message, query.max_turns, query.announce)
    request = Request(caller, query.request_id, "SessionsSend", content)
    done = answered_once(tx, request, lambda: _store(tx, rules, caller, view, query, ids))
    placed = replace(_placed(tx, done), parties=frozenset({view.acting.id if view.acting else None}))
    if waits_for_it and not placed.run.is_final:
        note_wait(tx, rules, view, done["run"], ids["wait"])
    route = Route(*done["route"]) if done["route"] else None
    return Sent(
        placed, done["message"], done["exchange"], query.announce, route, done["turns"], waited=False, view=view
    )


def _store(tx: Tx, rules: Rules, caller: Caller, view: View, query: SendQuery, ids: dict[str, str]) -> dict[str, Any]:
    """Message, run and exchange; the gates are in the order that S6 gives."""
    target = _target(tx, rules, view, query)
    _require_reach(rules, view, target)
    require_policy(rules, view, target)
    source = view.acting.key if view.acting else ""
    provenance = Provenance(ProvenanceKind.INTER_SESSION, source, view.run.id if view.run else "", TOOL)
    turn = Turn(RunKind.SEND, (Text(query.message),), provenance, ids["run"], ids["exchange"])
    queued = start_turn(tx, rules, caller, view, target, turn)
    route = route_from(key_of(target, rules), target)
    requester = view.acting.id if view.acting and view.acting.id else None
    turns = rules.runs.max_turns if query.max_turns is None else min(query.max_turns, rules.runs.max_turns)
    new = NewExchange(
        id=ids["exchange"],
        kind=ExchangeKind.SEND,
        target_session=target.id,
        requester_session=requester,
        primary_run_id=ids["run"],
        request_place=messages.place_of(target.generation, queued.input.sequence),
        max_turns=turns if requester not in (None, target.id) else 0,
        announce=query.announce,
        route=route if query.announce is not AnnouncePolicy.NEVER else None,
    )
    exchanges.create(tx, new)
    return {
        "run": ids["run"],
        "exchange": ids["exchange"],
        "message": queued.input.id,
        "key": target.key,
        "session_id": target.session_id,
        "position": queued.queue_position,
        "blocking": queued.blocking_run_id,
        "turns": new.max_turns,
        "route": list(_parts(new.route)) if new.route else None,
    }


def _placed(tx: Tx, done: dict[str, Any]) -> PlacedRun:
    """The run as committed; its place in the queue is the one it was given, so that nothing has to be counted."""
    run = runs.get(tx, done["run"])
    if run is None:
        raise SessionNotFound  # the session was purged since the first call of this request
    if run.state != RunState.QUEUED:
        return PlacedRun(run, done["key"], done["session_id"])
    return PlacedRun(run, done["key"], done["session_id"], done["position"], done["blocking"])


def _target(tx: Tx, rules: Rules, view: View, query: SendQuery) -> Session:
    """The session that is meant: by key, by label, or an agent's main (S1)."""
    if query.label:
        return find_labelled(tx, rules, view, query.label, query.agent_id, lock=True)
    if query.session_key:
        found = find_or_make(tx, rules, view, query.session_key, may_make=False)
        if query.agent_id and agent_id_of(query.agent_id) != found.agent_id:
            raise SessionNotFound("session_key")
        return found
    key = main_key_of(agent_id_of(query.agent_id), rules.keys)
    return find_or_make(tx, rules, view, str(key), may_make=False, field="agent_id")


def _require_reach(rules: Rules, view: View, target: Session) -> None:
    """Agents talk to other agents only where both are allowed to; also to a child under another agent."""
    if view.acting is None or may_reach(view.acting.agent_id, target.agent_id, rules.visibility):
        return
    enabled = rules.visibility.agent_to_agent
    raise AgentToAgentDenied("tools.agentToAgent.allow" if enabled else "tools.agentToAgent.enabled")


@asynccontextmanager
async def _noted_wait(db: Database, sent: Sent, wait_id: str) -> AsyncIterator[NotedWait]:
    """The wait that was noted with the message; whatever ends it, the database learns that this run waits no more."""
    ids = (wait_id,) if sent.view.run is not None else ()
    try:
        yield NotedWait(db, ids)
    finally:
        if ids:
            await asyncio.shield(end_noted(db, ids))


async def _waited(db: Database, waits: Waits, sent: Sent, note: NotedWait, timeout_s: float) -> Sent:
    """The run once it is final, or as it is when the time is over or the server drains."""
    loop = asyncio.get_running_loop()
    until = loop.time() + timeout_s
    run_id = sent.placed.run.id
    with waits.wake.listen(run_topic(run_id), DRAIN_TOPIC) as changed:
        while True:
            changed.clear()
            placed = await db.read(lambda tx: runs.find_told(tx, run_id)) or sent.placed
            left = until - loop.time()
            if placed.run.is_final or left <= 0 or waits.is_draining:
                return replace(sent, placed=placed, waited=True)
            await note.renew()
            await changed.wait_at_most(min(left, POLL_S))


# A hint may get lost between replicas; then the next look finds what happened.
POLL_S = 15.0


def _parts(route: Route) -> tuple[str, str, str, str]:
    return route.channel, route.to, route.account_id, route.thread_id
