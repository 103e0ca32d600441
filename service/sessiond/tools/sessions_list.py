"""SessionsList: the sessions a caller may see, newest first (L1-L8)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar, overload

from sessiond.access import View, view_of
from sessiond.model.callers import Caller
from sessiond.model.errors import invalid
from sessiond.model.keys import SessionKind, agent_id_of
from sessiond.model.paging import page_token, position_of
from sessiond.model.rules import Rules
from sessiond.model.sessions import Session
from sessiond.model.visibility import RedactSetting
from sessiond.store import messages, session_pages, sessions
from sessiond.store.database import Database
from sessiond.store.session_pages import ListFilter, PageRow, Position
from sessiond.store.transaction import Tx

DEFAULT_LIMIT = 100
MAX_LIMIT = 200
MAX_MESSAGE_LIMIT = 20
# What all messages of a page may weigh; rows without messages are small beside it.
PAGE_BYTES = 3 * 1024 * 1024 - 512 * 1024

Read = Callable[[Sequence[PageRow]], Sequence[Session]]
# What a session is shown as, and how that is had for the rows of a page, in their order. Whoever remembers what it made
# of a row's version reads only the rows that it does not know, in the page's transaction.
Look = TypeVar("Look")
LooksOf = Callable[[View, Sequence[PageRow], Read], Sequence[Look]]


@dataclass(frozen=True)
class ListQuery:
    """What a caller asks for; None = not set."""

    kinds: tuple[SessionKind, ...] = ()
    limit: int | None = None
    active_minutes: int | None = None
    message_limit: int | None = None
    page_token: str = ""
    include_archived: bool = False
    agent_id: str = ""
    label: str = ""


@dataclass(frozen=True)
class ListPage(Generic[Look]):
    """One page, and the view it was made for; last messages are by row id, in their stored form, oldest first."""

    rows: Sequence[PageRow]
    sessions: Sequence[Look]
    messages: Mapping[int, list[bytes]]
    next_page_token: str
    limit_applied: int
    view: View


def as_stored(view: View, rows: Sequence[PageRow], read: Read) -> Sequence[Session]:
    """The sessions of a page themselves, all of them read."""
    return read(rows)


@overload
async def sessions_list(db: Database, rules: Rules, caller: Caller, query: ListQuery) -> ListPage[Session]: ...
@overload
async def sessions_list(
    db: Database, rules: Rules, caller: Caller, query: ListQuery, looks_of: LooksOf[Look]
) -> ListPage[Look]: ...
async def sessions_list(
    db: Database, rules: Rules, caller: Caller, query: ListQuery, looks_of: LooksOf[Any] = as_stored
) -> ListPage[Any]:
    """A page of sessions; visibility and filters act in the query, before the limit."""
    if query.active_minutes == 0:
        raise invalid("active_minutes", "must be at least 1; leave it unset for sessions of any age")
    agent_id = agent_id_of(query.agent_id) if query.agent_id else ""
    asks_more = caller.is_acting or query.message_limit or query.active_minutes
    look = db.read if asks_more else db.glance
    return await look(lambda tx: _page(tx, rules, caller, query, agent_id, looks_of))


def _page(
    tx: Tx, rules: Rules, caller: Caller, query: ListQuery, agent_id: str, looks_of: LooksOf[Look]
) -> ListPage[Look]:
    view = view_of(tx, rules, caller)
    limit = min(query.limit or DEFAULT_LIMIT, MAX_LIMIT)
    kinds = tuple(sorted(set(query.kinds)))
    filters = (kinds, query.active_minutes, query.include_archived, agent_id, query.label)
    request = (caller.role, caller.acting_reference, *filters)
    position = position_of(query.page_token, (int, str, int), *request)
    # The window of active_minutes stays where the first page put it, or later pages would lose their oldest rows.
    as_of = position[2] if position else tx.now_ms if query.active_minutes else 0
    since = as_of - 60_000 * query.active_minutes if query.active_minutes else None
    wanted = ListFilter(kinds, agent_id, query.label, since, query.include_archived)
    after = Position(position[0], position[1]) if position else None

    found = session_pages.page(tx, view.scope, wanted, after, limit + 1)
    # Marks in the place of credentials may make messages up to twice as large as they are stored.
    room = PAGE_BYTES if view.acting is None or rules.redact is RedactSetting.OFF else PAGE_BYTES // 2
    rows, said = _with_messages(tx, found[:limit], min(query.message_limit or 0, MAX_MESSAGE_LIMIT), room)
    looks = looks_of(view, rows, partial(_read, tx))

    has_more = len(found) > len(rows)
    token = page_token([*session_pages.position_of(rows[-1]), as_of], *request) if rows and has_more else ""
    return ListPage(rows, looks, said, token, limit, view)


def _read(tx: Tx, rows: Sequence[PageRow]) -> list[Session]:
    found = sessions.get_all(tx, [row_id for row_id, *_ in rows])
    return [found[row_id] for row_id, *_ in rows]


def _with_messages(
    tx: Tx, found: list[PageRow], message_limit: int, room: int
) -> tuple[list[PageRow], dict[int, list[bytes]]]:
    """The rows and their last messages, by row id; a page that would grow too large ends early."""
    if message_limit == 0:
        return found, {}
    sizes: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for session, place, size in messages.recent_sizes(tx, [row_id for row_id, *_ in found], message_limit):
        sizes[session].append((place, size))
    chosen = _within_budget(found, sizes, room)
    bodies = messages.bodies_at(tx, [place for places in chosen.values() for place in places])
    said = {row_id: [bodies[place] for place in places] for row_id, places in chosen.items() if places}
    return found[: len(chosen)], said


def _within_budget(found: list[PageRow], sizes: dict[int, list[tuple[int, int]]], left: int) -> dict[int, list[int]]:
    """Which messages go with which row, by its id; the first row gets its newest ones whatever they weigh."""
    chosen: dict[int, list[int]] = {}
    for row_id, *_ in found:
        places: list[int] = []
        for place, size in sorted(sizes[row_id], reverse=True):
            left -= size + messages.WIRE_OVERHEAD
            if left < 0 and (places or chosen):
                break
            places.append(place)
        if left < 0 and chosen:
            break
        chosen[row_id] = sorted(places)
    return chosen
