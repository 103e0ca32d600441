"""Transcripts: stored as sent, read in pages that are complete, in order and below their byte budget."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sessiond.model.errors import MessageTooLarge
from sessiond.model.messages import (
    MAX_MESSAGE_BYTES,
    Draft,
    Image,
    Provenance,
    ProvenanceKind,
    Role,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
)
from sessiond.store import messages
from sessiond.store.codec import decode
from sessiond.store.database import Database
from sessiond.store.messages import WIRE_OVERHEAD
from sessiond.store.schema import messages as messages_table
from tests.fakes.clock import START_MS, ManualClock
from tests.making import count, make_session, say, session_of, start_generation, tool_result, words

KEY = "agent:main:main"
NO_BUDGET = 1 << 40
END = 1 << 31
# t = a tool's result, the rest is spoken; long and short, so that budgets cut in odd places
ROLES = {"u": Role.USER, "a": Role.ASSISTANT, "s": Role.SYSTEM, "t": Role.TOOL_RESULT}
TRANSCRIPT = [
    words(f"{number}" + "x" * (number * 7919 % 300), ROLES[letter])
    for number, letter in enumerate("uattaauttttsatuaatttttttuas" * 2)
]
THOROUGH = settings(
    max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture
async def generation(db: Database) -> int:
    """A transcript between two others."""
    for key in ("agent:main:before", KEY, "agent:main:after"):
        await make_session(db, key)
    await say(db, "agent:main:before", words("before"))
    await say(db, "agent:main:after", words("after"))
    await say(db, KEY, *TRANSCRIPT)
    session = await session_of(db, KEY)
    assert session is not None
    return session.generation


async def page(
    db: Database,
    generation: int,
    before: int = END,
    include_tools: bool = True,
    limit: int = 1000,
    budget: int = NO_BUDGET,
) -> tuple[list[bytes], int | None]:
    return await db.read(lambda tx: messages.newest(tx, generation, before, include_tools, limit, budget))


def sequences(bodies: Sequence[bytes]) -> list[int]:
    return [decode(body).sequence for body in bodies]


def spoken(include_tools: bool) -> list[int]:
    """The sequences that pass the filter."""
    return [number for number, draft in enumerate(TRANSCRIPT, 1) if include_tools or draft.role is not Role.TOOL_RESULT]


@THOROUGH
@given(include_tools=st.booleans(), limit=st.integers(1, 60), budget=st.sampled_from([1, 400, 2000, NO_BUDGET]))
async def test_pages_are_complete_and_within_limit_and_budget(
    db: Database, generation: int, include_tools: bool, limit: int, budget: int
) -> None:  # H2, H3, H5
    read: list[int] = []
    before: int | None = END
    while before is not None:
        bodies, before = await page(db, generation, before, include_tools, limit, budget)
        weight = sum(len(body) + WIRE_OVERHEAD for body in bodies)
        assert 1 <= len(bodies) <= limit
        assert weight <= budget or len(bodies) == 1
        read = sequences(bodies) + read

    assert read == spoken(include_tools)


@THOROUGH
@given(include_tools=st.booleans(), limit=st.integers(1, 60), budget=st.sampled_from([1, 400, 2000, NO_BUDGET]))
async def test_the_newest_page_of_a_key_is_that_of_its_transcript(
    db: Database, generation: int, include_tools: bool, limit: int, budget: int
) -> None:  # H2, H3, H5
    found = await db.glance(lambda tx: messages.ask_newest_of(tx, KEY, include_tools, limit, budget)())

    assert found == await page(db, generation, END, include_tools, limit, budget)


async def test_a_key_without_a_session_has_no_messages(db: Database, generation: int) -> None:
    assert await db.glance(lambda tx: messages.ask_newest_of(tx, "agent:main:none", True, 5, NO_BUDGET)()) == ([], None)


async def test_a_page_is_the_newest_that_pass_the_filter_oldest_first(db: Database, generation: int) -> None:  # H2
    bodies, before = await page(db, generation, include_tools=False, limit=5)

    assert sequences(bodies) == spoken(include_tools=False)[-5:]
    assert before == sequences(bodies)[0]


async def test_a_page_that_ends_at_the_first_message_leads_nowhere(db: Database, generation: int) -> None:  # H5
    _, older = await page(db, generation, limit=len(TRANSCRIPT))

    assert older is None


async def test_an_empty_transcript_is_an_empty_page(db: Database) -> None:
    session = await make_session(db)

    assert await page(db, session.generation) == ([], None)


async def test_every_page_of_the_largest_messages_fits_and_has_at_least_one(db: Database) -> None:  # H5, H6
    room_for_the_rest = 200
    largest = words("x" * (MAX_MESSAGE_BYTES - room_for_the_rest))
    session = await make_session(db, drafts=[largest] * 5)
    budget = 3 * 1024 * 1024 - 1000

    sizes = []
    before: int | None = END
    while before is not None:
        bodies, before = await page(db, session.generation, before, budget=budget)
        assert sum(map(len, bodies)) < budget
        sizes.append(len(bodies))

    assert sizes == [2, 2, 1]
    tiny, _ = await page(db, session.generation, budget=1)
    assert sequences(tiny) == [5]


async def test_a_message_above_the_limit_is_refused_and_nothing_of_its_batch_is_stored(db: Database) -> None:  # H6
    session = await make_session(db)

    with pytest.raises(MessageTooLarge) as refused:
        await say(db, session.key, words(), words("x" * MAX_MESSAGE_BYTES))

    assert refused.value.reason == "MESSAGE_TOO_LARGE"
    assert await count(db, messages_table) == 0
    assert await session_of(db, session.key) == session


async def test_messages_are_numbered_and_counted_on_the_session(db: Database, clock: ManualClock) -> None:  # H5
    await make_session(db, drafts=[words(), tool_result()])
    clock.advance(seconds=1)

    [third] = await say(db, KEY, tool_result())

    session = await session_of(db, KEY)
    assert session is not None
    assert (session.last_sequence, session.tool_results, session.updated_ms) == (3, 2, START_MS + 1000)
    assert (third.id, third.sequence, third.created_ms) == (f"{session.session_id}:3", 3, START_MS + 1000)


async def test_every_block_comes_back_as_it_was_sent(db: Database) -> None:  # H4, S2
    draft = Draft(
        Role.ASSISTANT,
        (
            Text("  größer 👋\0\r\n "),
            Thinking("hm", "sig=="),
            ToolCall("c1", "grep", {"deep": [1.5, None, {"yes": True}], "empty": {}}),
            ToolResult("c1", "grep", "", is_error=True),
            Image("image/png", bytes(range(256))),
        ),
        Provenance(ProvenanceKind.INTER_SESSION, KEY, "run-1", "sessions_send"),
        run_id="run-2",
        model="echo",
        usage=Usage(1, 2, 3, 0.004),
    )
    plain = Draft(Role.SYSTEM, (), usage=Usage(cost_usd=None))
    session = await make_session(db, drafts=[draft, plain])

    bodies, _ = await page(db, session.generation)

    assert [decode(body).draft for body in bodies] == [draft, plain]


@pytest.mark.parametrize("limit", [1, 3, 20])
async def test_the_last_spoken_messages_of_a_page_of_sessions_are_found_at_once(
    db: Database, generation: int, limit: int
) -> None:  # L4
    only_tools = await make_session(db, "agent:main:tools", drafts=[tool_result()] * 3)
    silent = await make_session(db, "agent:main:silent")
    busy = await session_of(db, KEY)
    assert busy is not None

    recent = await db.read(lambda tx: messages.recent_sizes(tx, [only_tools.id, busy.id, silent.id], limit))
    bodies = await db.read(lambda tx: messages.bodies_at(tx, [place for _, place, _ in recent]))

    assert {session for session, _, _ in recent} == {busy.id}
    assert sequences([bodies[place] for _, place, _ in sorted(recent)]) == spoken(include_tools=False)[-limit:]
    assert all(len(bodies[place]) == size for _, place, size in recent)


async def test_after_a_reset_the_old_transcript_stays_and_the_new_one_is_empty(db: Database) -> None:  # L4
    old = await make_session(db, drafts=[words("old")])
    new = await start_generation(db, KEY)
    await say(db, KEY, words("new"))

    recent = await db.read(lambda tx: messages.recent_sizes(tx, [new.id], 20))
    texts = [[decode(body).text for body in (await page(db, each.generation))[0]] for each in (old, new)]

    assert texts == [["old"], ["new"]]
    assert [place for _, place, _ in recent] == [messages.place_of(new.generation, 1)]


async def test_a_batch_is_removed_from_one_generation_only(db: Database, generation: int) -> None:
    removed = [await db.write(lambda tx: messages.delete_some(tx, generation, 30)) for _ in range(3)]

    assert removed == [30, len(TRANSCRIPT) - 30, 0]
    assert await count(db, messages_table) == 2
