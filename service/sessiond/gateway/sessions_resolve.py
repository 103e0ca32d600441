"""SessionsResolve: one session by key, id or label; nothing is made."""

from __future__ import annotations

from dataclasses import dataclass

from sessiond.access import View, find_labelled, find_session, find_transcript, view_of
from sessiond.model.callers import Caller
from sessiond.model.errors import invalid
from sessiond.model.rules import Rules
from sessiond.model.sessions import Session
from sessiond.store.database import Database
from sessiond.store.transaction import Tx


@dataclass(frozen=True)
class ResolveQuery:
    """Exactly one of key, id and label; agent_id narrows a label."""

    session_key: str = ""
    session_id: str = ""
    label: str = ""
    agent_id: str = ""


async def sessions_resolve(db: Database, rules: Rules, caller: Caller, query: ResolveQuery) -> tuple[Session, View]:
    """The session that the caller means, if it may see it."""
    if sum(map(bool, (query.session_key, query.session_id, query.label))) != 1:
        raise invalid("session_key", "give exactly one of session_key, session_id and label")
    return await db.read(lambda tx: _resolve(tx, rules, caller, query))


def _resolve(tx: Tx, rules: Rules, caller: Caller, query: ResolveQuery) -> tuple[Session, View]:
    view = view_of(tx, rules, caller)
    if query.session_key:
        return find_session(tx, rules, view, query.session_key), view
    if query.session_id:
        return find_transcript(tx, rules, view, query.session_id)[0], view
    return find_labelled(tx, rules, view, query.label, query.agent_id), view
