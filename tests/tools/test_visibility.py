"""What an acting session sees, through the use cases: hidden is the same as absent (V3, V4, V5, K8, K9)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from sessiond.gateway.sessions_delete import DeleteQuery, sessions_delete
from sessiond.gateway.sessions_patch import PatchQuery, sessions_patch
from sessiond.gateway.sessions_reset import ResetQuery, sessions_reset
from sessiond.gateway.sessions_resolve import ResolveQuery, sessions_resolve
from sessiond.model.callers import Caller
from sessiond.model.errors import SessionNotFound
from sessiond.model.rules import Rules
from sessiond.model.sessions import Session
from sessiond.model.visibility import VisibilitySetting
from sessiond.store.database import Database
from sessiond.store.schema import sessions as sessions_table
from sessiond.tools.sessions_history import HistoryQuery, sessions_history
from sessiond.tools.sessions_list import ListPage, ListQuery, sessions_list
from tests.making import OWNER, acting_as, count, make_session, rules_of, session_of

ACTING = "agent:main:telegram:direct:ann"
OWN_AGENT = "agent:main:main"
CHILD = "agent:web:subagent:child"
GRANDCHILD = "agent:web:subagent:grandchild"
OTHERS = "agent:ops:main"
EVERYONE = {ACTING, OWN_AGENT, CHILD, GRANDCHILD, OTHERS}
TREE = {ACTING, CHILD, GRANDCHILD}
SELF, IN_TREE, IN_AGENT = VisibilitySetting.SELF, VisibilitySetting.TREE, VisibilitySetting.AGENT

Call = Callable[[Database, Rules, Caller, str], Awaitable[object]]
CALLS: dict[str, Call] = {
    "history": lambda db, rules, caller, key: sessions_history(db, rules, caller, HistoryQuery(key)),
    "patch": lambda db, rules, caller, key: sessions_patch(db, rules, caller, PatchQuery(key, {"label": "x"})),
    "patch or make": lambda db, rules, caller, key: sessions_patch(
        db, rules, caller, PatchQuery(key, {"label": "x"}, allow_missing=True)
    ),
    "reset": lambda db, rules, caller, key: sessions_reset(db, rules, caller, ResetQuery(key)),
    "delete": lambda db, rules, caller, key: sessions_delete(db, rules, caller, DeleteQuery(key)),
    "purge": lambda db, rules, caller, key: sessions_delete(db, rules, caller, DeleteQuery(key, purge=True)),
    "resolve": lambda db, rules, caller, key: sessions_resolve(db, rules, caller, ResolveQuery(session_key=key)),
    "resolve id": lambda db, rules, caller, key: sessions_resolve(db, rules, caller, ResolveQuery(session_id=key)),
}


async def fill(db: Database, sandboxed: bool = False) -> Session:
    acting = await make_session(db, ACTING, sandboxed=sandboxed)
    child = await make_session(db, CHILD, spawned_by=acting)
    await make_session(db, GRANDCHILD, spawned_by=child)
    await make_session(db, OWN_AGENT)
    return await make_session(db, OTHERS)


async def seen(db: Database, rules: Rules, caller: Caller) -> ListPage[Session]:
    return await sessions_list(db, rules, caller, ListQuery())


def keys(page: ListPage[Session]) -> set[str]:
    return {each.key for each in page.sessions}


@pytest.mark.parametrize(
    ("rules", "scope", "expected"),
    [
        (rules_of("ops", setting=SELF), "self", {ACTING}),
        (rules_of("ops", setting=IN_TREE), "tree", TREE),
        (rules_of("ops", setting=IN_AGENT), "agent", TREE | {OWN_AGENT}),
        (rules_of("ops"), "all", TREE | {OWN_AGENT}),
        (rules_of("ops", agent_to_agent=True), "all", EVERYONE),
        (rules_of("ops", agent_to_agent=True, agent_to_agent_allow=("main", "O*")), "all", EVERYONE),
        (rules_of("ops", agent_to_agent=True, agent_to_agent_allow=("ops",)), "all", TREE | {OWN_AGENT}),
    ],
)
async def test_each_setting_shows_its_sessions(
    db: Database, rules: Rules, scope: str, expected: set[str]
) -> None:  # V3
    await fill(db)

    page = await seen(db, rules, acting_as(ACTING))

    assert keys(page) == expected
    assert page.view.scope.name == scope
    assert page.view.scope.is_restricted is not (expected == EVERYONE and not rules.visibility.agent_to_agent_allow)


@pytest.mark.parametrize(("clamps", "expected"), [(True, TREE), (False, TREE | {OWN_AGENT})])
async def test_a_sandboxed_session_sees_only_what_it_spawned(
    db: Database, clamps: bool, expected: set[str]
) -> None:  # V4
    await fill(db, sandboxed=True)

    page = await seen(db, rules_of(sandbox_clamps=clamps), acting_as(ACTING))

    assert keys(page) == expected
    assert page.view.scope.sandbox_clamped is clamps


async def test_without_an_acting_session_nothing_is_hidden(db: Database) -> None:  # V3
    await fill(db)

    assert keys(await seen(db, rules_of(setting=SELF), OWNER)) == EVERYONE


async def test_an_acting_session_is_named_by_key_or_id(db: Database) -> None:  # V1, K8
    await fill(db)
    acting = await session_of(db, ACTING)
    assert acting is not None

    assert keys(await seen(db, rules_of(setting=SELF), acting_as(acting.session_id))) == {ACTING}


async def test_a_main_session_can_act_before_its_first_message(db: Database) -> None:  # K9
    page = await seen(db, rules_of("ops"), acting_as("agent:ops:main"))

    assert keys(page) == set()
    assert page.view.agent_id == "ops"
    assert await count(db, sessions_table) == 0


@pytest.mark.parametrize("key", ["agent:main:nope", "agent:nobody:main"])
async def test_a_session_that_is_not_there_cannot_act(db: Database, key: str) -> None:  # V3
    with pytest.raises(SessionNotFound) as refused:
        await seen(db, rules_of(), acting_as(key))

    assert refused.value.facts == {"field": "acting-session"}


@pytest.mark.parametrize("name", CALLS)
async def test_a_hidden_session_is_refused_like_one_that_is_not_there(db: Database, name: str) -> None:  # K8, V5
    hidden = await fill(db)
    rows = await count(db, sessions_table)
    references = [OTHERS, "agent:ops:nope", "agent:nobody:main", hidden.session_id]
    if name != "patch or make":  # which would rightly make it, for the caller's own agent
        references.append("00000000-no-such-id")

    told = []
    for reference in references:
        with pytest.raises(SessionNotFound) as refused:
            await CALLS[name](db, rules_of("ops"), acting_as(ACTING), reference)
        told.append((refused.value.text, refused.value.facts))

    assert told == [told[0]] * len(references)
    assert await session_of(db, OTHERS) == hidden
    assert await count(db, sessions_table) == rows


@pytest.mark.parametrize("name", CALLS)
async def test_a_spawned_session_can_be_reached_by_whoever_spawned_it(db: Database, name: str) -> None:  # V3
    await fill(db)
    child = await session_of(db, GRANDCHILD)
    assert child is not None

    await CALLS[name](db, rules_of(setting=IN_TREE), acting_as(ACTING), child.session_id)
