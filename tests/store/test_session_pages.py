"""Lists of sessions against a plain reading of the rules: every scope, every filter, every page size."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sessiond.model.keys import SessionKind
from sessiond.model.visibility import EVERYTHING, Scope
from sessiond.store import session_pages
from sessiond.store.database import Database
from sessiond.store.session_pages import MAX_AGENT_ARMS, ListFilter, PageRow, Position
from tests.fakes.clock import START_MS, ManualClock
from tests.making import make_session, say, standing_in, words
from tests.store.house import AGENTS, MINUTE_MS, House

FILTERS = st.builds(
    ListFilter,
    kinds=st.lists(st.sampled_from(SessionKind), unique=True).map(lambda kinds: tuple(sorted(kinds))),
    agent_id=st.sampled_from(["", "", *AGENTS, "nobody"]),
    label=st.sampled_from(["", "", "red", "blue", "green"]),
    active_since_ms=st.none() | st.integers(0, 8).map(lambda minutes: START_MS - minutes * MINUTE_MS),
    include_archived=st.booleans(),
)
SCOPE_NAMES = (
    *("everything", "self", "tree from the root", "tree from the middle", "tree of a session without a row", "agent"),
    *("a few agents", "many agents", "a few agents but not its own", "many agents but not its own"),
)
THOROUGH = settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],  # the house is only read
)


@pytest.fixture
async def house(db: Database) -> House:
    """A store with some of everything."""
    return await db.write(House)


async def page(
    db: Database, scope: Scope, wanted: ListFilter, after: Position | None = None, limit: int = 100
) -> list[PageRow]:
    return await db.read(lambda tx: session_pages.page(tx, scope, wanted, after, limit))


async def walk(db: Database, scope: Scope, wanted: ListFilter, limit: int) -> list[str]:
    """The keys of all pages, one after the other."""
    keys: list[str] = []
    after: Position | None = None
    while found := await page(db, scope, wanted, after, limit):
        assert len(found) <= limit
        keys += [key for *_, key in found]
        after = session_pages.position_of(found[-1])
    return keys


@THOROUGH
@given(scope_name=st.sampled_from(SCOPE_NAMES), wanted=FILTERS, limit=st.sampled_from([1, 3, 8, 200]))
async def test_pages_are_complete_in_order_and_without_repeats(
    db: Database, house: House, scope_name: str, wanted: ListFilter, limit: int
) -> None:  # L1, L2, L3, L5, L7, V3
    scope = house.scopes()[scope_name]

    assert await walk(db, scope, wanted, limit) == house.expected(scope, wanted)


@pytest.mark.parametrize("scope_name", SCOPE_NAMES)
async def test_every_scope_lists_what_it_shows(db: Database, house: House, scope_name: str) -> None:  # V3, V5
    scope = house.scopes()[scope_name]
    wanted = ListFilter(include_archived=True)

    assert await walk(db, scope, wanted, 7) == house.expected(scope, wanted)


async def test_the_house_has_what_the_tests_are_about(house: House) -> None:
    scopes = house.scopes()
    wanted = ListFilter(include_archived=True)
    shown = {name: len(house.expected(scope, wanted)) for name, scope in scopes.items()}
    instants = {each.updated_ms for each in house.sessions}

    assert set(scopes) == set(SCOPE_NAMES)
    assert shown["self"] == 1
    assert shown["tree of a session without a row"] == 0
    assert 1 < shown["tree from the middle"] < shown["tree from the root"] < shown["everything"]
    assert len(scopes["many agents"].agents or ()) > MAX_AGENT_ARMS
    assert max(each.spawn_depth for each in house.sessions) >= 3
    assert {each.kind for each in house.sessions} == set(SessionKind)
    assert len(instants) < len(house.sessions) / 4


async def test_the_newest_come_first_and_the_key_breaks_ties(db: Database, clock: ManualClock) -> None:  # L5
    for key in ("agent:main:b", "agent:main:B", "agent:main:a", "agent:main:_", "agent:main:cron:a"):
        await make_session(db, key)
    clock.advance(seconds=1)
    await say(db, "agent:main:b", words())

    listed = [key.removeprefix("agent:main:") for *_, key in await page(db, EVERYTHING, ListFilter())]

    assert listed == ["b", "B", "_", "a", "cron:a"]


def test_ties_are_broken_alike_whatever_the_locale_of_the_server(postgres: sa.Engine) -> None:  # L5
    with postgres.connect() as connection:
        found = sa.inspect(connection).get_columns("sessions")

    [key] = [column for column in found if column["name"] == "key"]
    assert key["type"].collation == "C"  # type: ignore[attr-defined]


@pytest.mark.parametrize(("late_ms", "keys"), [(0, ["agent:main:main"]), (1, [])])
async def test_the_active_window_is_inclusive(db: Database, late_ms: int, keys: list[str]) -> None:  # L3
    await make_session(db)

    found = await page(db, EVERYTHING, ListFilter(active_since_ms=START_MS + late_ms))

    assert [key for *_, key in found] == keys


async def test_a_label_is_compared_whole_and_with_its_case(db: Database) -> None:
    await make_session(db, "agent:main:a", label="Red")
    await make_session(db, "agent:main:b", label="red%")
    await make_session(db, "agent:main:c", label="red")

    found = await page(db, EVERYTHING, ListFilter(label="red"))

    assert [key for *_, key in found] == ["agent:main:c"]


async def test_a_spawn_path_is_compared_by_whole_ids(db: Database) -> None:  # V3
    root = await make_session(db)
    children = [await make_session(db, f"agent:main:subagent:{each}", spawned_by=root) for each in range(20)]
    one = children[0]
    [alike, *_] = [each for each in children[1:] if str(each.id).startswith(str(one.id))]
    grandchild = await make_session(db, "agent:main:subagent:x", spawned_by=alike)

    trees = [
        await page(db, Scope("tree", frozenset(), standing_in(each), sees_spawned=True), ListFilter())
        for each in (one, alike)
    ]

    assert [{key for *_, key in tree} for tree in trees] == [{one.key}, {alike.key, grandchild.key}]
