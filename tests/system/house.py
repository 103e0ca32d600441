"""All rows of a store, read in one transaction and put together by what belongs together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sqlalchemy as sa

from sessiond.store import schema
from sessiond.store.opening import engine_of
from sessiontools.v1 import message_pb2, run_pb2
from sessiontools.v1 import session_tools_service_pb2 as pb

FINAL = frozenset({"succeeded", "failed", "timed_out", "cancelled"})
LEASED = frozenset({"running", "cancelling"})
OPEN_DELIVERIES = frozenset({"pending", "leased", "unconfirmed"})
FOLLOW_UPS = frozenset({"reply", "announce", "spawn_announce"})  # runs that no caller asked for
Row = Any


@dataclass(frozen=True)
class Change:
    """A state change of a run."""

    sequence: int
    from_state: str
    to_state: str
    reason: str


@dataclass(frozen=True)
class House:
    """Everything that is stored."""

    sessions: list[Row]
    generations: list[Row]
    exchanges: list[Row]
    deliveries: list[Row]
    traces: list[Row]
    runs: dict[str, Row]
    runs_of: dict[int, list[Row]]  # of a session, in arrival order
    events_of: dict[str, list[Row]]  # of a run, in order
    messages: dict[int, message_pb2.Message]  # by place

    @cached_property
    def generations_of(self) -> dict[int, list[Row]]:
        """By session, its generations that have ended and the current one."""
        return _grouped(self.generations, "session")

    @cached_property
    def runs_of_exchange(self) -> dict[str, list[Row]]:
        """By exchange, its runs."""
        return _grouped(self.runs.values(), "exchange_id")

    @cached_property
    def deliveries_of_exchange(self) -> dict[str, list[Row]]:
        """By exchange, what it sent out."""
        return _grouped(self.deliveries, "exchange_id")

    @cached_property
    def deliveries_of_run(self) -> dict[str, list[Row]]:
        """By run, what it sent out."""
        return _grouped(self.deliveries, "run_id")

    @cached_property
    def primaries(self) -> dict[str, str]:
        """By exchange, the run that began it."""
        return {each.id: each.primary_run_id for each in self.exchanges}

    @cached_property
    def places_in(self) -> dict[int, list[int]]:
        """By generation, where its messages lie."""
        return _indexed((place >> schema.PLACE_SHIFT, place) for place in self.messages)

    @cached_property
    def places_by(self) -> dict[str, list[int]]:
        """By run, where its input and its messages lie."""
        return _indexed((message.run_id, place) for place, message in self.messages.items())

    @property
    def asked_for(self) -> list[Row]:
        """The runs that callers asked for, one for each accepted message."""
        return [run for run in self.runs.values() if run.kind not in FOLLOW_UPS]

    def changes_of(self, run_id: str) -> list[Change]:
        """How the run's state went."""
        return [_change(event) for event in self.events_of[run_id] if event.kind == "state"]

    def starts_of(self, run_id: str) -> int:
        """How often the run was given to somebody; a runtime that left before it had the answer does not count."""
        changes = self.changes_of(run_id)
        given_back = sum(change.reason == "CALLER_LEFT" for change in changes)
        return sum(change.to_state == "running" for change in changes) - given_back

    def places_of(self, run_id: str) -> list[int]:
        """Where the messages lie that the run wrote, in the order in which it did."""
        return [event.message_place for event in self.events_of[run_id] if event.kind == "message"]

    def message_at(self, place: int | None) -> message_pb2.Message:
        """The message that lies there; an empty one where there is none."""
        return self.messages.get(place or 0, message_pb2.Message())

    def delivery_states(self, run_id: str) -> dict[str, list[str]]:
        """By delivery, the states that whoever followed this run was told of."""
        told: dict[str, list[str]] = defaultdict(list)
        for event in self.events_of[run_id]:
            if event.kind == "delivery":
                delivery = pb.WaitRunResponse.FromString(event.body).delivery_changed.delivery
                told[delivery.id].append(_word(type(delivery).DESCRIPTOR.fields_by_name["state"], delivery.state))
        return told


def read_house(url: str) -> House:
    """The store as it is at one moment; a server may be at work on it."""
    engine = engine_of(url)
    try:
        with engine.connect().execution_options(isolation_level=_snapshot(engine)) as connection:
            return _read(connection)
    finally:
        engine.dispose()


def text_of(message: message_pb2.Message) -> str:
    """The text of a message, without its tool calls."""
    return "".join(block.text.text for block in message.content)


def _snapshot(engine: sa.Engine) -> str:
    return "SERIALIZABLE" if engine.name == "sqlite" else "REPEATABLE READ"


def _read(connection: sa.Connection) -> House:
    def rows(table: sa.Table, *order: sa.Column[Any]) -> list[Row]:
        return list(connection.execute(sa.select(table).order_by(*order)))

    runs = rows(schema.runs, schema.runs.c.session, schema.runs.c.run_order)
    events = rows(schema.run_events, schema.run_events.c.run_id, schema.run_events.c.sequence)
    messages = rows(schema.messages, schema.messages.c.place)
    return House(
        sessions=rows(schema.sessions),
        generations=rows(schema.session_generations),
        exchanges=rows(schema.exchanges),
        deliveries=rows(schema.deliveries),
        traces=rows(schema.traces),
        runs={run.id: run for run in runs},
        runs_of=_grouped(runs, "session"),
        events_of=_grouped(events, "run_id"),
        messages={row.place: message_pb2.Message.FromString(row.body) for row in messages},
    )


def _indexed(pairs: Iterable[tuple[Any, int]]) -> dict[Any, list[int]]:
    places: dict[Any, list[int]] = defaultdict(list)
    for key, place in pairs:
        places[key].append(place)
    return places


def _grouped(rows: Iterable[Row], column: str) -> dict[Any, list[Row]]:
    groups: dict[Any, list[Row]] = defaultdict(list)
    for row in rows:
        groups[getattr(row, column)].append(row)
    return groups


def _change(event: Row) -> Change:
    changed = pb.WaitRunResponse.FromString(event.body).state_changed
    field = run_pb2.RunStateChanged.DESCRIPTOR.fields_by_name["from_state"]
    return Change(event.sequence, _word(field, changed.from_state), _word(field, changed.to_state), changed.reason)


def _word(field: Any, number: int) -> str:
    """A state as it stands in its row; empty for none."""
    name: str = field.enum_type.values_by_number[number].name
    prefix: str = field.enum_type.values_by_number[0].name.removesuffix("UNSPECIFIED")
    return name.removeprefix(prefix).lower() if number else ""
