"""SessionsReset: a new generation under the same key; the old transcript stays readable by its id."""

from __future__ import annotations

from dataclasses import dataclass

from sessiond.access import View, find_or_make, view_of
from sessiond.ids import new_id
from sessiond.model.callers import Caller
from sessiond.model.errors import SessionBusy, SessionNotFound
from sessiond.model.rules import Rules
from sessiond.model.sessions import Session
from sessiond.store import sessions
from sessiond.store.database import Database
from sessiond.store.requests import Request, answered_once
from sessiond.store.transaction import Tx


@dataclass(frozen=True)
class ResetQuery:
    """Which session begins anew."""

    reference: str
    request_id: str = ""


@dataclass(frozen=True)
class ResetAnswer:
    """The session in its new generation, and the one that ended."""

    session: Session
    previous_session_id: str
    view: View


async def sessions_reset(db: Database, rules: Rules, caller: Caller, query: ResetQuery) -> ResetAnswer:
    """Begin a new generation; a retry with the same request_id begins none."""
    return await db.write(lambda tx: _reset(tx, rules, caller, query))


def _reset(tx: Tx, rules: Rules, caller: Caller, query: ResetQuery) -> ResetAnswer:
    view = view_of(tx, rules, caller)
    request = Request(caller, query.request_id, "SessionsReset", (query.reference,))

    def reset() -> dict[str, str]:
        session = find_or_make(tx, rules, view, query.reference, may_make=False)
        if session.unfinished_runs:  # its reply belongs to the transcript that asked for it
            raise SessionBusy(session.active_run_id)
        sessions.start_generation(tx, session, new_id())
        return {"key": session.key, "previous": session.session_id}

    done = answered_once(tx, request, reset)
    session = sessions.find_by_key(tx, done["key"], view.scope)
    if session is None:
        raise SessionNotFound
    return ResetAnswer(session, done["previous"], view)
