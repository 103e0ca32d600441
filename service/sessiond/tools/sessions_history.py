"""SessionsHistory: a transcript, newest page first, each page oldest to newest (H1-H6)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from sessiond.access import View, find_transcript, view_of
from sessiond.model.callers import Caller
from sessiond.model.keys import canonical
from sessiond.model.paging import page_token, position_of
from sessiond.model.rules import Rules
from sessiond.model.sessions import Session
from sessiond.model.visibility import masks
from sessiond.store import messages
from sessiond.store.database import Database
from sessiond.store.sessions import Generation
from sessiond.store.transaction import Tx

DEFAULT_LIMIT = 200
MAX_LIMIT = 1000
# Below the 3 MiB that a page may have on the wire; the rest of the answer takes less than the difference.
PAGE_BYTES = 3 * 1024 * 1024 - 4096


@dataclass(frozen=True)
class HistoryQuery:
    """What a caller asks for; None = not set."""

    reference: str
    limit: int | None = None
    include_tools: bool = False
    page_token: str = ""


@dataclass(frozen=True)
class HistoryPage:
    """One page, its messages in their stored form."""

    session: Session
    session_id: str
    messages: list[bytes]
    next_page_token: str
    total_messages: int
    limit_applied: int
    view: View


async def sessions_history(db: Database, rules: Rules, caller: Caller, query: HistoryQuery) -> HistoryPage:
    """The newest messages that pass the filter, or those older than the page token."""
    is_plain = not (caller.is_acting or query.page_token)
    look = db.glance if is_plain else db.read
    return await look(lambda tx: _page(tx, rules, caller, query, is_plain))


def _page(tx: Tx, rules: Rules, caller: Caller, query: HistoryQuery, is_plain: bool) -> HistoryPage:
    view = view_of(tx, rules, caller)
    limit = min(query.limit or DEFAULT_LIMIT, MAX_LIMIT)
    ahead = _ask_ahead(tx, rules, query, limit) if is_plain else None
    session, generation = find_transcript(tx, rules, view, query.reference)
    request = (generation.session_id, query.include_tools)
    if ahead is not None and ahead.key == session.key:
        bodies, older = ahead.page()
    else:
        position = position_of(query.page_token, (int,), *request)
        end = generation.last_sequence + 1
        # Held within this transcript: a token is only text, and beyond the end lie other sessions' messages.
        before = max(0, min(position[0], end)) if position else end
        # Marks in the place of credentials may make a page up to twice as large as it is stored.
        room = PAGE_BYTES // 2 if masks(rules.redact, view.acting, session.id) else PAGE_BYTES
        bodies, older = messages.newest(tx, generation.id, before, query.include_tools, limit, room)

    token = page_token([older], *request) if older is not None else ""
    total = _total(generation, query.include_tools)
    return HistoryPage(session, generation.session_id, bodies, token, total, limit, view)


class _Ahead(NamedTuple):
    """The newest page of a key's session, asked for before it is known whether there is one."""

    key: str
    page: Callable[[], messages.Page]


def _ask_ahead(tx: Tx, rules: Rules, query: HistoryQuery, limit: int) -> _Ahead:
    """For callers that see everything; others could tell by the time it takes what is there."""
    key = str(canonical(query.reference, rules.keys))
    return _Ahead(key, messages.ask_newest_of(tx, key, query.include_tools, limit, PAGE_BYTES))


def _total(generation: Generation, include_tools: bool) -> int:
    return generation.last_sequence - (0 if include_tools else generation.tool_results)
