"""AppendRunEvents: each event is stored once, by its sequence within the attempt."""

from __future__ import annotations

import asyncio

import pytest

from sessiond.model.errors import EventGap, InvalidField, MessageTooLarge
from sessiond.model.events import Delta
from sessiond.model.messages import Draft, Role, Text, Usage
from sessiond.runtime.append_run_events import MAX_EVENTS, Appended, AppendQuery, Brought, append_run_events
from sessiond.runtime.assignments import Assignment
from sessiond.store.codec import decode
from sessiond.tools.sessions_history import HistoryQuery, sessions_history
from tests.making import OWNER, session_of, tool_result, words
from tests.runtime.engine import Engine, token_of

pytest_plugins = ["tests.runtime.fixtures"]

STRETCH: tuple[Brought, ...] = (
    Delta("a"),
    words("called", Role.ASSISTANT),
    tool_result("42"),
    Usage(3, 4, 7),
    Delta("b"),
)


async def append(engine: Engine, taken: Assignment, first: int, *events: Brought) -> Appended:
    return await append_run_events(engine.db, engine.rules, AppendQuery(token_of(taken), first, events))


async def transcript(engine: Engine) -> list[str]:
    page = await sessions_history(engine.db, engine.rules, OWNER, HistoryQuery("main", include_tools=True))
    return [decode(body).text for body in page.messages]


async def deltas(engine: Engine, taken: Assignment) -> list[str]:
    events = await engine.events(taken.placed.run.id)
    return [each.output_delta.text for each in events if each.HasField("output_delta")]


async def test_what_a_run_brings_is_in_its_events_and_its_transcript(engine: Engine) -> None:  # W5
    taken = await engine.running(message="question")

    assert await append(engine, taken, 1, *STRETCH) == Appended(6, cancel_requested=False)

    assert await transcript(engine) == ["question", "called", "42"]
    kinds = [each.WhichOneof("event") for each in await engine.events(taken.placed.run.id)]
    assert kinds == [*["state_changed"] * 2, "output_delta", "message_appended", "message_appended", "output_delta"]
    run = await engine.run(taken.placed.run.id)
    assert run.usage == Usage(3, 4, 7)
    session = await session_of(engine.db, "agent:main:main")
    assert session is not None
    assert (session.last_sequence, session.tool_results) == (3, 1)


async def test_a_repeat_stores_nothing_again(engine: Engine) -> None:
    taken = await engine.running()
    await append(engine, taken, 1, *STRETCH)
    before = await engine.rows()

    assert await append(engine, taken, 1, *STRETCH) == Appended(6, cancel_requested=False)

    assert await engine.rows() == before


async def test_every_overlap_stores_only_what_is_new(engine: Engine) -> None:
    taken = await engine.running(message="question")

    for end in range(1, len(STRETCH) + 1):
        for start in range(end):
            done = await append(engine, taken, start + 1, *STRETCH[start:end])
            assert done.next_sequence == end + 1

    assert await transcript(engine) == ["question", "called", "42"]
    assert await deltas(engine, taken) == ["a", "b"]


async def test_twins_at_once_store_it_once(engine: Engine) -> None:
    taken = await engine.running(message="question")

    answers = await asyncio.gather(*(append(engine, taken, 1, *STRETCH) for _ in range(6)))

    assert {each.next_sequence for each in answers} == {6}
    assert await transcript(engine) == ["question", "called", "42"]
    assert await deltas(engine, taken) == ["a", "b"]


async def test_a_gap_is_refused_and_says_what_is_next(engine: Engine) -> None:
    taken = await engine.running()
    await append(engine, taken, 1, Delta("a"))
    before = await engine.rows()

    with pytest.raises(EventGap) as refused:
        await append(engine, taken, 3, Delta("c"))

    assert refused.value.facts == {"next_sequence": "2"}
    assert await engine.rows() == before


@pytest.mark.parametrize("first", [0, 1, 7, -3])
async def test_an_empty_call_tells_what_is_next(engine: Engine, first: int) -> None:
    taken = await engine.running()
    await append(engine, taken, 1, Delta("a"), Delta("b"))

    assert (await append(engine, taken, first)).next_sequence == 3


async def test_deltas_that_come_together_are_one_event_and_none_is_lost(engine: Engine) -> None:  # W5
    taken = await engine.running()

    await append(engine, taken, 1, *(Delta(each) for each in "hello"))
    await append(engine, taken, 6, Delta("!"))

    assert await deltas(engine, taken) == ["hello", "!"]


async def test_a_run_never_writes_as_the_user(engine: Engine) -> None:
    taken = await engine.running()
    before = await engine.rows()

    with pytest.raises(InvalidField) as refused:
        await append(engine, taken, 1, Delta("a"), words("forged", Role.USER))

    assert [each.field for each in refused.value.fields] == ["events[1].message.role"]
    assert await engine.rows() == before


async def test_a_message_is_the_runs_whatever_it_says(engine: Engine) -> None:
    taken = await engine.running()
    foreign = Draft(Role.ASSISTANT, (Text("mine"),), run_id="another run")

    await append(engine, taken, 1, foreign)

    page = await sessions_history(engine.db, engine.rules, OWNER, HistoryQuery("main"))
    assert decode(page.messages[-1]).draft.run_id == taken.placed.run.id


async def test_one_message_too_large_refuses_the_whole_stretch(engine: Engine) -> None:  # H6
    taken = await engine.running()
    before = await engine.rows()

    with pytest.raises(MessageTooLarge) as refused:
        await append(engine, taken, 1, Delta("a"), words("x" * 1_048_577, Role.ASSISTANT))

    assert [each.field for each in refused.value.fields] == ["events"]
    assert await engine.rows() == before


@pytest.mark.parametrize(("first", "events"), [(0, 1), (-1, 1), (1, MAX_EVENTS + 1)])
async def test_a_stretch_begins_at_one_and_is_bounded(engine: Engine, first: int, events: int) -> None:  # X1, X6
    taken = await engine.running()

    with pytest.raises(InvalidField):
        await append(engine, taken, first, *[Delta("x")] * events)


async def test_every_attempt_counts_from_one(engine: Engine) -> None:
    engine.agent("main", requeue_on_loss=True)
    first = await engine.running()
    await append(engine, first, 1, Delta("old"), Delta("older"))
    engine.clock.advance(seconds=31)
    await engine.sweep()
    second = await engine.take()

    assert (await append(engine, second, 1, Delta("new"))).next_sequence == 2

    assert await deltas(engine, second) == ["oldolder", "new"]


async def test_an_append_tells_of_a_cancel(engine: Engine) -> None:  # R6
    taken = await engine.running()
    await engine.cancel(taken.placed.run.id)

    assert await append(engine, taken, 1, Delta("last words")) == Appended(2, cancel_requested=True)
