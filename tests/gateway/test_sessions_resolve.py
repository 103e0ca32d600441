"""SessionsResolve: one session by key, id or label, or a refusal that gives nothing away."""

from __future__ import annotations

import pytest

from sessiond.gateway.sessions_resolve import ResolveQuery, sessions_resolve
from sessiond.model.callers import Caller
from sessiond.model.errors import InvalidField, InvalidKey, LabelAmbiguous, SessionNotFound
from sessiond.store.database import Database
from sessiond.store.schema import sessions as sessions_table
from tests.making import OWNER, acting_as, count, make_session, rules_of, start_generation


async def resolved(db: Database, query: ResolveQuery, caller: Caller = OWNER) -> str:
    session, _ = await sessions_resolve(db, rules_of("ops"), caller, query)
    return session.key


async def test_a_session_is_resolved_by_each_of_its_names(db: Database) -> None:  # K8
    old = await make_session(db, "agent:main:cron:x", label="red")
    new = await start_generation(db, old.key)

    queries = (
        ResolveQuery("cron:x"),
        ResolveQuery(new.session_id),
        ResolveQuery(session_id=new.session_id),
        ResolveQuery(session_id=old.session_id),
        ResolveQuery(label="red"),
        ResolveQuery(label="red", agent_id="MAIN"),
    )
    assert {await resolved(db, query) for query in queries} == {"agent:main:cron:x"}


@pytest.mark.parametrize(
    "query",
    [
        ResolveQuery(),
        ResolveQuery(agent_id="main"),
        ResolveQuery("main", label="red"),
        ResolveQuery("main", session_id="x"),
    ],
)
async def test_exactly_one_name_must_be_given(db: Database, query: ResolveQuery) -> None:  # X1
    with pytest.raises(InvalidField, match="exactly one of session_key, session_id and label"):
        await resolved(db, query)


async def test_resolving_makes_nothing(db: Database) -> None:  # K9
    for query in (ResolveQuery("main"), ResolveQuery(session_id="x"), ResolveQuery(label="red")):
        with pytest.raises(SessionNotFound):
            await resolved(db, query)

    assert await count(db, sessions_table) == 0


async def test_a_malformed_name_is_refused(db: Database) -> None:  # K8, X1
    with pytest.raises(InvalidKey):
        await resolved(db, ResolveQuery("agent:x"))
    with pytest.raises(InvalidKey):
        await resolved(db, ResolveQuery(label="red", agent_id="no spaces"))


async def test_a_label_is_narrowed_by_the_agent(db: Database) -> None:  # S1
    for key in ("agent:main:a", "agent:ops:b"):
        await make_session(db, key, label="red")

    assert await resolved(db, ResolveQuery(label="red", agent_id="ops")) == "agent:ops:b"
    with pytest.raises(SessionNotFound):
        await resolved(db, ResolveQuery(label="red", agent_id="nobody"))


async def test_an_ambiguous_label_names_the_matches_as_they_are_shown(db: Database) -> None:  # S1, K6
    for key in ("agent:main:cron:a", "agent:ops:b", "agent:main:c"):
        await make_session(db, key, label="red")

    with pytest.raises(LabelAmbiguous) as refused:
        await resolved(db, ResolveQuery(label="red"))

    assert refused.value.facts == {"matches": "agent:main:c, cron:a, agent:ops:b"}


async def test_an_ambiguous_label_names_only_what_the_caller_may_see(db: Database) -> None:  # S1, V5
    for key in ("agent:main:a", "agent:main:b", "agent:ops:secret", "agent:ops:main"):
        await make_session(db, key, label="red")

    with pytest.raises(LabelAmbiguous) as refused:
        await resolved(db, ResolveQuery(label="red"), acting_as("agent:main:a"))

    assert "secret" not in refused.value.text
    assert refused.value.facts == {"matches": "agent:main:a, agent:main:b"}


async def test_a_label_is_not_ambiguous_by_what_is_hidden_or_archived(db: Database) -> None:  # S1, V5, L7
    for key in ("agent:main:a", "agent:ops:b"):
        await make_session(db, key, label="red")
    await make_session(db, "agent:main:gone", label="red", archived=True)

    assert await resolved(db, ResolveQuery(label="red"), acting_as("agent:main:a")) == "agent:main:a"
