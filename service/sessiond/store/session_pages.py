"""Lists of sessions: an ordered walk along an index, or a merge of a few such walks, never a sort (L1-L5, L7).

Every index of sessions is equalities first, then newest first. A list is therefore split into arms that each fix the
equalities of one index; both databases merge sorted arms lazily, so that a page costs the same among a thousand
sessions and among a million.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple, cast

import sqlalchemy as sa

from sessiond.model.keys import SessionKind
from sessiond.model.visibility import Scope
from sessiond.store.schema import sessions
from sessiond.store.statement import Statement
from sessiond.store.transaction import Tx
from sessiond.store.visibility import ScopeShape, of_agents, scope_params, shape_of, spawned_below, visible

# With more agents than this, one walk that passes over other agents' sessions beats a merge of many.
MAX_AGENT_ARMS = 4
ALL_KINDS = tuple(SessionKind)
_PURPOSE = "a page of sessions, newest first"
_LIMIT = sa.bindparam("limit", type_=sa.BigInteger)


@dataclass(frozen=True)
class ListFilter:
    """What a list is narrowed to; `kinds` empty means every kind."""

    kinds: tuple[SessionKind, ...] = ()
    agent_id: str = ""
    label: str = ""
    active_since_ms: int | None = None
    include_archived: bool = False


class Position(NamedTuple):
    """The last row of a page: where the next one goes on."""

    updated_ms: int
    key: str


# What a page is made of: which row, in which of its versions, and where it stands in the order. Just as the database
# gives it, since there are many: to give them names took longer than to read them.
PageRow = tuple[int, int, int, str]
_COLUMNS = [sessions.c.id, sessions.c.version, sessions.c.updated_ms, sessions.c.key]


class _Shape(NamedTuple):
    database: str
    scope: ScopeShape
    kinds: tuple[SessionKind, ...]
    has_agent: bool
    has_label: bool
    is_active_only: bool
    include_archived: bool
    goes_on: bool


def page(tx: Tx, scope: Scope, wanted: ListFilter, after: Position | None, limit: int) -> list[PageRow]:
    """The newest sessions that the scope shows and the filter wants, after a position."""
    if wanted.agent_id and scope.agents is not None:
        scope = _narrowed(scope, wanted.agent_id)
    statement = _statement(
        _Shape(
            tx.database,
            shape_of(scope),
            wanted.kinds,
            bool(wanted.agent_id),
            bool(wanted.label),
            wanted.active_since_ms is not None,
            wanted.include_archived,
            after is not None,
        )
    )
    # A session of the scope's agents that is also the caller's own, or spawned by it, comes from two arms. Leaving it
    # out of one would make that arm walk over all the others like it; so both give it, and one of the two goes here.
    overlaps = bool(scope.agents) and scope.own is not None
    rows = cast("list[PageRow]", tx.rows(statement, **_params(scope, wanted, after, limit * 2 if overlaps else limit)))
    return list(dict.fromkeys(rows))[:limit] if overlaps else rows


def position_of(row: PageRow) -> Position:
    """Where a page after this row goes on."""
    return Position(*row[2:])


def _narrowed(scope: Scope, agent_id: str) -> Scope:
    """The scope with only the wanted agent left; of another than the scope's, what was spawned is all there is."""
    if scope.agents and agent_id in scope.agents:
        return Scope(scope.name, frozenset({agent_id}))
    return Scope(scope.name, frozenset(), scope.own, scope.sees_spawned)


def _params(scope: Scope, wanted: ListFilter, after: Position | None, limit: int) -> dict[str, Any]:
    params = scope_params(scope) | {"limit": limit}
    if wanted.agent_id:
        params["agent"] = wanted.agent_id
    if wanted.label:
        params["label"] = wanted.label
    if wanted.active_since_ms is not None:
        params["since"] = wanted.active_since_ms
    if after is not None:
        params["after_ms"], params["after_key"] = after
    return params


@lru_cache(maxsize=1024)
def _statement(shape: _Shape) -> Statement:
    filters = list(_filters(shape))
    arms = [sa.select(*_COLUMNS).where(*arm, *filters) for arm in _arms(shape)]
    if len(arms) == 1:
        return Statement(_PURPOSE, _newest(arms[0]))
    # PostgreSQL merges only arms that are in order by themselves; SQLite orders them for the merge, and knows no other.
    if shape.database == "postgresql":
        arms = [_newest(arm) for arm in arms]
    merged = sa.union_all(*arms).order_by(sa.desc("updated_ms"), sa.asc("key")).limit(_LIMIT)
    return Statement(_PURPOSE, merged)


def _newest(arm: sa.Select[Any]) -> sa.Select[Any]:
    return arm.order_by(sessions.c.updated_ms.desc(), sessions.c.key).limit(_LIMIT)


def _filters(shape: _Shape) -> Iterator[sa.ColumnElement[bool]]:
    """What every arm checks on the rows it walks over."""
    if shape.has_agent:
        yield sessions.c.agent_id == sa.bindparam("agent")
    if shape.is_active_only:
        yield sessions.c.updated_ms >= sa.bindparam("since")
    if shape.goes_on:
        after_ms = sa.bindparam("after_ms", type_=sa.BigInteger)
        yield sessions.c.updated_ms <= after_ms
        yield sa.or_(sessions.c.updated_ms < after_ms, sessions.c.key > sa.bindparam("after_key"))


def _arms(shape: _Shape) -> Iterator[list[sa.ColumnElement[bool]]]:
    """The equalities of each walk; in the order of one index."""
    archived = [sessions.c.is_archived == sa.literal_column(flag) for flag in ("0", "1")[: 1 + shape.include_archived]]
    if shape.has_label:
        by_label = [sessions.c.label == sa.bindparam("label"), sessions.c.label != sa.literal_column("''")]
        yield from ([flag, *by_label, visible(shape.scope), *_of_kinds(shape)] for flag in archived)
        return
    for flag, kind in product(archived, shape.kinds or ALL_KINDS):
        by_kind = [flag, sessions.c.kind == sa.literal_column(f"'{kind.value}'")]
        yield from ([*by_kind, *condition] for condition in _agent_arms(shape.scope))
        if shape.scope.agents is not None and shape.scope.sees_spawned:
            yield [*by_kind, spawned_below()]
    if shape.scope.agents is not None and shape.scope.has_own:
        yield from ([flag, sessions.c.id == sa.bindparam("own_id"), *_of_kinds(shape)] for flag in archived)


def _agent_arms(scope: ScopeShape) -> Iterator[list[sa.ColumnElement[bool]]]:
    if scope.agents is None:
        yield []
    elif scope.agents > MAX_AGENT_ARMS:
        yield [of_agents(scope.agents)]
    else:
        yield from ([sessions.c.agent_id == sa.bindparam(f"agent_{number}")] for number in range(scope.agents))


def _of_kinds(shape: _Shape) -> list[sa.ColumnElement[bool]]:
    if not shape.kinds:
        return []
    return [sessions.c.kind.in_([sa.literal_column(f"'{kind.value}'") for kind in shape.kinds])]
