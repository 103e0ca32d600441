"""SessionsPatch: change a session's settings, all or none of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sessiond.access import View, find_or_make, key_of, view_of
from sessiond.model.callers import Caller
from sessiond.model.errors import EtagMismatch, FieldProblem, InvalidField, ModelUnknown
from sessiond.model.keys import ChatType
from sessiond.model.rules import Rules
from sessiond.model.sessions import Session, kind_of, route_problem
from sessiond.store import sessions
from sessiond.store.database import Database
from sessiond.store.transaction import Tx

MAX_LABEL = 64
MAX_ROUTE_PART = 256
MAX_LENGTHS = {
    "label": MAX_LABEL,
    "display_name": 256,
    "thinking_level": 64,
    "verbose_level": 64,
    "group_subject": 256,
}


@dataclass(frozen=True)
class PatchQuery:
    """What a caller wants changed: `values` by field name, None = cleared."""

    reference: str
    values: Mapping[str, Any]
    allow_missing: bool = False
    etag: str = ""


async def sessions_patch(db: Database, rules: Rules, caller: Caller, query: PatchQuery) -> tuple[Session, View]:
    """Set or clear the named settings; make the session if asked to."""
    _check(rules, query.values)
    return await db.write(lambda tx: _patch(tx, rules, caller, query))


def _patch(tx: Tx, rules: Rules, caller: Caller, query: PatchQuery) -> tuple[Session, View]:
    view = view_of(tx, rules, caller)
    session = find_or_make(tx, rules, view, query.reference, may_make=query.allow_missing)
    if query.etag and query.etag != session.etag:
        raise EtagMismatch(session.etag)
    columns = _columns(rules, session, query.values)
    return (sessions.change(tx, session, columns) if columns else session), view


def _check(rules: Rules, values: Mapping[str, Any]) -> None:
    problems = [
        FieldProblem(f"patch.{name}", f"is longer than {limit} characters")
        for name, limit in MAX_LENGTHS.items()
        if len(values.get(name) or "") > limit
    ]
    problems += [
        FieldProblem(f"patch.{name}", "contains a NUL character")
        for name, value in values.items()
        if isinstance(value, str) and "\0" in value
    ]
    if problem := route_problem(values.get("route")):
        problems.append(FieldProblem("patch.route", problem))
    if problems:
        raise InvalidField(*problems)
    model = values.get("model")
    if model and model not in rules.models:
        raise ModelUnknown("patch.model", model, sorted(rules.models))


def _columns(rules: Rules, session: Session, values: Mapping[str, Any]) -> dict[str, Any]:
    """The columns that the named settings are stored in."""
    columns: dict[str, Any] = {}
    for name, value in values.items():
        if name == "route":
            columns |= sessions.route_columns(value)
        elif name == "chat_type":
            kind = kind_of(key_of(session, rules), ChatType(value) if value else None)
            columns |= {"chat_type": value, "kind": kind.value}
        elif name == "send_policy":
            columns["send_policy"] = value
        else:
            columns[name] = value or ""
    return columns
