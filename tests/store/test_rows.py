"""New rows are tuples in the order of their columns: what was given is found under its own name (R2, S7)."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
import sqlalchemy as sa

from sessiond.model.errors import MessageTooLarge
from sessiond.model.exchanges import AnnouncePolicy, ExchangeKind
from sessiond.model.messages import MAX_MESSAGE_BYTES, Draft, Role, Text
from sessiond.model.runs import Pool, Run, RunKind
from sessiond.model.sessions import Route, Session
from sessiond.store import exchanges, runs
from sessiond.store.arrivals import Arrivals, NewRun, RunSettings
from sessiond.store.database import Database
from sessiond.store.exchanges import NewExchange
from sessiond.store.messages import place_of
from sessiond.store.rows import ChangedRows, NewRows
from sessiond.store.schema import messages
from sessiond.store.schema import runs as table_of_runs
from sessiond.store.statement import Statement
from sessiond.store.transaction import Tx
from tests.making import found, make_session, session_of

ROUTE = Route("a channel", "an address", "an account", "a thread")
SETTINGS = RunSettings("an agent", "a model", Pool.SUBAGENTS, is_external=True)


def _queue(tx: Tx, parent_id: str, *ids: str) -> None:
    session, arrivals = found(tx, "agent:main:b"), Arrivals(tx)
    parent = runs.get(tx, parent_id) if parent_id else None
    for run_id in ids:
        new = NewRun(
            id=run_id,
            kind=RunKind.REPLY,
            settings=SETTINGS,
            actor="an actor",
            trace_id="a trace",
            parent=parent,
            exchange_id="an exchange",
            turn=3,
            timeout_ms=4_000,
            deliver=True,
            route=ROUTE,
        )
        queued = arrivals.add(session, new, Draft(Role.USER, (Text("hi"),), run_id=run_id))
        assert queued.run.id == run_id
    arrivals.store()


def _queued(run_id: str, order: int, session: Session) -> dict[str, Any]:
    """The row of such a run."""
    is_child = run_id != "first"
    return {
        **dict.fromkeys(Run._fields),
        "id": run_id,
        "session": session.id,
        "generation": session.generation,
        "run_order": order,
        "kind": "reply",
        "state": "queued",
        "agent_id": "an agent",
        "model": "a model",
        "pool": "subagents",
        "is_external": 1,
        "is_ready": int(order == 1),
        "exchange_id": "an exchange",
        "turn": 3,
        "parent_run_id": "first" if is_child else "",
        "root_run_id": "first",
        "trace_id": "a trace",
        "depth": int(is_child),
        "version": 1,
        "queue_ms": 0,
        "timeout_ms": 4_000,
        "input_place": place_of(session.generation, order),
        "event_count": 1,
        "deliver": 1,
        "route_channel": "a channel",
        "route_to": "an address",
        "route_account_id": "an account",
        "route_thread_id": "a thread",
        **dict.fromkeys(("attempt", "is_skipped", "failure_retryable", "fence", "appended"), 0),
        **dict.fromkeys(("failure_message", "runtime_id", "end_actor", "end_reason", "lease_secret"), ""),
        **dict.fromkeys(("cancel_reason", "cancel_actor"), ""),
    }


async def test_a_run_is_stored_as_it_was_queued_alone_and_with_others(db: Database) -> None:
    await make_session(db, "agent:main:a")
    await make_session(db, "agent:main:b")

    await db.write(lambda tx: _queue(tx, "", "first"))
    await db.write(lambda tx: _queue(tx, "first", "second", "third"))

    def look(tx: Tx) -> None:
        session = found(tx, "agent:main:b")
        for order, run_id in enumerate(("first", "second", "third"), 1):
            run = runs.get(tx, run_id)
            assert run is not None
            assert run._asdict() | {"queue_ms": 0} == _queued(run_id, order, session)

    await db.write(look)  # since it locks the session


async def test_a_message_that_is_refused_leaves_its_session_as_it_was(db: Database) -> None:
    await make_session(db, "agent:main:a")
    before = await session_of(db, "agent:main:a")
    new = NewRun("a run", RunKind.SEND, SETTINGS, "an actor", "a trace")

    def queue(tx: Tx) -> None:
        tx.now_ms += 1_000
        arrivals = Arrivals(tx)
        with pytest.raises(MessageTooLarge):
            arrivals.add(found(tx, "agent:main:a"), new, Draft(Role.USER, (Text("x" * MAX_MESSAGE_BYTES),)))
        arrivals.store()

    await db.write(queue)

    assert await session_of(db, "agent:main:a") == before


async def test_an_exchange_is_stored_as_it_was_begun_alone_and_with_others(db: Database) -> None:
    def begin(tx: Tx, *ids: str) -> None:
        exchanges.create(
            tx,
            *(
                NewExchange(
                    id=each,
                    kind=ExchangeKind.SPAWN,
                    target_session=1,
                    requester_session=2,
                    primary_run_id="a run",
                    request_place=3,
                    max_turns=4,
                    announce=AnnouncePolicy.NEVER,
                    route=ROUTE,
                    cleanup="delete",
                )
                for each in ids
            ),
        )

    await db.write(lambda tx: begin(tx, "first"))
    await db.write(lambda tx: begin(tx, "second", "third"))

    for each in ("first", "second", "third"):
        exchange = await db.read(partial(exchanges.get, exchange_id=each))
        assert exchange is not None
        assert exchange._asdict() | {"created_ms": 0} == {
            "id": each,
            "kind": "spawn",
            "state": "open",
            "target_session": 1,
            "requester_session": 2,
            "primary_run_id": "a run",
            "request_place": 3,
            "max_turns": 4,
            "announce": "never",
            "cleanup": "delete",
            "route_channel": "a channel",
            "route_to": "an address",
            "route_account_id": "an account",
            "route_thread_id": "a thread",
            "first_reply": None,
            "latest_reply": None,
            "created_ms": 0,
            "settled_ms": None,
        }


@pytest.mark.parametrize("places", [(7,), (7, 8)], ids=["alone", "with others"])
async def test_values_of_every_kind_are_stored_as_they_are(db: Database, places: tuple[int, ...]) -> None:
    text, number, raw = 'a "quoted" \\ text,\n\t\x01 [1, null] äß𝄞', 2**63 - 1, bytes(range(256))
    add = NewRows("add messages", messages, ["place", "role", "size", "body"])
    change = ChangedRows("change messages", messages, ["size", "body"], key="place")
    read = Statement("read messages", sa.select(messages).order_by(messages.c.place))

    await db.write(lambda tx: tx.store(add, [(place, text, number, raw) for place in places]))
    added = await db.read(lambda tx: tx.rows(read))
    await db.write(lambda tx: tx.store(change, [{"place": place, "size": -1, "body": b""} for place in places]))
    changed = await db.read(lambda tx: tx.rows(read))

    assert added == [(place, text, number, raw) for place in places]
    assert changed == [(place, text, -1, b"") for place in places]


async def test_what_a_row_has_not_is_not_stored_as_a_text(db: Database) -> None:
    await make_session(db, "agent:main:b")
    await db.write(lambda tx: _queue(tx, "", "first", "second"))
    change = ChangedRows("end runs", table_of_runs, ["reply", "cost_usd", "end_ms"], key="id")
    ended: list[dict[str, Any]] = [
        {"id": "first", "reply": "null", "cost_usd": 0.1, "end_ms": None},
        {"id": "second", "reply": None, "cost_usd": None, "end_ms": 5},
    ]

    await db.write(lambda tx: tx.store(change, ended))

    stored = await db.read(lambda tx: [runs.get(tx, each) for each in ("first", "second")])
    assert [(run.reply, run.cost_usd, run.end_ms) for run in stored if run] == [("null", 0.1, None), (None, None, 5)]
