"""What the mirror and imports ask of the store: what changed since a moment, and whole transcripts in pieces (L9)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

import sqlalchemy as sa

from sessiond.model.keys import SessionKind
from sessiond.store.messages import WIRE_OVERHEAD, place_of
from sessiond.store.schema import messages, session_generations, sessions
from sessiond.store.session_pages import Position
from sessiond.store.statement import Statement
from sessiond.store.transaction import Reach, Row, Tx

REMOVED_TOPIC = "transcripts-removed:"
# Few enough that a topic stays below what PostgreSQL carries in one notification.
_IDS_PER_TOPIC = 100
_MAX_ROWS = 64


class Transcript(NamedTuple):
    """One generation, as far as a mirror of it cares."""

    generation: int
    session_id: str
    last_sequence: int
    position: Position  # of its session in the order of changes


def changed_after(tx: Tx, position: Position, limit: int) -> list[Transcript]:
    """What changed after a position, oldest change first: the generations of the next sessions in that order.

    The current generation of each, and those that ended no earlier.
    """
    rows = tx.rows(_changed(tx.database), after_ms=position.updated_ms, after_key=position.key, limit=limit)
    found = sorted((_transcript(row) for row in rows), key=lambda each: each.position.key, reverse=True)
    return sorted(found, key=lambda each: each.position.updated_ms)  # within a moment by key, the last first


def all_after(tx: Tx, generation: int, limit: int) -> list[Transcript]:
    """The next generations in the order of their making, whichever session they belong to."""
    rows = tx.rows(_ALL, after=generation, limit=limit)
    return [_transcript(row) for row in rows]


def bodies_after(tx: Tx, generation: int, sequence: int, budget: int) -> list[bytes]:
    """The next messages of a generation, as many as fit the budget but at least one, if there is one."""
    after, end = place_of(generation, sequence), place_of(generation + 1, 0)
    last, total = None, 0
    for place, size in tx.rows(_SIZES, after=after, before=end, limit=_MAX_ROWS):
        total += size + WIRE_OVERHEAD
        if last is not None and total > budget:
            break
        last = place
    return [] if last is None else [row[0] for row in tx.rows(_BODIES, after=after, last=last)]


def existing(tx: Tx, session_ids: Sequence[str]) -> set[str]:
    """Which of these generations are in the store."""
    return {each for each in session_ids if tx.row(_EXISTS, session_id=each)}


def note_removed(tx: Tx, generations: Sequence[int]) -> None:
    """Tell whoever keeps copies that these transcripts go."""
    ids = [row[0] for each in generations if (row := tx.row(_ID_OF, generation=each))]
    for start in range(0, len(ids), _IDS_PER_TOPIC):
        tx.notify(REMOVED_TOPIC + ",".join(ids[start : start + _IDS_PER_TOPIC]), Reach.EVERYBODY)


def removed_in(topic: str) -> list[str]:
    """The generations that a topic tells the removal of; none when it is about something else."""
    return topic.removeprefix(REMOVED_TOPIC).split(",") if topic.startswith(REMOVED_TOPIC) else []


def _transcript(row: Row) -> Transcript:
    generation, session_id, last_sequence, updated_ms, key = row
    return Transcript(generation, session_id, last_sequence, Position(updated_ms, key))


_after_ms = sa.bindparam("after_ms", type_=sa.BigInteger)
_limit = sa.bindparam("limit", type_=sa.BigInteger)


@lru_cache
def _changed(database: str) -> Statement:
    """The walks along sessions_by_kind_idx, merged; each backwards, so that the oldest change comes first."""
    arms = [_arm(*each) for each in product(("0", "1"), SessionKind)]
    if database == "postgresql":  # which merges only arms that are in order by themselves
        arms = [arm.order_by(sessions.c.updated_ms, sessions.c.key.desc()).limit(_limit) for arm in arms]
    page = sa.union_all(*arms).order_by(sa.asc("updated_ms"), sa.desc("key")).limit(_limit).cte("page")
    ended = session_generations
    last = sa.case((ended.c.id == page.c.generation, page.c.last_sequence), else_=ended.c.last_sequence)
    found = (
        sa.select(ended.c.id, ended.c.session_id, last, page.c.updated_ms, page.c.key)
        .select_from(page.join(ended, ended.c.session == page.c.id))
        .where(sa.or_(ended.c.ended_ms.is_(None), ended.c.ended_ms >= _after_ms))
    )
    return Statement("transcripts that changed after a position", found)


def _arm(archived: str, kind: SessionKind) -> sa.Select[Any]:
    columns = [sessions.c[name] for name in ("id", "generation", "last_sequence", "updated_ms", "key")]
    return sa.select(*columns).where(
        sessions.c.is_archived == sa.literal_column(archived),
        sessions.c.kind == sa.literal_column(f"'{kind.value}'"),
        sessions.c.updated_ms >= _after_ms,
        sa.or_(sessions.c.updated_ms > _after_ms, sessions.c.key < sa.bindparam("after_key")),
    )


_ALL = Statement(
    "the next generations by their ids",
    sa.select(
        session_generations.c.id,
        session_generations.c.session_id,
        sa.case(
            (session_generations.c.id == sessions.c.generation, sessions.c.last_sequence),
            else_=session_generations.c.last_sequence,
        ),
        sessions.c.updated_ms,
        sessions.c.key,
    )
    .join(sessions, sessions.c.id == session_generations.c.session)
    .where(session_generations.c.id > sa.bindparam("after", type_=sa.BigInteger))
    .order_by(session_generations.c.id)
    .limit(_limit),
)
_after = messages.c.place > sa.bindparam("after", type_=sa.BigInteger)
_SIZES = Statement(
    "where a piece of a transcript is cut",
    sa.select(messages.c.place, messages.c.size)
    .where(_after, messages.c.place < sa.bindparam("before", type_=sa.BigInteger))
    .order_by(messages.c.place)
    .limit(_limit),
)
_BODIES = Statement(
    "the bodies of a piece of a transcript",
    sa.select(messages.c.body)
    .where(_after, messages.c.place <= sa.bindparam("last", type_=sa.BigInteger))
    .order_by(messages.c.place),
)
_EXISTS = Statement(
    "whether a generation exists",
    sa.select(session_generations.c.id).where(session_generations.c.session_id == sa.bindparam("session_id")),
)
_ID_OF = Statement(
    "the id by which a generation is known",
    sa.select(session_generations.c.session_id).where(session_generations.c.id == sa.bindparam("generation")),
)
