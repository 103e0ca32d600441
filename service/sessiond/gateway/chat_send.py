"""ChatSend: a message from outside comes into a session and starts a run (K9, Q2)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sessiond.access import View, find_or_make, key_of, view_of
from sessiond.ids import new_id
from sessiond.model.callers import Caller
from sessiond.model.commands import Command, SetSendPolicy, Stop, command_in
from sessiond.model.errors import AgentNotFound, FieldProblem, InvalidField, SessionNotFound
from sessiond.model.exchanges import route_from
from sessiond.model.keys import ChatType, canonical
from sessiond.model.messages import Block, Provenance, ProvenanceKind, Text
from sessiond.model.rules import Rules
from sessiond.model.runs import RunKind
from sessiond.model.sessions import Route, Session, kind_of, route_problem
from sessiond.stopping import stop_session
from sessiond.store import sessions
from sessiond.store.database import Database
from sessiond.store.requests import Request, answered_once
from sessiond.store.transaction import Tx
from sessiond.turns import Turn, require_policy, require_size, start_turn

MAX_NAME = 512


class ChatStatus(StrEnum):
    """What became of a message."""

    QUEUED = "queued"
    COMMAND = "command"
    IGNORED = "ignored"


@dataclass(frozen=True)
class ChatQuery:
    """A message as a gateway brings it."""

    reference: str
    content: tuple[Block, ...]
    is_owner: bool = False
    route: Route | None = None
    chat_type: ChatType | None = None
    group_subject: str = ""
    deliver: bool = True
    run_timeout_s: int = 0
    request_id: str = ""


@dataclass(frozen=True)
class ChatAnswer:
    """What was done with it."""

    status: ChatStatus
    session_key: str
    session_id: str  # empty when an ignored message would have been a session's first
    view: View
    run_id: str = ""
    message_id: str = ""
    queue_position: int = 0
    command_reply: str = ""


async def chat_send(db: Database, rules: Rules, caller: Caller, query: ChatQuery) -> ChatAnswer:
    """Store the message and queue its run, or carry out the command that it is."""
    _check(rules, query)
    run_id = new_id()
    return await db.write(lambda tx: _chat(tx, rules, caller, query, run_id))


def _check(rules: Rules, query: ChatQuery) -> None:
    problems = []
    if not any(not isinstance(block, Text) or block.text.strip() for block in query.content):
        problems.append(FieldProblem("text", "is blank; give text or content"))
    if problem := route_problem(query.route):
        problems.append(FieldProblem("route", problem))
    if len(query.group_subject) > MAX_NAME:
        problems.append(FieldProblem("group_subject", f"is longer than {MAX_NAME} characters"))
    if problems:
        raise InvalidField(*problems)
    require_size(rules, "text", query.content)


def _chat(tx: Tx, rules: Rules, caller: Caller, query: ChatQuery, run_id: str) -> ChatAnswer:
    view = view_of(tx, rules, caller)
    facts = (query.is_owner, query.route, query.chat_type, query.group_subject)
    content = (query.reference, query.content, *facts, query.deliver, query.run_timeout_s)
    request = Request(caller, query.request_id, "ChatSend", content)
    done = answered_once(tx, request, lambda: _receive(tx, rules, caller, view, query, run_id))
    key, row_id = done.pop("key"), done.pop("session", None)
    session = sessions.find_by_key(tx, key, view.scope)
    if row_id is not None and (session is None or session.id != row_id):
        raise SessionNotFound  # it was purged since the first call of this request
    session_id = session.session_id if session else ""
    status = ChatStatus(done.pop("status"))
    return ChatAnswer(status=status, session_key=key, session_id=session_id, view=view, **done)


def _receive(tx: Tx, rules: Rules, caller: Caller, view: View, query: ChatQuery, run_id: str) -> dict[str, Any]:
    key = canonical(query.reference, rules.keys, view.agent_id)
    if key.agent_id not in rules.roster.agents:
        raise AgentNotFound(key.agent_id)
    command = _command(query)
    if isinstance(command, SetSendPolicy) and not query.is_owner:
        return {"status": ChatStatus.IGNORED, "key": str(key)}
    session = find_or_make(tx, rules, view, query.reference, may_make=True)
    done = _do(tx, rules, caller, view, session, query, run_id)
    return {"session": session.id, "key": session.key, **done}


def _do(
    tx: Tx, rules: Rules, caller: Caller, view: View, session: Session, query: ChatQuery, run_id: str
) -> dict[str, Any]:
    command = _command(query)
    session = _note_facts(tx, rules, session, query)
    if command is not None:
        return _carry_out(tx, rules, caller, session, command)
    require_policy(rules, view, session)
    turn = Turn(
        kind=RunKind.CHAT,
        content=query.content,
        provenance=Provenance(ProvenanceKind.USER),
        run_id=run_id,
        timeout_ms=query.run_timeout_s * 1000,
        deliver=query.deliver,
        route=query.route or route_from(key_of(session, rules), session),
    )
    queued = start_turn(tx, rules, caller, view, session, turn)
    return {
        "status": ChatStatus.QUEUED,
        "run_id": run_id,
        "message_id": queued.input.id,
        "queue_position": queued.queue_position,
    }


def _note_facts(tx: Tx, rules: Rules, session: Session, query: ChatQuery) -> Session:
    """What the gateway tells of the chat: where it is reached, and what it is called."""
    told: dict[str, Any] = {}
    if query.route is not None:
        told |= sessions.route_columns(query.route)
    if query.chat_type is not None:
        told |= {"chat_type": query.chat_type.value, "kind": kind_of(key_of(session, rules), query.chat_type).value}
    if query.group_subject:
        told["group_subject"] = query.group_subject
    changed = {name: value for name, value in told.items() if getattr(session, name) != value}
    return sessions.change(tx, session, changed) if changed else session


def _command(query: ChatQuery) -> Command | None:
    match query.content:
        case (Text(text),):
            return command_in(text)
        case _:
            return None


def _carry_out(tx: Tx, rules: Rules, caller: Caller, session: Session, command: Command) -> dict[str, Any]:
    """Do what the command says; it is no part of the transcript, and works in a denied session too."""
    if isinstance(command, Stop):
        stopped = stop_session(tx, rules, session, caller.name, "/stop")
        reply = f"Stopped {len(stopped)} run{'' if len(stopped) == 1 else 's'}." if stopped else "Nothing to stop."
        return {"status": ChatStatus.COMMAND, "command_reply": reply}
    sessions.change(tx, session, {"send_policy": command.action})
    words = {"allow": "on", "deny": "off", None: "inherit"}
    return {"status": ChatStatus.COMMAND, "command_reply": f"Send policy: {words[command.action]}."}
