"""AgentsList: whom a caller may spawn under (A1)."""

from __future__ import annotations

import pytest

from sessiond.model.agents import Agent, AllowedBy, Roster
from sessiond.model.errors import SessionNotFound
from sessiond.model.rules import Rules
from sessiond.store.database import Database
from sessiond.store.schema import sessions as sessions_table
from sessiond.tools.agents_list import agents_list
from tests.making import OWNER, acting_as, count, make_session

RULES = Rules(
    roster=Roster(
        {
            "main": Agent("main", "Molly"),
            "ops": Agent("ops", "Otto", allow_agents=frozenset({"web", "main"})),
            "web": Agent("web", allow_agents=frozenset({"*"})),
        }
    )
)


@pytest.mark.parametrize(
    ("acting", "expected"),
    [
        ("agent:main:main", ["main"]),
        ("agent:ops:cron:x", ["ops", "main", "web"]),
        ("agent:web:main", ["web", "main", "ops"]),
    ],
)
async def test_the_requester_comes_first_then_the_allowed_by_id(
    db: Database, acting: str, expected: list[str]
) -> None:  # A1
    await make_session(db, acting)

    page = await agents_list(db, RULES, acting_as(acting))

    assert [each.id for each in page.agents] == expected
    assert page.agents[0].allowed_by is AllowedBy.REQUESTER
    assert page.allow_any is (page.requester_id == "web")


async def test_without_an_acting_session_the_default_agent_asks(db: Database) -> None:  # K2, K9
    page = await agents_list(db, RULES, OWNER)

    assert (page.requester_id, [each.name for each in page.agents]) == ("main", ["Molly"])
    assert await count(db, sessions_table) == 0


async def test_an_unknown_acting_session_is_refused(db: Database) -> None:  # V3
    with pytest.raises(SessionNotFound) as refused:
        await agents_list(db, RULES, acting_as("agent:ops:nope"))

    assert refused.value.facts == {"field": "acting-session"}
