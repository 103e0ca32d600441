"""The one visibility predicate, as SQL; every query that finds a session or what belongs to it carries it (V5)."""

from __future__ import annotations

from typing import Any, NamedTuple

import sqlalchemy as sa

from sessiond.model.visibility import Scope
from sessiond.store.schema import sessions
from sessiond.store.statement import numbers


class ScopeShape(NamedTuple):
    """What the predicate's text depends on; the values are parameters."""

    agents: int | None
    has_own: bool
    sees_spawned: bool


def shape_of(scope: Scope) -> ScopeShape:
    """Which text a scope needs."""
    count = None if scope.agents is None else len(scope.agents)
    return ScopeShape(count, scope.own is not None, scope.sees_spawned)


def scope_params(scope: Scope) -> dict[str, Any]:
    """The values for the predicate."""
    params: dict[str, Any] = {f"agent_{number}": agent for number, agent in enumerate(sorted(scope.agents or ()))}
    if scope.agents is not None and scope.own is not None:
        params["own_id"] = scope.own.id
        params["spawn_root"] = int(scope.own.children_path.split("/", 2)[1])
        params["spawn_prefix"] = scope.own.children_path + "%"
    return params


def visible(shape: ScopeShape) -> sa.ColumnElement[bool]:
    """True for a session that the scope shows."""
    if shape.agents is None:
        return sa.true()
    terms = [of_agents(shape.agents)]
    if shape.has_own:
        terms.append(sessions.c.id == sa.bindparam("own_id"))
    if shape.sees_spawned:
        terms.append(spawned_below())
    return sa.or_(*terms)


def of_agents(count: int) -> sa.ColumnElement[bool]:
    """Sessions of the scope's agents."""
    if count == 0:
        return sa.false()
    return sessions.c.agent_id.in_(numbers("agent", count, sa.Text()))


def spawned_below() -> sa.ColumnElement[bool]:
    """Sessions spawned below the acting one, however deep; `spawn_root` is what the index finds them by."""
    return sa.and_(
        sessions.c.spawn_depth > sa.literal_column("0"),
        sessions.c.spawn_root == sa.bindparam("spawn_root"),
        sessions.c.spawn_path.like(sa.bindparam("spawn_prefix")),
    )
