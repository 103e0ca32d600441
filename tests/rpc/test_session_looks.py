"""What lists remember of sessions: always what is stored, never more than they may hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest

from sessiond.access import View
from sessiond.model.messages import Usage
from sessiond.model.runs import RunState
from sessiond.model.sessions import Session
from sessiond.rpc.session_looks import SessionLooks
from sessiond.store import messages, run_queue, sessions
from sessiond.store.database import Database
from sessiond.store.session_pages import PageRow
from sessiond.store.transaction import Tx
from sessiond.tools.sessions_list import ListQuery, Read, sessions_list
from sessiontools.v1 import session_pb2
from tests.making import OWNER, acting_as, found, make_session, rules_of, words

KEY = "agent:main:main"
RULES = rules_of("ops", agent_to_agent=True)
CHANGES: dict[str, Callable[[Tx, Session], object]] = {
    "settings": lambda tx, session: sessions.change(tx, session, {"label": "red"}),
    "a message": lambda tx, session: messages.append(tx, session, [words()]),
    "a reset": lambda tx, session: sessions.start_generation(tx, session, "second"),
    "an archive": sessions.archive,
    "a run": lambda tx, session: run_queue.set_head(tx, session.id, "r1", RunState.RUNNING),
}


@dataclass
class Asked:
    """Lists with a memory, and which rows were read for them."""

    db: Database
    looks: SessionLooks = field(default_factory=lambda: SessionLooks(RULES))
    read: list[int] = field(default_factory=list)

    async def list(self, acting: str = "") -> dict[str, session_pb2.Session]:
        """The sessions as they are shown, by the ids of their generations."""

        def watched(view: View, rows: Sequence[PageRow], read: Read) -> list[bytes]:
            def noted(unknown: Sequence[PageRow]) -> Sequence[Session]:
                found = read(unknown)  # on PostgreSQL not at the first try
                self.read += [row_id for row_id, *_ in unknown]
                return found

            return self.looks.of_page(view, rows, noted)

        caller = acting_as(acting) if acting else OWNER
        page = await sessions_list(self.db, RULES, caller, ListQuery(include_archived=True), watched)
        shown = [session_pb2.Session.FromString(look) for look in page.sessions]
        return {each.session_id: each for each in shown}


@pytest.fixture
def asked(db: Database) -> Asked:
    return Asked(db)


async def test_what_has_not_changed_is_read_once(db: Database, asked: Asked) -> None:
    made = [await make_session(db, f"agent:main:{each}", label=f"label {each}") for each in range(3)]

    first, second = await asked.list(), await asked.list()

    assert first == second
    assert sorted(asked.read) == sorted(each.id for each in made)
    assert {each.label for each in first.values()} == {"label 0", "label 1", "label 2"}


@pytest.mark.parametrize("change", CHANGES)
async def test_what_has_changed_is_shown_as_it_is_now(db: Database, asked: Asked, change: str) -> None:
    await make_session(db, KEY)
    other = await make_session(db, "agent:main:other")
    await asked.list()
    asked.read.clear()

    await db.write(lambda tx: CHANGES[change](tx, found(tx, KEY)))

    assert await asked.list() == await Asked(db).list()
    assert len(asked.read) == 1
    assert asked.read != [other.id]


async def test_what_a_sub_agent_took_counts_the_version_of_its_parent(db: Database, asked: Asked) -> None:
    parent = await make_session(db, KEY)
    child = await make_session(db, "agent:main:subagent:1", spawned_by=parent)
    await asked.list()
    asked.read.clear()

    await db.write(lambda tx: sessions.add_spawned_usage(tx, child, Usage(1, 2, 3)))
    await asked.list()

    assert asked.read == [parent.id]


async def test_each_agent_is_shown_its_own_short_keys(db: Database, asked: Asked) -> None:  # K6
    first, second = await make_session(db, KEY), await make_session(db, "agent:ops:main")

    seen = [await asked.list(acting) for acting in (KEY, "agent:ops:main", KEY)]

    keys = [(each[first.session_id].key, each[second.session_id].key) for each in seen]
    assert keys == [("main", "agent:ops:main"), (KEY, "main"), ("main", "agent:ops:main")]
    assert asked.looks.size[0] == 4


async def test_of_too_many_the_longest_unused_are_forgotten(db: Database) -> None:
    asked = Asked(db, SessionLooks(RULES, max_entries=2))
    made = [await make_session(db, f"agent:main:{each}") for each in range(3)]

    await asked.list()
    await asked.list()

    assert asked.looks.size[0] == 2
    assert sorted(asked.read) == sorted([*(each.id for each in made), made[0].id])


async def test_what_is_asked_for_again_is_kept_when_the_memory_is_full(db: Database) -> None:
    asked = Asked(db, SessionLooks(RULES, max_entries=4))
    made = [await make_session(db, f"agent:main:{each}") for each in range(3)]

    lists = [await asked.list() for _ in range(5)]

    assert all(each == lists[0] for each in lists)
    assert sorted(asked.read) == sorted(each.id for each in made)
    assert asked.looks.size[0] <= 4


async def test_all_of_them_have_no_more_bytes_than_they_may(db: Database) -> None:
    asked = Asked(db, SessionLooks(RULES, max_bytes=2500))
    for each in range(3):
        await make_session(db, f"agent:main:{each}", label="x" * 400)

    shown = await asked.list()

    assert len(shown) == 3
    count, size = asked.looks.size
    assert count < 3
    assert 400 < size <= 2500
