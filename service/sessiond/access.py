"""Who asks, what they see, and which session they mean: the first step of every use case (K2, K3, K8, V3, V4)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sessiond.ids import new_id
from sessiond.model.agents import is_sandboxed
from sessiond.model.callers import Caller, RunToken
from sessiond.model.errors import (
    AgentNotFound,
    InvalidKey,
    LabelAmbiguous,
    SessionNotFound,
    Unauthenticated,
)
from sessiond.model.keys import SessionKey, agent_id_of, canonical, parse, shown
from sessiond.model.rules import Rules
from sessiond.model.runs import Run
from sessiond.model.sessions import Session, kind_of
from sessiond.model.tools import ToolPolicy
from sessiond.model.visibility import ActingSession, Scope, scope_of
from sessiond.store import runs, sessions
from sessiond.store.database import Database
from sessiond.store.sessions import Generation, NewSession
from sessiond.store.transaction import Tx

ACTING_FIELD = "acting-session"


@dataclass(frozen=True)
class View:
    """A caller's place in the house: where it acts from and what it may see."""

    acting: ActingSession | None
    scope: Scope
    run: Run | None = None  # the unfinished run of the acting session: parent, and waiting run, of what the caller does

    @property
    def agent_id(self) -> str | None:
        """The agent that bare keys belong to; None = the default agent."""
        return self.acting.agent_id if self.acting else None


def view_of(tx: Tx, rules: Rules, caller: Caller) -> View:
    """Work out the caller's view, from its credential and acting session alone."""
    if caller.run_token is None and not caller.acting_reference:
        return View(None, scope_of(None, rules.visibility, rules.roster))
    if caller.run_token is not None:
        acting, run = _run_of(tx, caller.run_token)
    else:
        acting, run = _acting(tx, rules, caller.acting_reference)
    return View(acting, scope_of(acting, rules.visibility, rules.roster), run)


def find_session(
    tx: Tx, rules: Rules, view: View, reference: str, field: str = "session_key", lock: bool = False
) -> Session:
    """The session a reference means: exact key first, then the id of its current generation (K8)."""
    key = canonical(reference, rules.keys, view.agent_id, field)
    found = sessions.find_by_key(tx, str(key), view.scope, lock)
    found = found or sessions.find_by_session_id(tx, reference.strip(), view.scope, lock)
    if found is None:
        raise SessionNotFound(field)
    return found


def find_transcript(tx: Tx, rules: Rules, view: View, reference: str) -> tuple[Session, Generation]:
    """As find_session, but the id of an old generation leads to its own transcript."""
    old = None
    try:
        session = find_session(tx, rules, view, reference)
    except SessionNotFound:
        old = sessions.find_by_old_session_id(tx, reference.strip(), view.scope)
        if old is None:
            raise
        return old
    current = Generation(session.generation, session.session_id, session.last_sequence, session.tool_results)
    return session, current


def find_labelled(tx: Tx, rules: Rules, view: View, label: str, agent_id: str, lock: bool = False) -> Session:
    """The one visible session of this label (S1)."""
    agent_id = agent_id_of(agent_id) if agent_id else ""
    found = sessions.find_by_label(tx, label, view.scope, agent_id)
    if not found:
        raise SessionNotFound("label")
    if len(found) > 1:
        raise LabelAmbiguous(label, [shown(each.key, rules.keys, view.agent_id) for each in found])
    return sessions.get(tx, found[0].id, lock=True) if lock else found[0]


def find_or_make(
    tx: Tx, rules: Rules, view: View, reference: str, may_make: bool, field: str = "session_key"
) -> Session:
    """As find_session, for writers: makes the session if it may, or if it is a configured agent's main (K9)."""
    try:
        return find_session(tx, rules, view, reference, field, lock=True)
    except SessionNotFound:
        key = canonical(reference, rules.keys, view.agent_id, field)
        is_first_use = key.is_main and key.agent_id in rules.roster.agents
        if not (may_make or is_first_use) or not _would_see(view, key):
            raise
        if sessions.find_by_old_session_id(tx, reference.strip()):  # the id of an ended generation is no new key
            raise
        return make(tx, rules, key)


def make(tx: Tx, rules: Rules, key: SessionKey, is_history: bool = False) -> Session:
    """Make the session of a key; only history may belong to an agent that is not configured any more."""
    if key.is_reserved:
        raise InvalidKey(f"{key.rest!r} is reserved; no session can have this key")
    if key.agent_id not in rules.roster.agents and not is_history:
        raise AgentNotFound(key.agent_id)
    sandboxed = is_sandboxed(rules.roster.agents.get(key.agent_id), key.is_main)
    return sessions.create(
        tx, NewSession(str(key), key.agent_id, kind_of(key, None), new_id(), sandboxed, key.is_subagent)
    )


def _would_see(view: View, key: SessionKey) -> bool:
    """Whether the caller could see a session of this key, if there was one that nobody spawned."""
    is_own = view.acting is not None and view.acting.key == str(key)
    return is_own or view.scope.agents is None or key.agent_id in view.scope.agents


async def policy_of(db: Database, token: RunToken) -> ToolPolicy | None:
    """Which tools the holder of a run token may use; None when the token's lease is over."""
    return await db.read(lambda tx: _policy_of(tx, token))


def _policy_of(tx: Tx, token: RunToken) -> ToolPolicy | None:
    run = runs.get(tx, token.run_id)
    if run is None or not token.opens(run):
        return None
    return ToolPolicy.parse(sessions.get(tx, run.session).tool_policy)


def make_acting(tx: Tx, rules: Rules, view: View) -> View:
    """The view with its acting session made, if this is the first use of a configured agent's main (K9)."""
    if view.acting is None or view.acting.id:
        return view
    session = make(tx, rules, parse(view.acting.key, rules.keys))
    return replace(view, acting=_as_acting(session))


def _run_of(tx: Tx, token: RunToken) -> tuple[ActingSession, Run | None]:
    """Where a run token acts from; a token is as good as the lease it was made for."""
    run = runs.get(tx, token.run_id)
    if run is None or not token.opens(run):
        raise Unauthenticated
    return _as_acting(sessions.get(tx, run.session)), run


def _acting(tx: Tx, rules: Rules, reference: str) -> tuple[ActingSession, Run | None]:
    """Where metadata says that the caller acts from; a configured agent's main need not have had a message yet."""
    key = canonical(reference, rules.keys, field=ACTING_FIELD)
    found = sessions.find_by_key(tx, str(key)) or sessions.find_by_session_id(tx, reference.strip())
    if found is not None:
        return _as_acting(found), runs.get(tx, found.active_run_id) if found.active_run_id else None
    if not key.is_main or key.agent_id not in rules.roster.agents:
        raise SessionNotFound(ACTING_FIELD)
    sandboxed = is_sandboxed(rules.roster.agents[key.agent_id], is_main=True)
    return ActingSession(0, str(key), key.agent_id, sandboxed=sandboxed), None


def _as_acting(session: Session) -> ActingSession:
    return ActingSession(session.id, session.key, session.agent_id, session.spawn_path, bool(session.sandboxed))


def key_of(session: Session, rules: Rules) -> SessionKey:
    """The session's key, taken apart."""
    return parse(session.key, rules.keys)
