"""Transcripts: appending to them and reading pages that stay below a byte budget (H2-H6, L4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import sqlalchemy as sa

from sessiond.model.errors import MessageTooLarge
from sessiond.model.messages import MAX_MESSAGE_BYTES, Draft, Message, Role, message_id
from sessiond.model.sessions import Session
from sessiond.store import codec
from sessiond.store.rows import NewRows
from sessiond.store.schema import PLACE_SHIFT, messages, sessions
from sessiond.store.statement import Statement, numbered, numbers
from sessiond.store.transaction import Later, Row, Tx

# What one message takes on the wire beside its body: a tag and a length.
WIRE_OVERHEAD = 6
# Bodies, oldest first, and the sequence before which an older page goes on if there is one.
Page = tuple[list[bytes], int | None]
# A runtime is given at most this many messages of history, however small they are.
MAX_HISTORY = 2000


def append(tx: Tx, session: Session, drafts: Sequence[Draft]) -> list[Message]:
    """Append to the current generation; the caller holds the session's row and has its newest state."""
    appended = [
        Message(message_id(session.session_id, sequence), sequence, tx.now_ms, draft)
        for sequence, draft in enumerate(drafts, session.last_sequence + 1)
    ]
    insert_rows(tx, [row_of(place_of(session.generation, each.sequence), each) for each in appended])
    tool_results = sum(draft.role is Role.TOOL_RESULT for draft in drafts)
    tx.run(_COUNT, id_=session.id, added=len(drafts), tools=tool_results, now=tx.now_ms)
    return appended


def insert_rows(tx: Tx, rows: list[Row]) -> None:
    """Store messages as `row_of` made them, for callers that count them themselves."""
    tx.store(_INSERT, rows)


def newest(tx: Tx, generation: int, before: int, include_tools: bool, limit: int, budget: int) -> Page:
    """The newest bodies before a sequence, oldest first, and where an older page goes on if there is one."""
    low = place_of(generation, 0)
    statement = _PAGE if include_tools else _PAGE_WITHOUT_TOOLS
    rows = tx.rows(statement, low=low, before=low + before, limit=limit + 1, usual=budget // limit)
    return _cut(tx, rows, limit, budget)


def ask_newest_of(tx: Tx, key: str, include_tools: bool, limit: int, budget: int) -> Callable[[], Page]:
    """The newest of the session of this key, if there is one; to be looked at later, with the session itself."""
    statement = _PAGE_OF if include_tools else _PAGE_OF_WITHOUT_TOOLS
    rows = tx.ask(statement, key=key, limit=limit + 1, usual=budget // limit)
    return lambda: _cut(tx, rows(), limit, budget)


def ask_sizes(tx: Tx, session: Session) -> Later:
    """Place and size of the newest messages of a session, the newest first; to be looked at later."""
    low = place_of(session.generation, 0)
    return tx.ask(_SIZES, low=low, before=low + session.last_sequence + 1, limit=MAX_HISTORY)


def newest_within(sizes: Sequence[tuple[int, int]], budget: int) -> list[tuple[int, int]]:
    """Of places and sizes, the newest first, as many as stay within the budget."""
    kept = list(sizes[: _fitting([size for _, size in sizes], budget)])
    return [] if kept and kept[0][1] > budget else kept


def recent_sizes(tx: Tx, session_ids: Sequence[int], limit: int) -> list[tuple[int, int, int]]:
    """Of the last messages that are no tool results: session, place and size, for a page of sessions in one query."""
    if not session_ids:
        return []
    ids = numbered("at", session_ids)
    return [(row[0], row[1], row[2]) for row in tx.rows(_recent_sizes(len(ids)), skip=limit - 1, **ids)]


def bodies_at(tx: Tx, places: Sequence[int]) -> dict[int, bytes]:
    """The bodies at these places."""
    return ask_bodies(tx, places)()


def ask_bodies(tx: Tx, places: Sequence[int]) -> Callable[[], dict[int, bytes]]:
    """As bodies_at, to be looked at later."""
    if not places:
        return dict
    params = numbered("at", places)
    asked = tx.ask(_bodies_at(len(params)), **params)
    return lambda: {row[0]: row[1] for row in asked()}


def delete_some(tx: Tx, generation: int, limit: int) -> int:
    """Remove up to this many messages of a generation; tells how many went."""
    low = place_of(generation, 0)
    return tx.changed(_DELETE_SOME, low=low, high=place_of(generation + 1, 0), limit=limit)


def place_of(generation: int, sequence: int) -> int:
    """Where a message lies."""
    return (generation << PLACE_SHIFT) + sequence


def sequence_at(place: int) -> int:
    """The sequence of the message that lies there."""
    return place & ((1 << PLACE_SHIFT) - 1)


def row_of(place: int, message: Message) -> Row:
    """A message as it is stored; refused when it is too large for that."""
    body = codec.encode(message)
    if len(body) > MAX_MESSAGE_BYTES:
        raise MessageTooLarge("message", len(body), MAX_MESSAGE_BYTES)
    return place, str(message.draft.role), len(body), body


def _cut(tx: Tx, rows: list[Row], limit: int, budget: int) -> Page:
    """The page that these rows begin with.

    Bodies of a usual size come with the places. Large ones, which together could weigh more than the budget however
    the page is cut, are left until it is known which of them it has.
    """
    fitting = _fitting([size for _, size, _ in rows[:limit]], budget)
    if not fitting:
        return [], None
    page = rows[:fitting]
    large = bodies_at(tx, [place for place, _, body in page if body is None])
    bodies = [large[place] if body is None else body for place, _, body in reversed(page)]
    return bodies, sequence_at(page[-1][0]) if fitting < len(rows) else None


def _fitting(sizes: list[int], budget: int) -> int:
    """How many of these, from the newest on, stay within the budget; a first one always does."""
    if sum(sizes) + WIRE_OVERHEAD * len(sizes) <= budget:
        return len(sizes)
    total = 0
    for number, size in enumerate(sizes):
        total += size + WIRE_OVERHEAD
        if total > budget and number:
            return number
    return len(sizes)


_SPOKEN = messages.c.role != sa.literal_column(f"'{Role.TOOL_RESULT.value}'")


_usual = sa.case((messages.c.size <= sa.bindparam("usual", type_=sa.BigInteger), messages.c.body))


def _newest_between(low: sa.ColumnElement[int], before: sa.ColumnElement[int]) -> sa.Select[Any]:
    return (
        sa.select(messages.c.place, messages.c.size)
        .where(messages.c.place > low, messages.c.place < before)
        .order_by(messages.c.place.desc())
        .limit(sa.bindparam("limit", type_=sa.BigInteger))
    )


_newest = _newest_between(sa.bindparam("low"), sa.bindparam("before", type_=sa.BigInteger))
_SIZES = Statement("where a transcript is cut", _newest)
_PAGE = Statement("a page of history", _newest.add_columns(_usual))
_PAGE_WITHOUT_TOOLS = Statement("a page of history without tool results", _newest.add_columns(_usual).where(_SPOKEN))
_generation = sa.select(sessions.c.generation).where(sessions.c.key == sa.bindparam("key")).scalar_subquery()
_newest_of = _newest_between(_generation * (1 << PLACE_SHIFT), (_generation + 1) * (1 << PLACE_SHIFT)).add_columns(
    _usual
)
_PAGE_OF = Statement("the newest page of a session", _newest_of)
_PAGE_OF_WITHOUT_TOOLS = Statement("the newest page of a session without tool results", _newest_of.where(_SPOKEN))


@lru_cache
def _recent_sizes(count: int) -> Statement:
    """For each session, walk back to its N-th last spoken message, then read from there on."""
    low = sessions.c.generation * (1 << PLACE_SHIFT)
    high = low + sessions.c.last_sequence
    older = messages.alias("older")
    cut = (
        sa.select(older.c.place)
        .where(older.c.place > low, older.c.place <= high, older.c.role != sa.literal_column("'toolResult'"))
        .order_by(older.c.place.desc())
        .limit(1)
        .offset(sa.bindparam("skip", type_=sa.BigInteger))
        .scalar_subquery()
    )
    page = (
        sa.select(sessions.c.id, sa.func.coalesce(cut, low).label("cut"), high.label("high"))
        .where(sessions.c.id.in_(numbers("at", count, sa.BigInteger())))
        .cte("page")
        .prefix_with("MATERIALIZED")
    )
    found = (
        sa.select(page.c.id, messages.c.place, messages.c.size)
        .select_from(page.join(messages, messages.c.place.between(page.c.cut, page.c.high)))
        .where(_SPOKEN)
    )
    return Statement("the last spoken messages of a page of sessions", found)


@lru_cache
def _bodies_at(count: int) -> Statement:
    found = sa.select(messages.c.place, messages.c.body).where(
        messages.c.place.in_(numbers("at", count, sa.BigInteger()))
    )
    return Statement("bodies by place", found)


_INSERT = NewRows("append messages", messages, ["place", "role", "size", "body"])
_COUNT = Statement(
    "count what was appended; the session is as new as its newest message",
    sa.update(sessions)
    .where(sessions.c.id == sa.bindparam("id_"))
    .values(
        last_sequence=sessions.c.last_sequence + sa.bindparam("added"),
        tool_results=sessions.c.tool_results + sa.bindparam("tools"),
        updated_ms=sa.bindparam("now"),
        version=sessions.c.version + 1,
    ),
)
_low, _high = sa.bindparam("low", type_=sa.BigInteger), sa.bindparam("high", type_=sa.BigInteger)
_of_batches = messages.alias("of_batches")
_last_of_batch = (
    sa.select(_of_batches.c.place)
    .where(_of_batches.c.place > _low, _of_batches.c.place < _high)
    .order_by(_of_batches.c.place)
    .limit(1)
    .offset(sa.bindparam("limit", type_=sa.BigInteger) - 1)
    .scalar_subquery()
)
_DELETE_SOME = Statement(
    "remove a batch of messages: one stretch of a transcript, from its oldest on",
    sa.delete(messages).where(
        messages.c.place > _low, messages.c.place < _high, messages.c.place <= sa.func.coalesce(_last_of_batch, _high)
    ),
)
