"""Seeding writes what the use cases would have written, on each database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa

from sessiond.model.callers import Caller, CallerRole
from sessiond.model.keys import KeyRules, SessionKind, canonical, parse
from sessiond.model.messages import Role, message_id
from sessiond.model.rules import Rules
from sessiond.model.sessions import kind_of
from sessiond.model.tools import ToolPolicy
from sessiond.store import codec
from sessiond.store.database import StoreProblem
from sessiond.store.messages import place_of
from sessiond.store.opening import engine_of, open_database
from sessiond.store.schema import messages, session_generations, sessions
from sessiond.store.seeding import SeedPlan, filling, seed_store
from sessiond.store.sessions import NewSession, create
from sessiond.tools.sessions_history import HistoryQuery, sessions_history
from sessiond.tools.sessions_list import ListQuery, sessions_list
from tests.fakes.clock import START_MS

AGENTS = ("main", "work", "family")
PLAN = SeedPlan(sessions=300, messages=900, agents=AGENTS)
OWNER = Caller(CallerRole.OWNER, "test")


@pytest.fixture
def engine(store_url: str) -> Iterator[sa.Engine]:
    """To look at what was written."""
    engine = engine_of(store_url)
    yield engine
    engine.dispose()


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many transactions for few rows."""
    monkeypatch.setattr(filling, "BATCH_SESSIONS", 40)
    monkeypatch.setattr(filling, "BATCH_MESSAGES", 70)


def rows_of(engine: sa.Engine, table: sa.Table) -> list[Any]:
    """Every row, by id or place."""
    with engine.connect() as connection:
        return list(connection.execute(sa.select(table).order_by(*table.primary_key.columns)))


def seed(url: str, plan: SeedPlan = PLAN) -> None:
    """Seed at a fixed time."""
    seed_store(url, plan, now_ms=START_MS)


def said_in(session: Any, stored: list[Any]) -> list[Any]:
    """The messages of a session's current generation."""
    first, last = place_of(session.generation, 0), place_of(session.generation + 1, 0)
    return [row for row in stored if first < row.place < last]


@pytest.mark.usefixtures("small_batches")
def test_as_many_rows_are_added_as_were_asked_for(store_url: str, engine: sa.Engine) -> None:
    heard: list[int] = []

    seeded = seed_store(store_url, PLAN, heard.append, START_MS)

    assert (seeded.sessions, seeded.messages) == (300, 900)
    assert len(rows_of(engine, sessions)) == len(rows_of(engine, session_generations)) == 300
    assert len(rows_of(engine, messages)) == 900
    assert sum(heard) == PLAN.rows == 1200


def test_every_key_is_canonical_and_gives_its_kind(store_url: str, engine: sa.Engine) -> None:  # K5, K10
    seed(store_url)

    for row in rows_of(engine, sessions):
        key = canonical(row.key, KeyRules())
        assert str(key) == row.key
        assert key.agent_id == row.agent_id
        assert kind_of(key, row.chat_type) == row.kind


def test_the_sessions_are_of_every_kind_agent_and_condition(store_url: str, engine: sa.Engine) -> None:
    seed(store_url)

    rows = rows_of(engine, sessions)
    assert {row.kind for row in rows} == set(SessionKind)
    assert {row.agent_id for row in rows} == set(AGENTS)
    assert {row.route_channel for row in rows} > {"", "telegram", "discord"}
    assert {bool(row.is_archived) for row in rows} == {bool(row.label) for row in rows} == {True, False}
    assert {row.spawn_depth for row in rows} >= {0, 1, 2}


def test_times_lie_in_the_past_and_in_order(store_url: str, engine: sa.Engine) -> None:
    seed(store_url)

    for row in rows_of(engine, sessions):
        assert row.created_ms <= row.updated_ms <= START_MS
        assert (row.archived_ms is not None) == row.is_archived
        assert row.archived_ms is None or row.updated_ms <= row.archived_ms <= START_MS


@pytest.mark.usefixtures("small_batches")
def test_counters_and_times_agree_with_the_transcripts(store_url: str, engine: sa.Engine) -> None:
    seed(store_url, SeedPlan(sessions=30, messages=900, one_transcript=333, agents=AGENTS))

    stored = rows_of(engine, messages)
    for session in rows_of(engine, sessions):
        said = said_in(session, stored)
        assert [row.place - place_of(session.generation, 0) for row in said] == list(range(1, len(said) + 1))
        assert session.last_sequence == len(said)
        assert session.tool_results == sum(row.role == Role.TOOL_RESULT for row in said)
        assert not said or codec.decode(said[-1].body).created_ms == session.updated_ms


def test_every_body_is_a_message_of_its_place(store_url: str, engine: sa.Engine) -> None:
    seed(store_url)

    by_generation = {row.generation: row for row in rows_of(engine, sessions)}
    for row in rows_of(engine, messages):
        message = codec.decode(row.body)
        session = by_generation[row.place >> 32]
        assert message.id == message_id(session.session_id, message.sequence)
        assert row.place == place_of(session.generation, message.sequence)
        assert (row.role, row.size) == (message.draft.role, len(row.body))
        assert message.draft.content
        assert codec.decode(codec.encode(message)) == message


@pytest.mark.usefixtures("small_batches")
def test_sub_agents_hang_on_sessions_that_are_there(store_url: str, engine: sa.Engine) -> None:
    seed(store_url)

    rows = rows_of(engine, sessions)
    by_key = {row.key: row for row in rows}
    for row in rows:
        assert bool(row.spawned_by) == (":subagent:" in row.key)
        assert ToolPolicy.parse(row.tool_policy).allows("sessions_send") != bool(row.spawned_by)  # P6
        if row.spawned_by:
            parent = by_key[row.spawned_by]
            assert row.spawn_path == f"{parent.spawn_path or '/'}{parent.id}/"
            assert row.spawn_depth == parent.spawn_depth + 1
            assert row.spawn_root == int(row.spawn_path.split("/")[1])


def test_each_generation_is_the_current_one_of_its_session(store_url: str, engine: sa.Engine) -> None:
    seed(store_url)

    current = {(row.id, row.generation, row.session_id) for row in rows_of(engine, sessions)}
    assert {(row.session, row.id, row.session_id) for row in rows_of(engine, session_generations)} == current


def test_most_transcripts_are_short(store_url: str, engine: sa.Engine) -> None:
    seed(store_url)

    lengths = sorted(row.last_sequence for row in rows_of(engine, sessions))
    assert lengths[len(lengths) // 2] < 3 < 30 < lengths[-1]


def test_a_second_run_adds_to_the_first(store_url: str, engine: sa.Engine) -> None:
    seed(store_url)
    before = rows_of(engine, sessions)

    seed(store_url)

    rows = rows_of(engine, sessions)
    assert rows[:300] == before
    assert len({row.key for row in rows}) == len({row.session_id for row in rows}) == 600
    assert Counter(row.kind for row in rows)["main"] == len(AGENTS)


def test_an_id_that_was_purged_is_not_given_again(store_url: str, engine: sa.Engine) -> None:
    seed(store_url)
    gone = {row.id: row.key for row in rows_of(engine, sessions)[-50:]}
    with engine.begin() as connection:
        connection.execute(sa.delete(sessions).where(sessions.c.id.in_(gone)))

    seed(store_url)

    rows = rows_of(engine, sessions)
    assert len(rows) == 550
    assert not gone.keys() & {row.id for row in rows}
    assert not set(gone.values()) & {row.key for row in rows}


def test_the_same_number_gives_the_same_rows(store_url: str, tmp_path: Any, engine: sa.Engine) -> None:
    elsewhere = f"sqlite:///{tmp_path / 'elsewhere.db'}"
    seed(store_url)
    seed(elsewhere)

    other = engine_of(elsewhere)
    assert rows_of(engine, sessions) == rows_of(other, sessions)
    assert rows_of(engine, messages) == rows_of(other, messages)


def test_another_number_gives_others(store_url: str, tmp_path: Any, engine: sa.Engine) -> None:
    elsewhere = f"sqlite:///{tmp_path / 'elsewhere.db'}"
    seed(store_url)
    seed(elsewhere, SeedPlan(sessions=300, messages=900, agents=AGENTS, seed_number=2))

    keys = {row.key for row in rows_of(engine, sessions)}
    assert keys & {row.key for row in rows_of(engine_of(elsewhere), sessions)} == {
        f"agent:{agent}:main" for agent in AGENTS
    }


def test_where_direct_chats_share_one_session_none_is_invented(store_url: str, engine: sa.Engine) -> None:  # K7
    rules = KeyRules(main_key="home", direct_chats_share_main=True)

    seed(store_url, SeedPlan(sessions=300, agents=AGENTS, keys=rules))

    rows = rows_of(engine, sessions)
    assert all(str(canonical(row.key, rules)) == row.key for row in rows)
    assert {row.key for row in rows if parse(row.key, rules).is_main} == {f"agent:{agent}:home" for agent in AGENTS}


async def test_a_seeded_store_goes_on_as_any_other(store_url: str) -> None:
    seed(store_url)
    db = await open_database(store_url, on_commit=lambda topics: None, clock=lambda: START_MS)
    new = NewSession("agent:main:cron:mine", "main", SessionKind.CRON, "mine")

    made = await db.write(lambda tx: create(tx, new))
    listed = await sessions_list(db, Rules(), OWNER, ListQuery(limit=5, message_limit=2))
    await db.close()

    assert made.session_id == "mine"
    assert listed.sessions[0].key == made.key
    assert len(listed.sessions) == 5


@pytest.mark.usefixtures("small_batches")
async def test_one_transcript_gets_all_its_messages(store_url: str) -> None:
    seeded = seed_store(store_url, SeedPlan(one_transcript=500), now_ms=START_MS)
    db = await open_database(store_url, on_commit=lambda topics: None, clock=lambda: START_MS)

    query = HistoryQuery(seeded.one_transcript_key, limit=10, include_tools=True)
    page = await sessions_history(db, Rules(), OWNER, query)
    await db.close()

    assert (seeded.sessions, seeded.messages, page.total_messages) == (1, 500, 500)
    assert [codec.decode(body).sequence for body in page.messages] == list(range(491, 501))


def test_a_server_that_is_not_there_is_told_in_one_line() -> None:
    url = "postgresql+psycopg://someone:secret@127.0.0.1:1/nothing"

    with pytest.raises(StoreProblem, match=r"^postgresql\+psycopg://someone:\*\*\*@127.0.0.1:1/nothing .*$") as told:
        seed(url)

    assert "\n" not in str(told.value)
