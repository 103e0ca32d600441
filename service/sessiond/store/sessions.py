"""Session rows: finding them for a caller, making them, and changing their settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import sqlalchemy as sa

from sessiond.model.errors import SessionNotFound
from sessiond.model.keys import SessionKind
from sessiond.model.messages import Usage
from sessiond.model.sessions import NOWHERE, Route, Session
from sessiond.model.visibility import EVERYTHING, Scope
from sessiond.store.schema import exchanges, runs, session_generations, sessions
from sessiond.store.statement import Among, Statement, insert, locking, numbered, numbers
from sessiond.store.transaction import Later, Row, Tx
from sessiond.store.visibility import ScopeShape, scope_params, shape_of, visible

COLUMNS = [sessions.c[name] for name in Session._fields]


def as_session(row: Row) -> Session:
    """A row of COLUMNS as the model's session."""
    return Session._make(row)


@dataclass(frozen=True)
class Generation:
    """One generation of a session: what a transcript is read from."""

    id: int
    session_id: str
    last_sequence: int
    tool_results: int


@dataclass(frozen=True)
class NewSession:
    """What a new session starts with."""

    key: str
    agent_id: str
    kind: SessionKind
    session_id: str
    sandboxed: bool = False
    is_subagent: bool = False
    spawned_by: Session | None = None
    label: str = ""
    model: str = ""
    tool_policy: str = ""


def get(tx: Tx, session: int, lock: bool = False) -> Session:
    """The session of a row id that was found before; on PostgreSQL it may have been purged since."""
    row = tx.row(_GET_LOCKED if lock else _GET, id_=session)
    if row is None:
        raise SessionNotFound
    return as_session(row)


def get_all(tx: Tx, ids: Sequence[int]) -> dict[int, Session]:
    """The sessions of these row ids, which were found before in the same view."""
    return ask_all(tx, ids)()


def ask_all(tx: Tx, ids: Sequence[int]) -> Callable[[], dict[int, Session]]:
    """As get_all, to be looked at later."""
    return _ask(tx, _get_all, ids) if ids else dict


def ask_free(tx: Tx, ids: Sequence[int]) -> Callable[[], dict[int, Session]]:
    """The same, locked, without those that somebody has."""
    return _ask(tx, _lock_free, ids)


def _ask(tx: Tx, statement: Callable[[int], Statement], ids: Sequence[int]) -> Callable[[], dict[int, Session]]:
    params = numbered("at", ids)
    asked = tx.ask(statement(len(params)), **params)
    return lambda: {row[0]: as_session(row) for row in asked()}


def ask_locked_of(tx: Tx, run_ids: Sequence[str], waits: bool = True) -> Later:
    """The sessions that the end of these runs may change, to be looked at later with `as_session`.

    Each run's own and both sides of its exchange, which never change, locked in the order that everybody keeps; those
    that somebody has are waited for, or left out.
    """
    params = numbered("run", run_ids)
    return tx.ask(_lock_of_runs(len(params), waits), **params)


def is_visible(tx: Tx, session: int, scope: Scope) -> bool:
    """Whether the scope shows the session of this row id."""
    return tx.row(_find_by("id", shape_of(scope), False), id=session, **scope_params(scope)) is not None


def find_by_key(tx: Tx, key: str, scope: Scope = EVERYTHING, lock: bool = False) -> Session | None:
    """The session of this key, if the scope shows it."""
    statement = _find_by("key", shape_of(scope), lock)
    row = tx.row(statement, key=key, **scope_params(scope))
    return as_session(row) if row else None


def find_by_keys(tx: Tx, keys: Sequence[str]) -> dict[str, Session]:
    """The sessions of these keys, locked in the order that everybody keeps; for callers that see everything."""
    params = numbered("key", list(dict.fromkeys(keys)))
    return {session.key: session for session in map(as_session, tx.rows(_find_by_keys(len(params)), **params))}


def find_by_session_id(tx: Tx, session_id: str, scope: Scope = EVERYTHING, lock: bool = False) -> Session | None:
    """The session whose current generation has this id, if the scope shows it."""
    statement = _find_by("session_id", shape_of(scope), lock)
    row = tx.row(statement, session_id=session_id, **scope_params(scope))
    return as_session(row) if row else None


def find_by_old_session_id(tx: Tx, session_id: str, scope: Scope = EVERYTHING) -> tuple[Session, Generation] | None:
    """An ended generation and the session it belongs to, if the scope shows that."""
    row = tx.row(_find_by_old(shape_of(scope)), session_id=session_id, **scope_params(scope))
    return (as_session(row[4:]), Generation(*row[:4])) if row else None


def find_by_label(tx: Tx, label: str, scope: Scope, agent_id: str = "", limit: int = 10) -> list[Session]:
    """The live sessions with this label that the scope shows."""
    statement = _find_by_label(shape_of(scope), bool(agent_id))
    rows = tx.rows(statement, label=label, agent=agent_id, limit=limit, **scope_params(scope))
    return [as_session(row) for row in rows]


def create(tx: Tx, new: NewSession) -> Session:
    """Make a session and its first generation, or return the one that is there already."""
    parent = new.spawned_by
    values = {
        "key": new.key,
        "agent_id": new.agent_id,
        "kind": new.kind.value,
        "session_id": new.session_id,
        "created_ms": tx.now_ms,
        "updated_ms": tx.now_ms,
        "sandboxed": int(new.sandboxed),
        "spawned_by": parent.key if parent else "",
        "spawn_path": f"{parent.spawn_path or '/'}{parent.id}/" if parent else "",
        "spawn_root": int((parent.spawn_path or f"/{parent.id}/").split("/", 2)[1]) if parent else None,
        "spawn_depth": parent.spawn_depth + 1 if parent else int(new.is_subagent),
        "label": new.label,
        "model": new.model,
        "tool_policy": new.tool_policy,
    }
    if tx.row(_CREATE, **values):
        row = tx.row(_CREATE_GENERATION, key=new.key, session_id=new.session_id, created_ms=tx.now_ms)
        tx.run(_ENTER_GENERATION, key=new.key, new_generation=row[0] if row else 0, new_session_id=new.session_id)
    found = find_by_key(tx, new.key, lock=True)
    assert found is not None  # noqa: S101 - just made, or somebody else's that was in the way
    return found


def start_generation(tx: Tx, session: Session, session_id: str) -> Session:
    """End the current generation and begin the next under the same key."""
    ended = {"last_sequence": session.last_sequence, "tool_results": session.tool_results}
    tx.run(_END_GENERATION, id_=session.generation, ended_ms=tx.now_ms, **ended)
    row = tx.row(_CREATE_GENERATION, key=session.key, session_id=session_id, created_ms=tx.now_ms)
    tx.run(_ENTER_GENERATION, key=session.key, new_generation=row[0] if row else 0, new_session_id=session_id)
    tx.run(_FORGET, key=session.key, updated_ms=tx.now_ms)
    return _again(tx, session)


def change(tx: Tx, session: Session, values: Mapping[str, Any]) -> Session:
    """Set these columns, as settings of the session: its etag changes."""
    columns = tuple(sorted(values))
    tx.run(_change(columns), id_=session.id, **{f"new_{name}": values[name] for name in columns})
    return _again(tx, session)


def route_columns(route: Route | None) -> dict[str, str]:
    """Where a session's delivery context is stored; None clears it."""
    route = route or NOWHERE
    return {
        "route_channel": route.channel,
        "route_to": route.to,
        "route_account_id": route.account_id,
        "route_thread_id": route.thread_id,
    }


def add_spawned_usage(tx: Tx, child: Session, usage: Usage) -> None:
    """Keep what a run of a sub-agent took with the session that spawned it."""
    tx.run(_SPAWNED_USAGE, parent=child.spawned_by, tokens=usage.total_tokens, cost=usage.cost_usd or 0.0)


def archive(tx: Tx, session: Session) -> Session:
    """Hide the session from lists; nothing of it is lost."""
    tx.run(_ARCHIVE, id_=session.id, now=tx.now_ms)
    return _again(tx, session)


def generations(tx: Tx, session: Session) -> list[int]:
    """Every generation of a session, the current one too."""
    return [row[0] for row in tx.rows(_GENERATIONS, session=session.id)]


def delete(tx: Tx, session: Session) -> None:
    """Remove the session's own rows; what hangs on it is removed before."""
    tx.run(_DELETE_GENERATIONS, session=session.id)
    tx.run(_DELETE, id_=session.id)


def _again(tx: Tx, session: Session) -> Session:
    found = find_by_key(tx, session.key)
    assert found is not None  # noqa: S101 - its row is locked by this transaction
    return found


@lru_cache
def _find_by(column: str, shape: ScopeShape, lock: bool) -> Statement:
    found = sa.select(*COLUMNS).where(sessions.c[column] == sa.bindparam(column), visible(shape))
    return Statement(f"a visible session by its {column}", found.with_for_update() if lock else found)


@lru_cache
def _get_all(count: int) -> Statement:
    ids = numbers("at", count, sa.BigInteger())
    return Statement("sessions by their row ids", sa.select(*COLUMNS).where(sessions.c.id.in_(ids)))


@lru_cache
def _lock_free(count: int) -> Statement:
    """In any order, since it waits for nobody."""
    found = sa.select(*COLUMNS).where(sessions.c.id.in_(numbers("at", count, sa.BigInteger())))
    return Statement("sessions that nobody has, locked", found.with_for_update(skip_locked=True))


@lru_cache
def _lock_of_runs(count: int, waits: bool) -> Statement:
    of_runs = runs.c.id.in_(numbers("run", count))
    around = Among(exchanges.c.id, sa.select(runs.c.exchange_id).where(of_runs))
    changed = sa.union_all(
        sa.select(runs.c.session).where(of_runs),
        sa.select(exchanges.c.target_session).where(around),
        sa.select(exchanges.c.requester_session).where(around),
    )
    found = sa.select(*COLUMNS).where(Among(sessions.c.id, changed))
    purpose = "the sessions that the end of runs may change, locked"
    return locking(purpose, found, sessions.c.id, of=sessions, skip_locked=not waits)


@lru_cache
def _find_by_keys(count: int) -> Statement:
    found = sa.select(*COLUMNS).where(sessions.c.key.in_(numbers("key", count)))
    return locking("sessions by their keys, locked", found, sessions.c.id)


@lru_cache
def _find_by_old(shape: ScopeShape) -> Statement:
    ended = session_generations
    columns = (ended.c.id, ended.c.session_id, ended.c.last_sequence, ended.c.tool_results)
    found = (
        sa.select(*columns, *COLUMNS)
        .join(sessions, sessions.c.id == ended.c.session)
        .where(ended.c.session_id == sa.bindparam("session_id"), visible(shape))
    )
    return Statement("a visible generation by its session id", found)


@lru_cache
def _find_by_label(shape: ScopeShape, in_agent: bool) -> Statement:
    found = (
        sa.select(*COLUMNS)
        .where(sessions.c.label == sa.bindparam("label"), sessions.c.label != sa.literal_column("''"))
        .where(sessions.c.is_archived == sa.literal_column("0"), visible(shape))
        .order_by(sessions.c.updated_ms.desc(), sessions.c.key)
        .limit(sa.bindparam("limit", type_=sa.BigInteger))
    )
    if in_agent:
        found = found.where(sessions.c.agent_id == sa.bindparam("agent"))
    return Statement("the visible sessions of a label", found)


@lru_cache
def _change(columns: tuple[str, ...]) -> Statement:
    values = {name: sa.bindparam(f"new_{name}", type_=sessions.c[name].type) for name in columns}
    values["settings_version"] = sessions.c.settings_version + 1  # type: ignore[assignment]
    values["version"] = sessions.c.version + 1  # type: ignore[assignment]
    return Statement("change settings", sa.update(sessions).where(sessions.c.id == sa.bindparam("id_")).values(values))


_by_id = sa.select(*COLUMNS).where(sessions.c.id == sa.bindparam("id_"))
_GET = Statement("a session by its row id", _by_id)
_GET_LOCKED = Statement("a session by its row id, locked", _by_id.with_for_update())
_CREATE = Statement(
    "make a session unless its key is taken",
    insert(
        sessions,
        [
            *("key", "agent_id", "kind", "session_id", "created_ms", "updated_ms", "sandboxed"),
            *("spawned_by", "spawn_path", "spawn_root", "spawn_depth", "label", "model", "tool_policy"),
        ],
        ignore_conflicts=True,
    )
    .values(generation=sa.literal_column("0"))
    .returning(sessions.c.id),
)
_CREATE_GENERATION = Statement(
    "begin a generation",
    sa.insert(session_generations)
    .from_select(
        ["session", "session_id", "created_ms"],
        sa.select(
            sessions.c.id,
            sa.bindparam("session_id", type_=sa.Text),
            sa.bindparam("created_ms", type_=sa.BigInteger),
        ).where(sessions.c.key == sa.bindparam("key")),
    )
    .returning(session_generations.c.id),
)
_ENTER_GENERATION = Statement(
    "make a generation the current one",
    sa.update(sessions)
    .where(sessions.c.key == sa.bindparam("key"))
    .values(
        generation=sa.bindparam("new_generation"),
        session_id=sa.bindparam("new_session_id"),
        last_sequence=0,
        tool_results=0,
        version=sessions.c.version + 1,
    ),
)
_FORGET = Statement(
    "what belonged to the ended generation starts anew",
    sa.update(sessions)
    .where(sessions.c.key == sa.bindparam("key"))
    .values(
        updated_ms=sa.bindparam("updated_ms"),
        system_sent=0,
        aborted_last_run=0,
        context_tokens=sa.null(),
        total_tokens=sa.null(),
        version=sessions.c.version + 1,
    ),
)
_END_GENERATION = Statement(
    "end a generation and note what its transcript counts",
    sa.update(session_generations)
    .where(session_generations.c.id == sa.bindparam("id_"))
    .values(
        ended_ms=sa.bindparam("ended_ms"),
        last_sequence=sa.bindparam("last_sequence"),
        tool_results=sa.bindparam("tool_results"),
    ),
)
_ARCHIVE = Statement(
    "hide a session from lists",
    sa.update(sessions)
    .where(sessions.c.id == sa.bindparam("id_"))
    .values(
        is_archived=1,
        archived_ms=sa.func.coalesce(sessions.c.archived_ms, sa.bindparam("now")),
        version=sessions.c.version + 1,
    ),
)
_SPAWNED_USAGE = Statement(
    "add what a sub-agent took to the session that spawned it",
    sa.update(sessions)
    .where(sessions.c.key == sa.bindparam("parent"))
    .values(
        spawned_tokens=sessions.c.spawned_tokens + sa.bindparam("tokens"),
        spawned_cost_usd=sessions.c.spawned_cost_usd + sa.bindparam("cost"),
        version=sessions.c.version + 1,
    ),
)
_GENERATIONS = Statement(
    "every generation of a session",
    sa.select(session_generations.c.id).where(session_generations.c.session == sa.bindparam("session")),
)
_DELETE_GENERATIONS = Statement(
    "forget a session's generations",
    sa.delete(session_generations).where(session_generations.c.session == sa.bindparam("session")),
)
_DELETE = Statement("forget a session", sa.delete(sessions).where(sessions.c.id == sa.bindparam("id_")))
