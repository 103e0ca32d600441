"""From a plan to a filled store, in small transactions, so that a running server is never kept waiting for long."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from random import Random
from typing import NamedTuple

import psycopg
import sqlalchemy as sa

from sessiond.model.keys import main_key_of
from sessiond.store.database import StoreProblem
from sessiond.store.migrations import migrate
from sessiond.store.opening import engine_of
from sessiond.store.schema import messages, session_generations, sessions
from sessiond.store.seeding import bulk
from sessiond.store.seeding.conversations import MessageRow, Transcript
from sessiond.store.seeding.identities import Identities, Identity, Parent
from sessiond.store.seeding.plan import SeedPlan, transcript_lengths
from sessiond.store.seeding.rows import GenerationRow, SessionRow, created_at, life_of, row_of, transcript_of

# What one transaction writes at most.
BATCH_SESSIONS = 10_000
BATCH_MESSAGES = 10_000

Advance = Callable[[int], object]


@dataclass(frozen=True)
class Seeded:
    """What was written, and where."""

    sessions: int
    messages: int
    one_transcript_key: str
    where: str


class _Newcomer(NamedTuple):
    row: SessionRow
    transcript: Transcript


def seed_store(url: str, plan: SeedPlan, advance: Advance = lambda rows: None, now_ms: int | None = None) -> Seeded:
    """Add the plan's sessions and messages to a store; `advance` hears how many rows each step wrote."""
    engine = engine_of(url)
    where = engine.url.render_as_string(hide_password=True)
    try:
        with _told_plainly(where):
            migrate(engine)
            with engine.connect() as connection:
                bulk.prepare(connection)
                key = _Filling(connection, plan, advance, now_ms).fill()
            bulk.tidy(engine)
    finally:
        engine.dispose()
    return Seeded(plan.sessions + bool(key), plan.messages + plan.one_transcript, key, where)


@contextmanager
def _told_plainly(where: str) -> Iterator[None]:
    try:
        yield
    except (sa.exc.DBAPIError, psycopg.Error) as problem:
        cause = problem.orig if isinstance(problem, sa.exc.DBAPIError) else problem
        raise StoreProblem(f"{where} can't be filled: {' '.join(str(cause).split())}") from problem


class _Filling:
    """One run of seeding on an open connection."""

    def __init__(self, connection: sa.Connection, plan: SeedPlan, advance: Advance, now_ms: int | None) -> None:
        self._connection = connection
        self._plan = plan
        self._advance = advance
        self._made = 0
        with connection.begin():
            # A second run starts from a higher id, so that it invents other keys than the first.
            self._rng = Random(f"{plan.seed_number}:{bulk.last_id(connection, sessions)}")  # noqa: S311 - to be repeatable
            self._now_ms = bulk.now_ms(connection) if now_ms is None else now_ms
            self._identities = Identities(plan, self._rng, _mains(connection, plan))

    def fill(self) -> str:
        """Write everything; the key of the one long transcript, if the plan has one."""
        for lengths in _batches(transcript_lengths(self._plan, self._rng)):
            self._write(lengths, self._next_identity)
        if not self._plan.one_transcript:
            return ""
        return self._write([self._plan.one_transcript], self._talkative)[0].row.key

    def _next_identity(self) -> Identity:
        """Sessions are made in the order of their age, as in a store that grew."""
        self._made += 1
        part = (self._made - self._rng.random()) / self._plan.sessions
        return self._identities.next(created_at(part, self._now_ms))

    def _talkative(self) -> Identity:
        return self._identities.talkative(created_at(0, self._now_ms))

    def _write(self, lengths: list[int], invent: Callable[[], Identity]) -> list[_Newcomer]:
        """A session for each length in one transaction; the rest of long transcripts follows in others."""
        with self._connection.begin():
            ids = bulk.reserve_ids(self._connection, sessions, len(lengths))
            generations = bulk.reserve_ids(self._connection, session_generations, len(lengths))
            newcomers = [self._newcomer(invent(), *each) for each in zip(ids, generations, lengths, strict=True)]
            self._insert(newcomers)
        for newcomer in newcomers:
            self._append_rest(*newcomer)
        return newcomers

    def _newcomer(self, identity: Identity, session: int, generation: int, length: int) -> _Newcomer:
        self._identities.remember(identity, session)
        life = life_of(identity, self._rng, self._now_ms)
        transcript = transcript_of(identity, life, generation, length, self._rng)
        written = min(length, BATCH_MESSAGES)
        return _Newcomer(row_of(identity, session, life, transcript, written, self._rng), transcript)

    def _insert(self, newcomers: list[_Newcomer]) -> None:
        rows = [newcomer.row for newcomer in newcomers]
        current = [GenerationRow(row.generation, row.id, row.session_id, row.created_ms) for row in rows]
        said = (transcript.rows(0, row.last_sequence) for row, transcript in newcomers)
        bulk.insert_rows(self._connection, sessions, SessionRow._fields, rows)
        bulk.insert_rows(self._connection, session_generations, GenerationRow._fields, current)
        self._advance(len(rows))
        self._insert_messages(list(chain.from_iterable(said)))

    def _append_rest(self, row: SessionRow, transcript: Transcript) -> None:
        """Go on with a transcript that is longer than one transaction takes."""
        for after in range(BATCH_MESSAGES, transcript.length, BATCH_MESSAGES):
            until = min(after + BATCH_MESSAGES, transcript.length)
            counters = {"last_sequence": until, "tool_results": transcript.tool_results(until)}
            with self._connection.begin():
                counted = sa.update(sessions).where(sessions.c.id == row.id)
                self._connection.execute(counted.values(**counters, version=sessions.c.version + 1))
                self._insert_messages(list(transcript.rows(after, until)))

    def _insert_messages(self, rows: list[MessageRow]) -> None:
        if rows:
            bulk.insert_rows(self._connection, messages, MessageRow._fields, rows)
            self._advance(len(rows))


def _mains(connection: sa.Connection, plan: SeedPlan) -> list[Parent]:
    keys = [str(main_key_of(agent, plan.keys)) for agent in plan.agents]
    columns = [sessions.c[name] for name in Parent._fields]
    return [Parent(*row) for row in connection.execute(sa.select(*columns).where(sessions.c.key.in_(keys)))]


def _batches(lengths: list[int]) -> Iterator[list[int]]:
    """The lengths in runs of which one transaction can write the sessions and, but for giants, the messages."""
    batch: list[int] = []
    waiting = 0
    for length in lengths:
        batch.append(length)
        waiting += length
        if len(batch) == BATCH_SESSIONS or waiting >= BATCH_MESSAGES:
            yield batch
            batch, waiting = [], 0
    if batch:
        yield batch
