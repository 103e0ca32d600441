"""Enough rows that a planner thinks twice: a few thousand sessions, each with a run, and one long transcript."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa

from sessiond.model.keys import SessionKind
from sessiond.store.messages import place_of
from sessiond.store.schema import exchanges, messages, runs, session_generations, sessions
from tests.fakes.clock import START_MS

AGENTS = tuple(f"a{number}" for number in range(8))
SESSIONS = 6000
TALKING = 1200  # sessions with a few messages
LONG = 3000  # messages of session 1
ROOT = 1  # the session that spawned every 20th other
KINDS = tuple(SessionKind)


def fill(engine: sa.Engine) -> None:
    """Put the crowd in, and let the database learn what it looks like."""
    with engine.begin() as connection:
        _put(connection, sessions, map(_session, range(1, SESSIONS + 1)))
        _put(connection, session_generations, map(_generation, range(1, SESSIONS + 1)))
        _put(connection, messages, (_message(1, number) for number in range(1, LONG + 1)))
        talk = ((each, number) for each in range(2, TALKING) for number in range(1, 11))
        _put(connection, messages, (_message(each, number) for each, number in talk))
        _put(connection, exchanges, map(_exchange, range(1, SESSIONS + 1)))
        _put(connection, runs, map(_run, range(1, SESSIONS + 1)))
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("ANALYZE")


def _put(connection: sa.Connection, table: sa.Table, rows: Iterable[dict[str, Any]]) -> None:
    connection.execute(sa.insert(table), list(rows))


def _session(number: int) -> dict[str, Any]:
    agent = AGENTS[number % 7 if number % 2 else 0]  # half of all belong to one agent
    is_spawned = number % 20 == 0
    return {
        "id": number,
        "key": f"agent:{agent}:{number}",
        "agent_id": agent,
        "kind": KINDS[number % len(KINDS)].value,
        "generation": number,
        "session_id": f"session-{number}",
        "created_ms": START_MS,
        "updated_ms": START_MS + number * 7919 % 100_000,
        "is_archived": int(number % 10 == 3),
        "label": f"label-{number % 900}" if number % 30 == 0 else "",
        "spawn_path": f"/{ROOT}/" if is_spawned else "",
        "spawn_root": ROOT if is_spawned else None,
        "spawn_depth": int(is_spawned),
        "last_sequence": LONG if number == 1 else 10 if number < TALKING else 0,
    }


def _generation(number: int) -> dict[str, Any]:
    return {"id": number, "session": number, "session_id": f"session-{number}", "created_ms": START_MS}


def _message(generation: int, sequence: int) -> dict[str, Any]:
    role = "toolResult" if sequence % 3 == 0 else "user"
    return {"place": place_of(generation, sequence), "role": role, "size": 100, "body": b"x" * 100}


def _exchange(number: int) -> dict[str, Any]:
    return {
        "id": f"exchange-{number}",
        "kind": "send",
        "state": "settled",
        "target_session": number,
        "requester_session": number % SESSIONS + 1,
        "primary_run_id": f"run-{number}",
        "request_place": place_of(number, 1),
        "announce": "never",
        "created_ms": START_MS,
    }


def _run(number: int) -> dict[str, Any]:
    return {
        "id": f"run-{number}",
        "session": number,
        "generation": number,
        "run_order": 1,
        "kind": "send",
        "state": "succeeded",
        "agent_id": AGENTS[0],
        "exchange_id": f"exchange-{number}",
        "root_run_id": f"run-{number}",
        "pool": "agents",
        "queue_ms": START_MS,
    }
