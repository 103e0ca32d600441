"""Small builders: rows that a test needs before it can ask its question, made through the store."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from sessiond.ids import new_id
from sessiond.model.agents import Agent, Roster
from sessiond.model.callers import Caller, CallerRole
from sessiond.model.keys import KeyRules, parse
from sessiond.model.messages import Draft, Message, Role, Text
from sessiond.model.rules import Rules
from sessiond.model.sessions import Session, kind_of
from sessiond.model.visibility import ActingSession, VisibilityRules, VisibilitySetting
from sessiond.store import messages, sessions
from sessiond.store.database import Database
from sessiond.store.schema import runs
from sessiond.store.sessions import NewSession
from sessiond.store.statement import Statement, insert
from sessiond.store.transaction import Tx

OWNER = Caller(CallerRole.OWNER, "olivia")
_RUN = Statement("a run", insert(runs, runs.columns.keys()))


def rules_of(*agents: str, setting: VisibilitySetting = VisibilitySetting.ALL, **visibility: Any) -> Rules:
    """Rules with these agents beside `main`, and this visibility."""
    roster = Roster({each: Agent(each) for each in ("main", *agents)})
    return Rules(roster=roster, visibility=VisibilityRules(setting, **visibility))


def acting_as(key: str, role: CallerRole = CallerRole.GATEWAY, name: str = "gate") -> Caller:
    """A caller that acts from the session of this key."""
    return Caller(role, name, acting_reference=key)


def standing_in(session: Session) -> ActingSession:
    """The session, as a scope's own."""
    return ActingSession(session.id, session.key, session.agent_id, session.spawn_path, bool(session.sandboxed))


def words(text: str = "hello", role: Role = Role.USER) -> Draft:
    """A message of plain text."""
    return Draft(role, (Text(text),))


def tool_result(text: str = "42") -> Draft:
    """A message that a tool wrote."""
    return words(text, Role.TOOL_RESULT)


def put_session(tx: Tx, key: str, spawned_by: Session | None = None, sandboxed: bool = False) -> Session:
    """Make the session of a canonical key inside a transaction."""
    parsed = parse(key, KeyRules())
    return sessions.create(
        tx, NewSession(key, parsed.agent_id, kind_of(parsed, None), new_id(), sandboxed, spawned_by=spawned_by)
    )


async def make_session(
    db: Database,
    key: str = "agent:main:main",
    *,
    spawned_by: Session | None = None,
    sandboxed: bool = False,
    archived: bool = False,
    drafts: Sequence[Draft] = (),
    **columns: Any,
) -> Session:
    """A session with these columns and messages; it is returned as it stands afterwards."""

    def work(tx: Tx) -> Session:
        session = put_session(tx, key, spawned_by, sandboxed)
        if columns:
            session = sessions.change(tx, session, columns)
        messages.append(tx, session, drafts)
        return sessions.archive(tx, session) if archived else found(tx, key)

    return await db.write(work)


async def say(db: Database, key: str, *drafts: Draft) -> list[Message]:
    """Append messages to a session, as a run would."""
    return await db.write(lambda tx: messages.append(tx, found(tx, key), drafts))


async def start_generation(db: Database, key: str) -> Session:
    """Reset a session, without a use case."""
    return await db.write(lambda tx: sessions.start_generation(tx, found(tx, key), new_id()))


async def make_ended_runs(db: Database, session: Session, number: int) -> None:
    """So many runs of the session that are over."""
    empty = {column.name: _nothing(column) for column in runs.columns}
    ids = {"session": session.id, "generation": session.generation, "state": "succeeded"}
    rows = [empty | ids | {"id": new_id(), "run_order": order} for order in range(1, number + 1)]
    await db.write(lambda tx: tx.run_many(_RUN, rows))


def _nothing(column: sa.Column[Any]) -> Any:
    """A value that says nothing, whatever the column is."""
    if column.nullable:
        return None
    return "" if isinstance(column.type, sa.Text) else 0


def busy_with(run_id: str) -> dict[str, Any]:
    """The columns of a session that has an unfinished run."""
    return {"unfinished_runs": 1, "active_run_id": run_id, "active_run_state": "running"}


def found(tx: Tx, key: str) -> Session:
    """The session of this key, its row locked."""
    session = sessions.find_by_key(tx, key, lock=True)
    assert session is not None
    return session


async def session_of(db: Database, key: str) -> Session | None:
    """The session of this key as it stands now."""
    return await db.read(lambda tx: sessions.find_by_key(tx, key))


async def count(db: Database, table: sa.Table) -> int:
    """How many rows a table has."""
    statement = Statement("count", sa.select(sa.func.count()).select_from(table))
    [row] = await db.read(lambda tx: tx.rows(statement))
    return int(row[0])
