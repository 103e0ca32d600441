"""AppendRunEvents: what a run brings forth, each event stored once by its sequence (R3, W5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from sessiond.model.errors import EventGap, FieldProblem, InvalidField, LeaseLost, MessageTooLarge, invalid
from sessiond.model.events import Delta, Event, MessageWritten
from sessiond.model.exchanges import is_skip
from sessiond.model.messages import Draft, Role, Text, Usage
from sessiond.model.rules import Rules
from sessiond.model.runs import LeaseToken, Run, RunState
from sessiond.store import messages, run_events, run_leases, runs, sessions
from sessiond.store.database import Database
from sessiond.store.transaction import Tx

MAX_EVENTS = 1000

Brought = Delta | Draft | Usage


@dataclass(frozen=True)
class AppendQuery:
    """A stretch of an attempt's events; the first event of an attempt is 1."""

    lease_token: str
    first_sequence: int
    events: tuple[Brought, ...]


@dataclass(frozen=True)
class Appended:
    """How far the events are stored."""

    next_sequence: int
    cancel_requested: bool


async def append_run_events(db: Database, rules: Rules, query: AppendQuery) -> Appended:
    """Store what is new of these events; repeats and overlaps do no harm."""
    _check(rules, query)
    return await db.write(lambda tx: _append(tx, rules, query))


def _check(rules: Rules, query: AppendQuery) -> None:
    if not query.lease_token:
        raise invalid("lease_token", "is required")
    written = sum(len(event.text.encode()) for event in query.events if isinstance(event, Delta))
    if written > rules.message_bytes:
        raise MessageTooLarge("events", written, rules.message_bytes)
    if len(query.events) > MAX_EVENTS:
        raise invalid("events", f"has more than {MAX_EVENTS} events; use several calls")
    if query.events and query.first_sequence < 1:
        raise invalid("first_sequence", "is less than 1; an attempt's first event is 1")
    allowed = (Role.ASSISTANT, Role.TOOL_RESULT, Role.SYSTEM)
    problems = [
        FieldProblem(
            f"events[{at}].message.role", "a run writes as assistant, tool result or system, never as the user"
        )
        for at, event in enumerate(query.events)
        if isinstance(event, Draft) and event.role not in allowed
    ]
    problems += [
        FieldProblem(
            f"events[{at}].message", "is exactly a skip token; say it with CompleteRun's reply, where it is not stored"
        )
        for at, event in enumerate(query.events)
        if isinstance(event, Draft)
        and is_skip("".join(block.text for block in event.content if isinstance(block, Text)))
    ]
    if problems:
        raise InvalidField(*problems)


def _append(tx: Tx, rules: Rules, query: AppendQuery) -> Appended:
    token = LeaseToken.parse(query.lease_token)
    run = _held(tx, token, any(isinstance(event, Draft) for event in query.events))
    expected = run.appended + 1
    if query.events and query.first_sequence > expected:
        raise EventGap(query.first_sequence, expected)
    new = query.events[expected - query.first_sequence :] if query.events else ()
    if new:
        _store(tx, run, new)
    run_leases.extend(tx, run, rules.runs.lease_ms)
    return Appended(expected + len(new), run.state == RunState.CANCELLING)


def _held(tx: Tx, token: LeaseToken | None, locks_session: bool) -> Run:
    """The run of the lease, locked; with messages to write, its session is locked first."""
    found = runs.get(tx, token.run_id) if token and locks_session else None
    if found is not None:
        sessions.get(tx, found.session, lock=True)
    run = runs.held(tx, token) if token else None
    if run is None:
        raise LeaseLost
    return run


def _store(tx: Tx, run: Run, new: Sequence[Brought]) -> None:
    drafts = [event._replace(run_id=run.id) for event in new if isinstance(event, Draft)]
    places = _write(tx, run, drafts)
    events = list(_as_events(new, iter(places)))
    usage = next((event for event in reversed(new) if isinstance(event, Usage)), None)
    count = run_events.append(tx, run.id, run.event_count, events)
    run_leases.note_progress(tx, run, count, run.appended + len(new), usage)


def _write(tx: Tx, run: Run, drafts: list[Draft]) -> list[int]:
    """Append to the transcript; where each message lies."""
    if not drafts:
        return []
    session = sessions.get(tx, run.session)
    try:
        written = messages.append(tx, session, drafts)
    except MessageTooLarge as problem:
        raise MessageTooLarge("events", int(problem.facts["size"]), int(problem.facts["limit"])) from None
    return [messages.place_of(session.generation, message.sequence) for message in written]


def _as_events(new: Sequence[Brought], places: Iterable[int]) -> Iterable[Event]:
    """The events as waiters see them: deltas that came together are one."""
    next_place = iter(places)
    for kind, group in groupby(new, type):
        if kind is Delta:
            yield Delta("".join(each.text for each in group if isinstance(each, Delta)))
        elif kind is Draft:
            yield from (MessageWritten(next(next_place)) for _ in group)
