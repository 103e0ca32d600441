"""SessionsList: limits, pages, windows and messages (L1-L7)."""

from __future__ import annotations

import base64
import json
from dataclasses import replace

import pytest

from sessiond.model.callers import Caller
from sessiond.model.errors import InvalidField, InvalidKey, PageTokenInvalid
from sessiond.model.keys import SessionKind
from sessiond.model.messages import MAX_MESSAGE_BYTES
from sessiond.model.rules import Rules
from sessiond.model.sessions import Session
from sessiond.store.codec import decode
from sessiond.store.database import Database
from sessiond.tools.sessions_list import ListPage, ListQuery, sessions_list
from tests.fakes.clock import ManualClock
from tests.making import OWNER, acting_as, make_session, put_session, say, tool_result, words

MIB = 1024 * 1024


async def listed(db: Database, caller: Caller = OWNER, **query: object) -> ListPage[Session]:
    return await sessions_list(db, Rules(), caller, ListQuery(**query))  # type: ignore[arg-type]


def names(page: ListPage[Session]) -> list[str]:
    return [each.key.removeprefix("agent:main:") for each in page.sessions]


def texts(page: ListPage[Session]) -> list[list[str]]:
    return [[decode(body).text for body in page.messages.get(each.id, ())] for each in page.sessions]


async def walk(db: Database, query: ListQuery) -> list[ListPage[Session]]:
    pages = [await sessions_list(db, Rules(), OWNER, query)]
    while pages[-1].next_page_token:
        pages.append(await sessions_list(db, Rules(), OWNER, replace(query, page_token=pages[-1].next_page_token)))
    return pages


async def make_many(db: Database, number: int) -> None:
    await db.write(lambda tx: [put_session(tx, f"agent:main:{each:03}") for each in range(number)])


@pytest.mark.parametrize(
    ("limit", "applied"), [(None, 100), (0, 100), (7, 7), (200, 200), (201, 200), (2**32 - 1, 200)]
)
async def test_the_limit_has_a_default_and_an_upper_bound(db: Database, limit: int | None, applied: int) -> None:  # L2
    await make_many(db, 205)

    page = await listed(db, limit=limit)

    assert (len(page.sessions), page.limit_applied) == (applied, applied)


async def test_page_tokens_lead_through_everything_once(db: Database) -> None:  # L2
    await make_many(db, 10)

    pages = await walk(db, ListQuery(limit=4))

    assert [len(page.sessions) for page in pages] == [4, 4, 2]
    assert [name for page in pages for name in names(page)] == [f"{each:03}" for each in range(10)]


async def test_a_full_last_page_leads_nowhere(db: Database) -> None:  # L2
    await make_many(db, 4)

    assert (await listed(db, limit=4)).next_page_token == ""


@pytest.mark.parametrize(
    "other",
    [
        ListQuery(label="red"),
        ListQuery(kinds=(SessionKind.CRON,)),
        ListQuery(active_minutes=5),
        ListQuery(include_archived=True),
        ListQuery(agent_id="main"),
    ],
)
async def test_a_token_is_bound_to_the_filters(db: Database, other: ListQuery) -> None:  # L2
    await make_many(db, 3)
    token = (await listed(db, limit=2)).next_page_token

    with pytest.raises(PageTokenInvalid):
        await sessions_list(db, Rules(), OWNER, replace(other, page_token=token))


async def test_a_token_is_bound_to_the_caller(db: Database) -> None:  # L2
    await make_many(db, 3)
    token = (await listed(db, limit=2)).next_page_token

    with pytest.raises(PageTokenInvalid):
        await listed(db, acting_as("agent:main:001"), page_token=token)


@pytest.mark.parametrize("token", ["x", "%%%", "é", base64.urlsafe_b64encode(json.dumps(["x", 1]).encode()).decode()])
async def test_a_token_that_was_never_given_is_refused(db: Database, token: str) -> None:  # L2
    with pytest.raises(PageTokenInvalid):
        await listed(db, page_token=token)


async def test_the_active_window_is_inclusive_and_at_least_a_minute(db: Database, clock: ManualClock) -> None:  # L3
    await make_session(db)
    clock.advance(minutes=5)

    assert names(await listed(db, active_minutes=5)) == ["main"]
    assert names(await listed(db, active_minutes=4)) == []
    with pytest.raises(InvalidField, match="active_minutes: must be at least 1"):
        await listed(db, active_minutes=0)


async def test_the_active_window_does_not_move_between_pages(db: Database, clock: ManualClock) -> None:  # L3
    await make_many(db, 3)
    clock.advance(minutes=5)
    first = await listed(db, active_minutes=5, limit=2)
    clock.advance(minutes=1)

    second = await listed(db, active_minutes=5, page_token=first.next_page_token)

    assert [*names(first), *names(second)] == ["000", "001", "002"]


async def test_kinds_and_agents_narrow_the_list(db: Database) -> None:  # L1
    for key in ("agent:main:main", "agent:main:cron:x", "agent:ops:main", "agent:ops:cron:x"):
        await make_session(db, key)

    assert len((await listed(db, kinds=(SessionKind.CRON, SessionKind.CRON))).sessions) == 2
    assert names(await listed(db, kinds=(SessionKind.CRON,), agent_id=" OPS ")) == ["agent:ops:cron:x"]


async def test_a_malformed_agent_id_is_refused_by_its_field(db: Database) -> None:  # X1
    with pytest.raises(InvalidKey) as refused:
        await listed(db, agent_id="no spaces")

    assert [each.field for each in refused.value.fields] == ["agent_id"]


async def test_archived_sessions_are_hidden_unless_asked_for(db: Database) -> None:  # L7
    await make_session(db, "agent:main:gone", archived=True)

    assert names(await listed(db)) == []
    assert names(await listed(db, include_archived=True)) == ["gone"]


@pytest.mark.parametrize(("limit", "number"), [(None, 0), (0, 0), (2, 2), (20, 20), (21, 20)])
async def test_the_last_messages_come_oldest_first_without_tool_results(
    db: Database, limit: int | None, number: int
) -> None:  # L4
    await make_session(db, "agent:main:quiet")
    drafts = [words(str(each)) if each % 2 else tool_result() for each in range(60)]
    await make_session(db, "agent:main:busy", drafts=drafts)

    page = await listed(db, message_limit=limit)

    spoken = [str(each) for each in range(60) if each % 2]
    assert dict(zip(names(page), texts(page), strict=True)) == {"quiet": [], "busy": spoken[-number:] if number else []}


async def test_pages_of_the_largest_messages_stay_small_and_lose_no_session(db: Database, clock: ManualClock) -> None:
    largest = words("x" * (MAX_MESSAGE_BYTES - 200))
    for each in range(4):
        await make_session(db, f"agent:main:{each}", drafts=[largest] * (each + 1))
    await make_session(db, "agent:main:quiet")

    pages = await walk(db, ListQuery(message_limit=20))

    for page in pages:
        assert sum(len(body) for bodies in page.messages.values() for body in bodies) < 3 * MIB
        assert page.sessions
    assert [name for page in pages for name in names(page)] == ["0", "1", "2", "3", "quiet"]
    assert all(each.id in page.messages for page in pages for each in page.sessions if each.last_sequence)


async def test_an_empty_store_has_an_empty_list(db: Database) -> None:
    page = await listed(db, message_limit=5)

    assert (page.sessions, page.next_page_token) == ([], "")


async def test_a_session_that_speaks_moves_to_the_front(db: Database, clock: ManualClock) -> None:  # L5
    await make_many(db, 3)
    clock.advance(seconds=1)
    await say(db, "agent:main:002", words())

    assert names(await listed(db)) == ["002", "000", "001"]
