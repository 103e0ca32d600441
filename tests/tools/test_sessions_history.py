"""SessionsHistory: a transcript in pages (H1-H6)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sessiond.model.errors import InvalidKey, PageTokenInvalid, SessionNotFound
from sessiond.model.messages import MAX_MESSAGE_BYTES
from sessiond.model.paging import page_token
from sessiond.model.rules import Rules
from sessiond.store.codec import decode
from sessiond.store.database import Database
from sessiond.store.schema import sessions as sessions_table
from sessiond.tools.sessions_history import HistoryPage, HistoryQuery, sessions_history
from tests.making import OWNER, count, make_session, put_session, say, start_generation, tool_result, words

MIB = 1024 * 1024


async def history(db: Database, reference: str = "main", **query: object) -> HistoryPage:
    return await sessions_history(db, Rules(), OWNER, HistoryQuery(reference, **query))  # type: ignore[arg-type]


def texts(page: HistoryPage) -> list[str]:
    return [decode(body).text for body in page.messages]


async def walk(db: Database, query: HistoryQuery) -> list[HistoryPage]:
    pages = [await sessions_history(db, Rules(), OWNER, query)]
    while pages[-1].next_page_token:
        pages.append(await sessions_history(db, Rules(), OWNER, replace(query, page_token=pages[-1].next_page_token)))
    return pages


async def test_an_unknown_session_is_refused_never_empty(db: Database) -> None:  # H1, K9
    with pytest.raises(SessionNotFound):
        await history(db, "agent:main:nope")
    with pytest.raises(SessionNotFound):
        await history(db, "main")

    assert await count(db, sessions_table) == 0


@pytest.mark.parametrize("reference", ["", " ", "agent:x", "agent::y"])
async def test_a_malformed_reference_is_refused(db: Database, reference: str) -> None:  # K8
    with pytest.raises(InvalidKey):
        await history(db, reference)


@pytest.mark.parametrize("form", ["main", "agent:main:main", " AGENT:Main:MAIN ", "{session_id}"])
async def test_a_session_is_meant_by_each_of_its_names(db: Database, form: str) -> None:  # K2, K8, H1
    session = await make_session(db, drafts=[words("hi")])

    page = await history(db, form.format(session_id=session.session_id))

    assert (page.session.key, page.session_id, texts(page)) == ("agent:main:main", session.session_id, ["hi"])


@pytest.mark.parametrize(("limit", "applied"), [(None, 200), (0, 200), (3, 3), (1000, 1000), (1001, 1000)])
async def test_the_limit_has_a_default_and_an_upper_bound(db: Database, limit: int | None, applied: int) -> None:  # H2
    await make_session(db, drafts=[words(str(number)) for number in range(1005)])

    page = await history(db, limit=limit)

    assert (page.limit_applied, page.total_messages) == (applied, 1005)
    assert texts(page) == [str(number) for number in range(1005)][-applied:]
    assert page.next_page_token


async def test_tool_results_are_left_out_unless_asked_for_and_limits_count_what_is_left(db: Database) -> None:  # H3
    await make_session(db, drafts=[words("a"), tool_result("t"), words("b"), tool_result("t"), tool_result("t")])

    without, including = await history(db, limit=2), await history(db, limit=2, include_tools=True)

    assert (texts(without), without.total_messages, without.next_page_token) == (["a", "b"], 2, "")
    assert (texts(including), including.total_messages) == (["t", "t"], 5)
    assert including.next_page_token


async def test_pages_lead_back_to_the_first_message(db: Database) -> None:  # H5
    drafts = [tool_result(f"t{number}") if number % 3 == 0 else words(str(number)) for number in range(20)]
    await make_session(db, drafts=drafts)

    pages = await walk(db, HistoryQuery("main", limit=4))

    assert [len(page.messages) for page in pages] == [4, 4, 4, 1]
    assert [text for page in reversed(pages) for text in texts(page)] == [str(each) for each in range(20) if each % 3]


async def test_a_page_of_the_largest_messages_stays_below_the_budget(db: Database) -> None:  # H5, H6
    await make_session(db, drafts=[words("x" * (MAX_MESSAGE_BYTES - 200))] * 5)

    pages = await walk(db, HistoryQuery("main"))

    assert sum(len(page.messages) for page in pages) == 5
    assert all(len(page.messages) >= 1 and sum(map(len, page.messages)) < 3 * MIB for page in pages)


async def test_messages_that_come_between_pages_change_no_older_page(db: Database) -> None:  # H5
    await make_session(db, drafts=[words(str(number)) for number in range(4)])
    first = await history(db, limit=2)
    await say(db, "agent:main:main", words("new"))

    assert texts(await history(db, limit=2, page_token=first.next_page_token)) == ["0", "1"]


@pytest.mark.parametrize("include_tools", [False, True])
async def test_no_transcript_has_messages_of_those_beside_it(db: Database, include_tools: bool) -> None:  # H1
    for name in ("a", "b", "c"):
        await make_session(db, f"agent:main:{name}", drafts=[words(f"{name}1"), words(f"{name}2")])

    pages = [await history(db, name, include_tools=include_tools) for name in ("a", "b", "c")]

    assert [texts(page) for page in pages] == [["a1", "a2"], ["b1", "b2"], ["c1", "c2"]]
    assert [page.next_page_token for page in pages] == ["", "", ""]


async def test_an_old_session_id_leads_to_its_own_transcript(db: Database) -> None:  # K8
    old = await make_session(db, drafts=[words("old"), tool_result()])
    new = await start_generation(db, old.key)
    await say(db, old.key, words("new"))

    page = await history(db, old.session_id)

    assert (page.session_id, texts(page), page.total_messages) == (old.session_id, ["old"], 1)
    assert page.session.session_id == new.session_id
    assert texts(await history(db)) == ["new"]


async def test_a_session_that_was_just_reset_has_no_messages(db: Database) -> None:  # H1
    old = await make_session(db, drafts=[words("old")])
    new = await start_generation(db, old.key)

    page = await history(db)

    assert (page.session_id, page.messages, page.total_messages, page.next_page_token) == (new.session_id, [], 0, "")


async def test_a_token_is_bound_to_its_transcript_and_filter(db: Database) -> None:  # L2
    old = await make_session(db, drafts=[words("a"), words("b")])
    token = (await history(db, limit=1)).next_page_token

    with pytest.raises(PageTokenInvalid):
        await history(db, include_tools=True, page_token=token)
    await start_generation(db, old.key)
    with pytest.raises(PageTokenInvalid):
        await history(db, page_token=token)
    assert texts(await history(db, old.session_id, page_token=token)) == ["a"]


@pytest.mark.parametrize("position", [2**70, -1, -(2**40), -(2**70)])
async def test_a_token_that_points_nowhere_is_refused(db: Database, position: int) -> None:  # L2
    own = await make_session(db, drafts=[words("own")])

    with pytest.raises(PageTokenInvalid):
        await history(db, page_token=page_token([position], own.session_id, False))


@pytest.mark.parametrize("position", [2**33, 2**62, 0])
async def test_a_forged_token_never_leads_out_of_the_transcript(db: Database, position: int) -> None:  # V5
    await db.write(lambda tx: put_session(tx, "agent:main:before"))
    own = await make_session(db, drafts=[words("own")])
    await make_session(db, "agent:main:after", drafts=[words("secret")])
    await say(db, "agent:main:before", words("secret"))

    page = await history(db, page_token=page_token([position], own.session_id, False))

    assert "secret" not in texts(page)
