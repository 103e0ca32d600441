"""Transcripts from elsewhere: each becomes a generation of its session, filled in small transactions.

Nobody else appends to a generation that is not its session's current one. So how far an import came is what is there,
and one that was interrupted goes on where it stopped. With its last message in place the generation becomes the
current one, unless the session has messages of its own: then it stays an earlier one, readable by its id.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import sqlalchemy as sa

from sessiond.model.messages import Draft, Message, Role, message_id
from sessiond.model.sessions import Session
from sessiond.store import codec
from sessiond.store.messages import bodies_at, place_of
from sessiond.store.schema import messages, session_generations, sessions
from sessiond.store.sessions import get
from sessiond.store.statement import Statement, insert
from sessiond.store.transaction import Tx

TimedDraft = tuple[Draft, int]


class Moved(Exception):  # noqa: N818 - says what is so
    """Somebody else has written to the transcript in the meantime."""


@dataclass(frozen=True)
class Target:
    """The generation that a file is imported into."""

    id: int
    session: int
    session_id: str
    last_sequence: int
    created_ms: int
    is_current: bool = False
    is_ended: bool = False

    @property
    def is_finished(self) -> bool:
        """Whether an import came to its end here, or this never was one."""
        return self.is_current or self.is_ended


def find(tx: Tx, session_id: str) -> Target | None:
    """The generation of this id, as far as it is filled."""
    row = tx.row(_FIND, session_id=session_id)
    if row is None:
        return None
    generation, session, created_ms, ended_ms, imported, current, last_sequence = row
    if generation == current:
        return Target(generation, session, session_id, last_sequence, created_ms, is_current=True)
    return Target(generation, session, session_id, imported, created_ms, is_ended=ended_ms is not None)


def begin(tx: Tx, session: Session, session_id: str, created_ms: int) -> Target:
    """A new generation beside the session's current one."""
    row = tx.row(_BEGIN, session=session.id, session_id=session_id, created_ms=created_ms)
    assert row is not None  # noqa: S101 - an insert returns its row
    return Target(row[0], session.id, session_id, 0, created_ms)


def last_message(tx: Tx, target: Target) -> Message | None:
    """The newest message of the generation."""
    place = place_of(target.id, target.last_sequence)
    body = bodies_at(tx, [place]).get(place)
    return None if body is None else codec.decode(body)


def append(tx: Tx, target: Target, drafts: Sequence[TimedDraft]) -> Target:
    """Add messages, each with the time it bears; Moved when the transcript is not as the target says."""
    if find(tx, target.session_id) is None:
        raise Moved
    session = get(tx, target.session, lock=True)
    if find(tx, target.session_id) != target:
        raise Moved
    rows = [_row(target, sequence, each, tx.now_ms) for sequence, each in enumerate(drafts, target.last_sequence + 1)]
    tx.run_many(_INSERT, rows)
    counted = {"added": len(drafts), "tools": sum(draft.role is Role.TOOL_RESULT for draft, _ in drafts)}
    if target.is_current:
        newest_ms = max(session.updated_ms, min(drafts[-1][1], tx.now_ms))
        tx.run(_COUNT_CURRENT, id_=session.id, updated=newest_ms, **counted)
    else:
        tx.run(_COUNT, id_=target.id, **counted)
    return replace(target, last_sequence=target.last_sequence + len(drafts))


def finish(tx: Tx, target: Target) -> bool:
    """The last message is in: make it the current generation if the session is empty; tells whether it is current."""
    session = get(tx, target.session, lock=True)
    if target.is_current:
        return True
    last = last_message(tx, target)
    ended_ms = last.created_ms if last else target.created_ms
    if session.last_sequence or session.last_run_order:
        tx.run(_END, id_=target.id, ended=ended_ms)
        return False
    tx.run(
        _ENTER,
        id_=session.id,
        new_generation=target.id,
        new_session_id=target.session_id,
        created=min(session.created_ms, target.created_ms),
        updated=ended_ms,
    )
    tx.run(_FORGET, id_=session.generation)  # nothing was ever written in it
    return True


def encode(session_id: str, sequence: int, draft: Draft, created_ms: int) -> bytes:
    """The stored form of a message."""
    return codec.encode(Message(message_id(session_id, sequence), sequence, created_ms, draft))


def _row(target: Target, sequence: int, timed: TimedDraft, now_ms: int) -> dict[str, object]:
    draft, created_ms = timed
    body = encode(target.session_id, sequence, draft, min(created_ms, now_ms))
    return {"place": place_of(target.id, sequence), "role": draft.role.value, "size": len(body), "body": body}


_by_id = session_generations.c.id == sa.bindparam("id_")
_FIND = Statement(
    "a generation and its session, by the generation's id",
    sa.select(
        session_generations.c.id,
        session_generations.c.session,
        session_generations.c.created_ms,
        session_generations.c.ended_ms,
        session_generations.c.last_sequence,
        sessions.c.generation,
        sessions.c.last_sequence,
    )
    .join(sessions, sessions.c.id == session_generations.c.session)
    .where(session_generations.c.session_id == sa.bindparam("session_id")),
)
_BEGIN = Statement(
    "begin a generation that is not the current one",
    insert(session_generations, ["session", "session_id", "created_ms"]).returning(session_generations.c.id),
)
_INSERT = Statement("add imported messages", insert(messages, ["place", "role", "size", "body"]))
_COUNT = Statement(
    "count what was added to a generation that is not the current one",
    sa.update(session_generations)
    .where(_by_id)
    .values(
        last_sequence=session_generations.c.last_sequence + sa.bindparam("added"),
        tool_results=session_generations.c.tool_results + sa.bindparam("tools"),
    ),
)
_COUNT_CURRENT = Statement(
    "count what was added to the current generation",
    sa.update(sessions)
    .where(sessions.c.id == sa.bindparam("id_"))
    .values(
        last_sequence=sessions.c.last_sequence + sa.bindparam("added"),
        tool_results=sessions.c.tool_results + sa.bindparam("tools"),
        updated_ms=sa.bindparam("updated"),
        version=sessions.c.version + 1,
    ),
)
_END = Statement(
    "end an imported generation",
    sa.update(session_generations).where(_by_id).values(ended_ms=sa.bindparam("ended")),
)
_filled = sa.select(session_generations.c.last_sequence, session_generations.c.tool_results).where(
    session_generations.c.id == sa.bindparam("new_generation")
)
_ENTER = Statement(
    "make an imported generation the current one of an empty session",
    sa.update(sessions)
    .where(sessions.c.id == sa.bindparam("id_"))
    .values(
        generation=sa.bindparam("new_generation"),
        session_id=sa.bindparam("new_session_id"),
        last_sequence=_filled.with_only_columns(session_generations.c.last_sequence).scalar_subquery(),
        tool_results=_filled.with_only_columns(session_generations.c.tool_results).scalar_subquery(),
        created_ms=sa.bindparam("created"),
        updated_ms=sa.bindparam("updated"),
        version=sessions.c.version + 1,
    ),
)
_FORGET = Statement("forget an empty generation", sa.delete(session_generations).where(_by_id))
