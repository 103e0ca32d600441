"""SessionsList: the sessions a caller may see, newest first (L1-L8)."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from sessiond.access import View, view_of
from sessiond.model.callers import Caller
from sessiond.model.errors import invalid
from sessiond.model.keys import SessionKind, agent_id_of
from sessiond.model.paging import page_token, position_of
from sessiond.model.rules import Rules
from sessiond.model.sessions import Session
from sessiond.model.visibility import RedactSetting
from sessiond.store import messages, session_pages
from sessiond.store.database import Database
from sessiond.store.session_pages import ListFilter, Position
from sessiond.store.transaction import Tx

DEFAULT_LIMIT = 100
MAX_LIMIT = 200
MAX_MESSAGE_LIMIT = 20
# What all messages of a page may weigh; rows without messages are small beside it.
PAGE_BYTES = 3 * 1024 * 1024 - 512 * 1024


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
class Listed:
    """One session and its last messages, in their stored form, oldest first."""

    session: Session
    messages: list[bytes]


@dataclass(frozen=True)
class ListPage:
    """One page, and the view it was made for."""

    sessions: list[Listed]
    next_page_token: str
    limit_applied: int
    view: View


async def sessions_list(db: Database, rules: Rules, caller: Caller, query: ListQuery) -> ListPage:
    """A page of sessions; visibility and filters act in the query, before the limit."""
    if query.active_minutes == 0:
        raise invalid("active_minutes", "must be at least 1; leave it unset for sessions of any age")
    agent_id = agent_id_of(query.agent_id) if query.agent_id else ""
    return await db.read(lambda tx: _page(tx, rules, caller, query, agent_id))


def _page(tx: Tx, rules: Rules, caller: Caller, query: ListQuery, agent_id: str) -> ListPage:
    view = view_of(tx, rules, caller)
    limit = min(query.limit or DEFAULT_LIMIT, MAX_LIMIT)
    kinds = tuple(sorted(set(query.kinds)))
    filters = (kinds, query.active_minutes, query.include_archived, agent_id, query.label)
    request = (caller.role, caller.acting_reference, *filters)
    position = position_of(query.page_token, (int, str, int), *request)
    # The window of active_minutes stays where the first page put it, or later pages would lose their oldest rows.
    window = 60_000 * query.active_minutes if query.active_minutes is not None else None
    as_of = position[2] if position else tx.now_ms
    since = None if window is None else as_of - window
    wanted = ListFilter(kinds, agent_id, query.label, since, query.include_archived)
    after = Position(position[0], position[1]) if position else None

    found = session_pages.page(tx, view.scope, wanted, after, limit + 1)
    # Marks in the place of credentials may make messages up to twice as large as they are stored.
    room = PAGE_BYTES if view.acting is None or rules.redact is RedactSetting.OFF else PAGE_BYTES // 2
    listed = _with_messages(tx, found[:limit], min(query.message_limit or 0, MAX_MESSAGE_LIMIT), room)

    has_more = len(found) > len(listed)
    last = listed[-1].session if listed else None
    token = page_token([last.updated_ms, last.key, as_of], *request) if last and has_more else ""
    return ListPage(listed, token, limit, view)


def _with_messages(tx: Tx, found: list[Session], message_limit: int, room: int) -> list[Listed]:
    """The sessions with their last messages; a page that would grow too large ends early."""
    if message_limit == 0:
        return [Listed(session, []) for session in found]
    sizes: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for place, size in messages.recent_sizes(tx, [session.id for session in found], message_limit):
        sizes[messages.generation_of(place)].append((place, size))
    chosen = _within_budget(found, sizes, room)
    bodies = messages.bodies_at(tx, [place for _, places in chosen for place in places])
    return [Listed(session, [bodies[place] for place in places]) for session, places in chosen]


def _within_budget(
    found: list[Session], sizes: dict[int, list[tuple[int, int]]], left: int
) -> list[tuple[Session, list[int]]]:
    """Which messages go with which session; the first session gets its newest ones whatever they weigh."""
    chosen: list[tuple[Session, list[int]]] = []
    for session in found:
        places: list[int] = []
        for place, size in sorted(sizes[session.generation], reverse=True):
            left -= size + messages.WIRE_OVERHEAD
            if left < 0 and (places or chosen):
                break
            places.append(place)
        if left < 0 and chosen:
            break
        chosen.append((session, sorted(places)))
    return chosen
