"""Exchange rows: what a send or a spawn set off, and how far it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

import sqlalchemy as sa

from sessiond.model.exchanges import AnnouncePolicy, Exchange, ExchangeKind
from sessiond.model.sessions import NOWHERE, Route
from sessiond.store.rows import ChangedRows, NewRows
from sessiond.store.run_events import run_topic
from sessiond.store.schema import exchanges, runs, sessions
from sessiond.store.statement import Among, Statement, numbered, numbers
from sessiond.store.transaction import Later, Row, Tx

COLUMNS = [exchanges.c[name] for name in Exchange._fields]


class NewExchange(NamedTuple):
    """What an exchange is begun with."""

    id: str
    kind: ExchangeKind
    target_session: int
    requester_session: int | None
    primary_run_id: str
    request_place: int
    max_turns: int
    announce: AnnouncePolicy
    route: Route | None
    cleanup: str = ""


def create(tx: Tx, *new: NewExchange) -> None:
    """Begin exchanges."""
    now_ms = tx.now_ms
    tx.store(_CREATE, [_row(each, now_ms) for each in new])


def _row(new: NewExchange, now_ms: int) -> Row:
    """What an exchange is begun with, in the order of _BEGUN."""
    route = new.route or NOWHERE
    return (
        new.id,
        str(new.kind),
        "open",
        new.target_session,
        new.requester_session,
        new.primary_run_id,
        new.request_place,
        new.max_turns,
        str(new.announce),
        new.cleanup,
        route.channel,
        route.to,
        route.account_id,
        route.thread_id,
        now_ms,
    )


def get(tx: Tx, exchange_id: str, lock: bool = False) -> Exchange | None:
    """The exchange of this id."""
    row = tx.row(_GET_LOCKED if lock else _GET, exchange_id=exchange_id)
    return Exchange._make(row) if row else None


def ask_all(tx: Tx, ids: Sequence[str]) -> Callable[[], dict[str, Exchange]]:
    """The exchanges of these ids, to be looked at later."""
    if not ids:
        return dict
    params = numbered("at", ids)
    asked = tx.ask(_get_all(len(params)), **params)
    return lambda: {row[0]: as_exchange(row) for row in asked()}


def ask_locked_of(tx: Tx, run_ids: Sequence[str], waits: bool = True) -> Later:
    """The exchanges that runs are a part of, locked, to be looked at later with `as_exchange`.

    Those that somebody has are waited for, or left out.
    """
    params = numbered("run", run_ids)
    return tx.ask(_lock_of_runs(len(params), waits), **params)


def as_exchange(row: Row) -> Exchange:
    """A row of COLUMNS as the model's exchange."""
    return Exchange._make(row)


def note(tx: Tx, changed: Sequence[Exchange]) -> None:
    """Keep what was said in exchanges, and whether they are over; the caller holds their rows, newest as these are."""
    tx.store(_NOTE, [{name: getattr(exchange, name) for name in ("id", *_NOTED)} for exchange in changed])
    for exchange in changed:
        if exchange.is_settled:
            tx.notify(run_topic(exchange.primary_run_id))


def settle(tx: Tx, exchange: Exchange) -> None:
    """Loop, announce and delivery have an outcome."""
    tx.run(_SETTLE, exchange_id=exchange.id, now=tx.now_ms)
    tx.notify(run_topic(exchange.primary_run_id))


def reopen(tx: Tx, exchange_id: str) -> None:
    """Its delivery is tried again, so it is not over."""
    tx.run(_REOPEN, exchange_id=exchange_id)


def open_spawns(tx: Tx, requester: int) -> int:
    """How many sub-agents of this session have something to do; exact while its row is locked."""
    row = tx.row(_OPEN_SPAWNS, session=requester)
    return int(row[0]) if row else 0


def has_open(tx: Tx, session: int) -> bool:
    """Whether anything begun from or for this session is not settled yet."""
    return tx.row(_OPEN_TARGET, session=session) is not None or tx.row(_OPEN_REQUESTER, session=session) is not None


@lru_cache
def _get_all(count: int) -> Statement:
    return Statement("exchanges by their ids", sa.select(*COLUMNS).where(exchanges.c.id.in_(numbers("at", count))))


@lru_cache
def _lock_of_runs(count: int, waits: bool) -> Statement:
    of_runs = sa.select(runs.c.exchange_id).where(runs.c.id.in_(numbers("run", count)))
    found = sa.select(*COLUMNS).where(Among(exchanges.c.id, of_runs))  # in any order: their sessions are locked
    return Statement("the exchanges of runs, locked", found.with_for_update(of=exchanges, skip_locked=not waits))


_BEGUN = (
    *("id", "kind", "state", "target_session", "requester_session"),
    *("primary_run_id", "request_place", "max_turns", "announce", "cleanup"),
    *("route_channel", "route_to", "route_account_id", "route_thread_id", "created_ms"),
)
_CREATE = NewRows("begin exchanges", exchanges, _BEGUN)
_by_id = sa.select(*COLUMNS).where(exchanges.c.id == sa.bindparam("exchange_id"))
_GET = Statement("an exchange", _by_id)
_GET_LOCKED = Statement("an exchange, locked", _by_id.with_for_update())
_NOTED = ("first_reply", "latest_reply", "state", "settled_ms")
_NOTE = ChangedRows("keep what was said in exchanges, and whether they are over", exchanges, _NOTED, key="id")
_SETTLE = Statement(
    "an exchange is over",
    sa.update(exchanges)
    # Not "is open": PostgreSQL would read all that are, when it last counted while there were none.
    .where(exchanges.c.id == sa.bindparam("exchange_id"), exchanges.c.state != sa.literal_column("'settled'"))
    .values(state="settled", settled_ms=sa.bindparam("now")),
)
_REOPEN = Statement(
    "an exchange is not over after all",
    sa.update(exchanges)
    .where(exchanges.c.id == sa.bindparam("exchange_id"))
    .values(state="open", settled_ms=sa.null()),
)
_OPEN_SPAWNS = Statement(
    "how many sub-agents of a session have something to do",
    sa.select(sa.func.count())
    .select_from(exchanges.join(sessions, sessions.c.id == exchanges.c.target_session))
    .where(
        sessions.c.unfinished_runs > 0,
        exchanges.c.requester_session == sa.bindparam("session"),
        exchanges.c.state == sa.literal_column("'open'"),
        exchanges.c.kind == sa.literal_column("'spawn'"),
    ),
)
_open = sa.select(exchanges.c.id).where(exchanges.c.state == sa.literal_column("'open'")).limit(1)
_OPEN_TARGET = Statement(
    "an open exchange for a session", _open.where(exchanges.c.target_session == sa.bindparam("session"))
)
_OPEN_REQUESTER = Statement(
    "an open exchange from a session", _open.where(exchanges.c.requester_session == sa.bindparam("session"))
)
