"""Session rows: made once, found by every name, hidden by scope, reset under the same key."""

from __future__ import annotations

import asyncio

import pytest

from sessiond.model.sessions import Session
from sessiond.model.visibility import EVERYTHING, NO_AGENT, Scope
from sessiond.store import sessions
from sessiond.store.database import Database
from sessiond.store.schema import session_generations
from sessiond.store.schema import sessions as sessions_table
from sessiond.store.sessions import Generation
from tests.fakes.clock import START_MS, ManualClock
from tests.making import (
    count,
    found,
    make_session,
    put_session,
    say,
    session_of,
    standing_in,
    start_generation,
    tool_result,
    words,
)

NOBODY = Scope("all", frozenset({"nobody"}))


async def change(db: Database, key: str, **values: object) -> Session:
    return await db.write(lambda tx: sessions.change(tx, found(tx, key), values))


async def labelled(
    db: Database, label: str, scope: Scope = EVERYTHING, agent_id: str = "", limit: int = 9
) -> list[str]:
    matches = await db.read(lambda tx: sessions.find_by_label(tx, label, scope, agent_id, limit))
    return [each.key for each in matches]


async def test_a_new_session_starts_empty_in_its_first_generation(db: Database) -> None:
    session = await make_session(db, "agent:main:cron:nightly")

    assert (session.kind, session.agent_id) == ("cron", "main")
    assert (session.created_ms, session.updated_ms) == (START_MS, START_MS)
    assert (session.last_sequence, session.archived_ms, session.spawn_depth) == (0, None, 0)
    assert await db.read(lambda tx: sessions.generations(tx, session)) == [session.generation]


async def test_making_a_session_that_is_there_finds_it(db: Database) -> None:  # K5
    first = await make_session(db, label="first")

    again = await make_session(db)

    assert again == first
    assert await count(db, session_generations) == 1


async def test_twins_that_make_one_session_get_the_same(db: Database) -> None:
    made = await asyncio.gather(*(db.write(lambda tx: put_session(tx, "agent:main:main")) for _ in range(20)))

    assert len(set(made)) == 1
    assert (await count(db, sessions_table), await count(db, session_generations)) == (1, 1)


async def test_a_session_is_found_by_its_key_and_by_its_id(db: Database) -> None:  # K8
    session = await make_session(db)

    assert await db.read(lambda tx: sessions.find_by_key(tx, session.key)) == session
    assert await db.read(lambda tx: sessions.find_by_session_id(tx, session.session_id)) == session
    assert await db.read(lambda tx: sessions.find_by_key(tx, session.key.upper())) is None


async def test_a_scope_hides_a_session_under_each_of_its_names(db: Database) -> None:  # V5
    session = await make_session(db, label="red")
    old = session.session_id
    session = await start_generation(db, session.key)

    assert await db.read(lambda tx: sessions.find_by_key(tx, session.key, NOBODY)) is None
    assert await db.read(lambda tx: sessions.find_by_session_id(tx, session.session_id, NOBODY)) is None
    assert await db.read(lambda tx: sessions.find_by_old_session_id(tx, old, NOBODY)) is None
    assert await labelled(db, "red", NOBODY) == []
    assert await db.write(lambda tx: sessions.find_by_key(tx, session.key, NOBODY, lock=True)) is None


async def test_a_tree_scope_finds_what_was_spawned_below_however_deep(db: Database) -> None:  # V3
    parent = root = await make_session(db)
    for depth in (1, 2, 3):
        parent = await make_session(db, f"agent:a{depth}:subagent:x", spawned_by=parent)
        assert (parent.spawn_depth, parent.spawn_path.count("/")) == (depth, depth + 1)
    tree = Scope("tree", NO_AGENT, standing_in(root), sees_spawned=True)
    below = Scope("tree", NO_AGENT, standing_in(parent), sees_spawned=True)

    assert parent.spawned_by == "agent:a2:subagent:x"
    assert await db.read(lambda tx: sessions.find_by_key(tx, parent.key, tree)) == parent
    assert await db.read(lambda tx: sessions.find_by_key(tx, root.key, below)) is None


async def test_a_reset_starts_a_new_generation_under_the_same_key(db: Database, clock: ManualClock) -> None:
    before = await make_session(db, label="kept", total_tokens=7, system_sent=1, drafts=[words(), tool_result()])
    clock.advance(minutes=1)

    after = await start_generation(db, before.key)

    assert after.session_id != before.session_id
    assert (after.id, after.label, after.created_ms) == (before.id, "kept", before.created_ms)
    assert (after.last_sequence, after.tool_results, after.total_tokens, after.system_sent) == (0, 0, None, 0)
    assert after.updated_ms == clock()


async def test_an_old_session_id_leads_to_its_own_generation(db: Database) -> None:  # K8
    first = await make_session(db, drafts=[words(), tool_result(), words()])
    second = await start_generation(db, first.key)
    third = await start_generation(db, first.key)

    found_first = await db.read(lambda tx: sessions.find_by_old_session_id(tx, first.session_id))
    found_second = await db.read(lambda tx: sessions.find_by_old_session_id(tx, second.session_id))

    assert found_first == (third, Generation(first.generation, first.session_id, 3, 1))
    assert found_second == (third, Generation(second.generation, second.session_id, 0, 0))
    assert await db.read(lambda tx: sessions.find_by_session_id(tx, first.session_id)) is None


async def test_a_change_sets_what_it_names_and_nothing_else(db: Database, clock: ManualClock) -> None:
    before = await make_session(db, label="red", send_policy="deny")
    clock.advance(minutes=1)

    after = await change(db, before.key, label="", send_policy=None, model="echo")

    wanted = {"label": "", "send_policy": None, "model": "echo", "settings_version": before.settings_version + 1}
    assert after._asdict() == before._asdict() | wanted


async def test_the_etag_changes_with_settings_and_not_with_messages(db: Database) -> None:
    session = await make_session(db)
    await say(db, session.key, words())

    spoken = await session_of(db, session.key)
    changed = await change(db, session.key, label="red")

    assert spoken is not None
    assert spoken.etag == session.etag
    assert changed.etag != session.etag


async def test_archiving_again_keeps_the_first_time(db: Database, clock: ManualClock) -> None:  # L7
    first = await make_session(db, archived=True)
    clock.advance(minutes=1)

    again = await make_session(db, archived=True)

    assert first.archived_ms == again.archived_ms == START_MS


async def test_a_label_finds_live_sessions_newest_first(db: Database, clock: ManualClock) -> None:  # S1
    for key in ("agent:main:b", "agent:main:a", "agent:ops:a"):
        await make_session(db, key, label="red")
    await make_session(db, "agent:main:gone", label="red", archived=True)
    await make_session(db, "agent:main:other", label="reddish")
    clock.advance(seconds=1)
    await say(db, "agent:ops:a", words())

    assert await labelled(db, "red") == ["agent:ops:a", "agent:main:a", "agent:main:b"]
    assert await labelled(db, "red", limit=1) == ["agent:ops:a"]
    assert await labelled(db, "red", agent_id="main") == ["agent:main:a", "agent:main:b"]
    assert await labelled(db, "red", Scope("all", frozenset({"main"}))) == ["agent:main:a", "agent:main:b"]


async def test_no_label_finds_no_session(db: Database) -> None:
    await make_session(db)

    assert await labelled(db, "") == []


@pytest.mark.parametrize("resets", [0, 2])
async def test_a_deleted_session_leaves_no_row_and_its_id_is_not_given_again(db: Database, resets: int) -> None:
    session = await make_session(db)
    for _ in range(resets):
        session = await start_generation(db, session.key)

    await db.write(lambda tx: sessions.delete(tx, session))

    assert (await count(db, sessions_table), await count(db, session_generations)) == (0, 0)
    again = await make_session(db)
    assert again.id > session.id
    assert again.generation > session.generation
