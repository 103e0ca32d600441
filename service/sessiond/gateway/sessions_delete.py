"""SessionsDelete: archive a session, or remove it for good."""

from __future__ import annotations

from dataclasses import dataclass

from sessiond.access import find_session, key_of, view_of
from sessiond.model.callers import Caller
from sessiond.model.errors import SessionBusy, SessionProtected
from sessiond.model.rules import Rules
from sessiond.model.sessions import Session
from sessiond.store import deliveries, exchanges, retention, sessions
from sessiond.store.database import Database
from sessiond.store.transaction import Tx

# Small enough that other writers are not kept waiting by a large transcript.
PURGE_BATCH = 500


@dataclass(frozen=True)
class DeleteQuery:
    """Which session, and whether for good."""

    reference: str
    purge: bool = False


async def sessions_delete(db: Database, rules: Rules, caller: Caller, query: DeleteQuery) -> bool:
    """True when this call archived or removed the session; false when it was archived already."""
    session = await db.write(lambda tx: _archive(tx, rules, caller, query))
    if not query.purge:
        return session.archived_ms is None
    while await db.write(lambda tx: _purge_some(tx, session)):
        pass
    return True


def _archive(tx: Tx, rules: Rules, caller: Caller, query: DeleteQuery) -> Session:
    """Hide it at once, also before a purge: nobody sees a half-removed session. Returns it as it was."""
    session = find_session(tx, rules, view_of(tx, rules, caller), query.reference, lock=True)
    if key_of(session, rules).is_main:
        raise SessionProtected
    if session.unfinished_runs or (query.purge and _owes(tx, session)):
        raise SessionBusy(session.active_run_id)
    sessions.archive(tx, session)
    return session


def _owes(tx: Tx, session: Session) -> bool:
    """Whether something begun here, or a text on its way out, has no outcome yet."""
    return exchanges.has_open(tx, session.id) or deliveries.has_open_from(tx, session.id)


def _purge_some(tx: Tx, session: Session) -> bool:
    """Remove a batch of what hangs on the session; the session itself goes with the last one."""
    current = sessions.find_by_key(tx, session.key, lock=True)
    if current is not None and (current.unfinished_runs or _owes(tx, current)):  # it came back to life in between
        raise SessionBusy(current.active_run_id)
    return retention.purge_some(tx, session, PURGE_BATCH)
