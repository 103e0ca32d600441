"""WaitRun: every event after the cursor, in order, without gap or repeat, on any stream (W1-W8, W10)."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Sequence
from contextlib import AsyncExitStack, ExitStack, aclosing
from dataclasses import replace
from itertools import count as count_from
from typing import Any

import pytest
import sqlalchemy as sa

from sessiond import waiting
from sessiond.following import Ended, Follow, Happened, Snapshot
from sessiond.model.callers import Caller, CallerRole
from sessiond.model.errors import CursorMismatch, InvalidField, RunNotFound, Unauthenticated, WaitLimit
from sessiond.model.events import Delta
from sessiond.model.rules import WaitRules
from sessiond.model.runs import Failure, cursor_of
from sessiond.model.visibility import VisibilityRules, VisibilitySetting
from sessiond.model.waits import WaitUntil
from sessiond.run_pages import PAGE_EVENTS, run_pages
from sessiond.runtime.append_run_events import AppendQuery, append_run_events
from sessiond.runtime.heartbeat_runs import heartbeat_runs
from sessiond.store.run_events import StoredEvent
from sessiond.store.schema import run_waits
from sessiond.store.schema import runs as runs_table
from sessiond.store.statement import Statement
from sessiond.store.transaction import Tx
from sessiond.tools.wait_run import WaitQuery, wait_run
from sessiond.waiting import Waits
from tests.making import OWNER, acting_as, count
from tests.runtime.engine import LONG_S, A, B, C, Engine, agent_of, token_of
from tests.runtime.reading import EVERYTHING, begin, deliver, end_of, events, kind, play, read, reading, stream

pytest_plugins = ["tests.runtime.fixtures"]

SECOND, THIRD = Caller(CallerRole.GATEWAY, "second"), Caller(CallerRole.GATEWAY, "third")


async def test_a_reader_sees_the_whole_course_in_order(engine: Engine) -> None:  # W1, W4, W5
    run_id = await begin(engine)
    async with reading(engine, stream(engine, run_id, **EVERYTHING)) as reader:
        await play(engine, run_id)

    seen = reader.result()
    assert kind(seen[0]) == "snapshot"
    assert seen[0].snapshot.run.id == run_id
    assert [each.sequence for each in events(seen)] == list(range(1, len(events(seen)) + 1))
    assert end_of(seen) == "SETTLED"
    assert seen[-1].ended.run.reply == "the reply"
    kinds = [kind(each) for each in events(seen)]
    assert kinds[:8] == [*["state_changed"] * 2, *["output_delta"] * 3, *["message_appended"] * 3]
    assert kinds[8:11] == ["state_changed", "turn_changed", "turn_changed"]
    assert set(kinds[11:]) == {"delivery_changed"}


async def test_cut_after_every_single_event_the_rest_is_the_same_byte_for_byte(engine: Engine) -> None:  # W1, W2, W5
    run_id = await begin(engine)
    async with reading(engine, stream(engine, run_id, **EVERYTHING)) as reader:
        await play(engine, run_id)
    seen = reader.result()
    first = [each.SerializeToString(deterministic=True) for each in events(seen)]
    cursors = [seen[0].cursor, *(each.cursor for each in events(seen))]

    for cut, cursor in enumerate(cursors):
        again = await read(stream(engine, run_id, cursor, **EVERYTHING))
        assert [each.SerializeToString(deterministic=True) for each in events(again)] == first[cut:]
        assert again[-1].ended == seen[-1].ended
        assert again[-1].cursor == cursors[-1]


async def test_a_reader_cut_again_and_again_while_it_happens_misses_nothing(engine: Engine) -> None:  # W1, W2
    run_id = await begin(engine)
    caught: list[bytes] = []

    async def restless() -> None:
        cursor, is_over = "", False
        while not is_over:
            async with aclosing(stream(engine, run_id, cursor, **EVERYTHING)) as responses:
                async for each in responses:
                    cursor, is_over = each.cursor, kind(each) == "ended"
                    if events([each]):
                        caught.append(each.SerializeToString(deterministic=True))
                        break

    reader = asyncio.create_task(restless())
    await engine.asleep()
    await play(engine, run_id)
    async with asyncio.timeout(LONG_S):
        await reader

    whole = await read(stream(engine, run_id, **EVERYTHING))
    assert caught == [each.SerializeToString(deterministic=True) for each in events(whole)]


async def test_many_pages_come_without_gap(engine: Engine) -> None:  # W1, property 9
    taken = await engine.running()
    texts = [f"{number} " for number in range(2 * PAGE_EVENTS + 3)]
    for first, text in enumerate(texts, 1):
        await append_run_events(engine.db, engine.rules, AppendQuery(token_of(taken), first, (Delta(text),)))
    await engine.complete(taken)

    seen = await read(stream(engine, taken.placed.run.id, include_deltas=True))

    assert [each.output_delta.text for each in seen if kind(each) == "output_delta"] == texts
    assert [each.sequence for each in events(seen)] == list(range(1, len(texts) + 5))


async def test_every_message_carries_a_cursor_that_goes_on_after_it(engine: Engine) -> None:  # W2
    taken = await engine.running()
    await engine.complete(taken)
    run_id = taken.placed.run.id

    seen = await read(stream(engine, run_id))

    assert [each.cursor for each in seen] == [cursor_of(run_id, each.sequence) for each in seen]
    assert [each.sequence for each in seen] == [0, 1, 2, 3, 4, 4]


@pytest.mark.parametrize("cursor", ["nonsense", "====", "é", cursor_of("another run", 1), cursor_of("x", -1)])
async def test_a_cursor_of_something_else_is_refused(engine: Engine, cursor: str) -> None:  # W2
    run_id = await engine.queue()

    with pytest.raises(CursorMismatch):
        await read(stream(engine, run_id, cursor))


@pytest.mark.parametrize("outcome", ["fine", Failure("MODEL_ERROR", "it broke")])
async def test_a_finished_run_is_replayed_and_ended(engine: Engine, outcome: Any) -> None:  # W3
    placed = await engine.complete(await engine.running(), outcome)

    seen = await read(stream(engine, placed.run.id))

    assert end_of(seen) == "RUN_TERMINAL"
    assert (seen[-1].ended.run.failure.message == "it broke") is isinstance(outcome, Failure)
    assert len(events(seen)) == placed.run.event_count
    assert [kind(each) for each in await read(stream(engine, placed.run.id, seen[-1].cursor))] == ["snapshot", "ended"]


async def test_without_being_asked_for_deltas_and_turns_are_left_out(engine: Engine) -> None:  # W4, W5
    run_id = await begin(engine)
    await play(engine, run_id)

    seen = await read(stream(engine, run_id))

    assert end_of(seen) == "RUN_TERMINAL"
    assert {kind(each) for each in events(seen)} == {"state_changed", "message_appended"}


async def test_until_settled_outlasts_the_end_of_the_run(engine: Engine) -> None:  # W4
    run_id = await begin(engine)
    async with (
        reading(engine, stream(engine, run_id)) as until_reply,
        reading(engine, stream(engine, run_id, until=WaitUntil.SETTLED), sleepers=2) as until_settled,
    ):
        await engine.complete(await engine.take(run_id), "the reply")
        assert end_of(await until_reply) == "RUN_TERMINAL"
        await engine.asleep()
        assert not until_settled.done()
        await engine.complete(await engine.take(), "")
        await engine.complete(await engine.take(), "")  # an empty announcement is suppressed, so nothing is left

    assert end_of(until_settled.result()) == "SETTLED"


async def test_a_chat_is_settled_with_its_delivery(engine: Engine) -> None:  # W4, D4
    answer = await engine.chat("agent:main:telegram:group:7")
    async with reading(engine, stream(engine, answer.run_id, until=WaitUntil.SETTLED)) as reader:
        await engine.complete(await engine.take(), "reply")
        await engine.asleep()
        assert not reader.done()
        await deliver(engine)

    assert end_of(reader.result()) == "SETTLED"


async def test_a_quiet_stream_beats_and_its_beats_carry_the_cursor(engine: Engine) -> None:  # W2, W6
    run_id = await engine.queue()

    async with aclosing(stream(engine, run_id, heartbeat_s=0.01)) as responses:
        seen = [await anext(responses) for _ in range(4)]

    assert [kind(each) for each in seen] == ["snapshot", "state_changed", "heartbeat", "heartbeat"]
    assert {each.cursor for each in seen[1:]} == {cursor_of(run_id, 1)}


async def test_a_beat_asks_nothing_of_the_store(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:  # W10
    run_id = await engine.queue()

    async with aclosing(stream(engine, run_id, heartbeat_s=0.01)) as responses:
        for _ in range(2):
            await anext(responses)
        monkeypatch.setattr(engine.db, "read", None)
        seen = [await anext(responses) for _ in range(3)]

    assert [kind(each) for each in seen] == ["heartbeat"] * 3


async def test_the_more_wait_the_less_often_each_looks_by_itself(engine: Engine) -> None:  # W10
    few = engine.waits.look_every_s
    with ExitStack() as slots:
        for number in range(3_000):
            slots.enter_context(engine.waits.slot(replace(OWNER, name=f"caller {number % 10}")))
        many = engine.waits.look_every_s

    assert (few, many) == (15, 30)


async def test_a_stream_beats_also_while_only_unwanted_things_happen(engine: Engine) -> None:  # W6
    taken = await engine.running()
    async with aclosing(stream(engine, taken.placed.run.id, heartbeat_s=0.5)) as responses:
        seen = [await anext(responses) for _ in range(3)]

        async with asyncio.timeout(LONG_S):
            beat = asyncio.create_task(_next(responses))
            for first in count_from(1):
                query = AppendQuery(token_of(taken), first, (Delta("x"),))
                await append_run_events(engine.db, engine.rules, query)
                if beat.done():
                    break

    assert kind(beat.result()) == "heartbeat"
    assert beat.result().sequence > seen[-1].sequence


@pytest.mark.parametrize(
    ("how", "reason"),
    [
        ({"max_wait_s": 0}, "MAX_WAIT"),
        ({"max_wait_s": 0.01}, "MAX_WAIT"),
        ({"deadline_s": 0.05}, "DEADLINE"),
        ({"deadline_s": 0.05, "max_wait_s": LONG_S}, "DEADLINE"),
        ({"deadline_s": LONG_S, "max_wait_s": 0.01}, "MAX_WAIT"),
    ],
)
async def test_a_wait_ends_in_time_and_says_why(engine: Engine, how: dict[str, Any], reason: str) -> None:  # W6
    run_id = await engine.queue()

    seen = await read(stream(engine, run_id, **how))

    assert end_of(seen) == reason
    assert seen[-1].cursor == cursor_of(run_id, 1)
    assert seen[-1].ended.run.id == run_id


async def test_an_old_stream_is_ended_to_be_resumed(engine: Engine) -> None:  # W6
    run_id = await engine.queue()
    engine.rules = replace(engine.rules, waits=WaitRules(stream_age_s=0.02))

    assert end_of(await read(stream(engine, run_id))) == "STREAM_AGE"


async def test_the_drain_ends_waits_at_once_also_those_that_come_later(engine: Engine) -> None:  # W6, X4
    run_id = await engine.queue()
    async with reading(engine, stream(engine, run_id)) as reader:
        await engine.waits.drain()

    assert end_of(reader.result()) == "DRAINING"
    assert end_of(await read(stream(engine, run_id))) == "DRAINING"


async def test_a_run_that_ended_is_told_as_such_also_in_the_drain(engine: Engine) -> None:  # W3, X4
    placed = await engine.complete(await engine.running())
    await engine.waits.drain()

    assert end_of(await read(stream(engine, placed.run.id))) == "RUN_TERMINAL"


async def test_a_lost_hint_delays_and_loses_nothing(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:  # W7
    taken = await engine.running()
    monkeypatch.setattr(engine.wake, "publish", lambda topics: None)
    monkeypatch.setattr(waiting, "LOOK_S", 0.05)
    async with reading(engine, stream(engine, taken.placed.run.id)) as reader:
        await engine.complete(taken, "unheard")

    assert reader.result()[-1].ended.run.reply == "unheard"


async def test_those_whom_a_commit_wakes_look_together_and_at_a_run_once(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:  # W7
    taken = await engine.running()
    looks: list[tuple[int, int]] = []

    def counted(tx: Tx, asked: Sequence[Any]) -> Any:
        looks.append((len(asked), len(set(asked))))
        return run_pages(tx, asked)

    monkeypatch.setattr("sessiond.following.run_pages", counted)
    async with AsyncExitStack() as stack:
        for number in range(1, 6):
            caller = OWNER if number < 5 else SECOND
            await stack.enter_async_context(reading(engine, stream(engine, taken.placed.run.id, caller=caller), number))
        looks.clear()
        await engine.complete(taken)

    assert looks == [(5, 2)]  # five readers, of whom four ask the very same


async def test_one_readers_refusal_is_not_anothers(engine: Engine) -> None:  # W7, W8
    await engine.sessions(A, B)
    ended, other = await engine.running(A), await engine.running(B)
    of_a = asyncio.create_task(read(stream(engine, ended.placed.run.id)))
    async with reading(engine, stream(engine, other.placed.run.id), sleepers=2) as of_b:
        purge = sa.delete(runs_table).where(runs_table.c.id == ended.placed.run.id)
        await engine.db.write(lambda tx: tx.run(Statement("purge", purge)))
        await engine.complete(other)
        engine.wake.hint_all()  # in one turn of the loop with what the commit told, so that both look at once

    assert end_of(of_b.result()) == "RUN_TERMINAL"
    with pytest.raises(RunNotFound):
        await of_a


async def test_a_run_id_that_no_database_takes_is_its_callers_problem_alone(engine: Engine) -> None:  # W7, X1
    taken = await engine.running()
    async with reading(engine, stream(engine, taken.placed.run.id)) as healthy:
        hostile = asyncio.create_task(read(stream(engine, "a\0b")))
        await engine.complete(taken)

    assert end_of(healthy.result()) == "RUN_TERMINAL"
    with pytest.raises((RunNotFound, InvalidField)):
        await hostile


async def test_one_slow_reader_delays_nobody(engine: Engine) -> None:  # W7
    taken = await engine.running()
    async with aclosing(stream(engine, taken.placed.run.id)) as slow:
        await anext(slow)  # and it reads no further
        async with reading(engine, stream(engine, taken.placed.run.id)) as quick:
            await engine.complete(taken)

    assert end_of(quick.result()) == "RUN_TERMINAL"


async def test_hidden_and_unknown_runs_are_refused_alike(engine: Engine) -> None:  # W8
    await engine.sessions(A, B)
    hidden = await engine.queue(B)
    engine.rules = replace(engine.rules, visibility=VisibilityRules(VisibilitySetting.SELF))

    told = []
    for run_id in (hidden, "no such run"):
        with pytest.raises(RunNotFound) as refused:
            await read(stream(engine, run_id, caller=acting_as(A)))
        told.append(refused.value.text)

    assert told[0] == told[1]


async def test_a_run_that_goes_out_of_sight_is_gone_in_mid_stream(engine: Engine) -> None:  # W8
    await engine.sessions(A, "agent:ops:subagent:1")
    engine.rules = replace(engine.rules, visibility=VisibilityRules(agent_to_agent=True))  # to be changed underneath
    child = await engine.running("agent:ops:subagent:1")
    query = stream(engine, child.placed.run.id, caller=acting_as(A))
    async with aclosing(query) as responses:
        assert [kind(await anext(responses)) for _ in range(3)] == ["snapshot", "state_changed", "state_changed"]
        following = asyncio.create_task(_next(responses))
        await engine.asleep()
        object.__setattr__(engine.rules.visibility, "agent_to_agent", False)
        await engine.complete(child, "secret")

        with pytest.raises(RunNotFound):
            await following


async def _next(responses: Any) -> Any:
    return await anext(responses)


async def test_the_agents_wait_ends_with_its_lease(engine: Engine) -> None:  # V1, W8
    await engine.sessions(A, B)
    lease, other = await engine.running(A), await engine.queue(B)
    reader = asyncio.create_task(read(stream(engine, other, caller=agent_of(lease))))
    await engine.asleep()
    await engine.complete(lease)
    engine.wake.hint_all()

    with pytest.raises(Unauthenticated):
        await reader
    assert await count(engine.db, run_waits) == 0


async def test_a_reader_that_leaves_changes_nothing_and_gives_its_wait_back(engine: Engine) -> None:  # S8, W10
    engine.waits = Waits(engine.wake, WaitRules(per_caller=1))
    await engine.sessions(A, B)
    lease, other = await engine.running(A), await engine.queue(B)
    before = await engine.rows()

    for _ in range(3):
        reader = asyncio.create_task(read(stream(engine, other, caller=agent_of(lease))))
        await engine.asleep()
        reader.cancel()
        await asyncio.wait([reader])

    assert await engine.rows() == before


async def test_waits_are_limited_by_caller_and_by_server(engine: Engine) -> None:  # W10
    run_id = await engine.queue()
    engine.waits = Waits(engine.wake, WaitRules(per_caller=1, per_server=2))
    async with (
        aclosing(stream(engine, run_id)) as first,
        aclosing(stream(engine, run_id, caller=SECOND)) as second,
    ):
        await anext(first)
        await anext(second)

        for caller, config_key in (
            (SECOND, "server.maxWaitsPerCaller"),
            (THIRD, "server.maxWaits"),
        ):
            with pytest.raises(WaitLimit) as refused:
                await read(stream(engine, run_id, caller=caller))
            assert refused.value.facts["config_key"] == config_key
            assert refused.value.retry_after_ms

    assert end_of(await read(stream(engine, run_id, max_wait_s=0))) == "MAX_WAIT"


async def test_a_wait_of_a_run_is_noted_for_as_long_as_it_lasts(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:  # S5
    monkeypatch.setattr("sessiond.waiting.RENEW_S", 0.0)
    await engine.sessions(A, B, C)
    lease, other = await engine.running(A), await engine.running(B)
    async with reading(engine, stream(engine, other.placed.run.id, caller=agent_of(lease))):
        for first in range(1, 4):  # events that this reader leaves out, without a moment of silence
            engine.clock.advance(seconds=60)
            await heartbeat_runs(engine.db, engine.rules, [token_of(lease)])
            query = AppendQuery(token_of(other), first, (Delta("x"),))
            await append_run_events(engine.db, engine.rules, query)
            await engine.asleep()
        engine.slots(agents=2)
        await engine.queue(C)
        assert len(await engine.acquire()) == 1
        await engine.complete(other)


async def test_an_idle_wait_holds_nothing_of_what_it_saw(engine: Engine) -> None:  # W10
    following = wait_run(engine.db, engine.rules, engine.waits, OWNER, WaitQuery(await engine.queue(), "", Follow()))
    told: list[type] = []

    async def follow() -> None:
        async for each in following.told():
            told.append(type(each))
            del each

    reader = asyncio.create_task(follow())
    await engine.asleep()

    assert told == [Snapshot, Happened]
    assert (following.view, following.followed[0].placed) == (None, None)
    try:
        assert held() == []
    finally:
        await engine.waits.drain()
        await reader
    assert told[-1] is Ended


def held() -> list[object]:
    """What waits tell that is still in memory."""
    gc.collect()
    return [each for each in gc.get_objects() if isinstance(each, Snapshot | Happened | StoredEvent)]


async def test_a_run_must_be_named(engine: Engine) -> None:  # X1
    with pytest.raises(InvalidField):
        await read(stream(engine, ""))
