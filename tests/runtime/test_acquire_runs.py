"""AcquireRuns: one run at a time per session, in order, as far as pools have slots, with all that it needs."""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Sequence
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa

from sessiond.model.errors import InvalidField, InvalidKey
from sessiond.model.messages import Role
from sessiond.rpc.convert.runtime import acquired
from sessiond.runtime import acquire_runs
from sessiond.runtime.acquire_runs import AcquireQuery, Acquiring
from sessiond.runtime.acquire_runs import acquire_runs as acquire
from sessiond.runtime.assignments import ANSWER_BYTES
from sessiond.store.codec import decode
from sessiond.store.database import Batch, Item, Result
from sessiond.store.schema import runs as runs_table
from sessiond.store.statement import Statement
from sessiond.store.transaction import Tx
from sessiond.tools.get_run import GetQuery, get_run
from sessiond.tools.sessions_spawn import SpawnQuery, sessions_spawn
from tests.making import OWNER, acting_as, say, words
from tests.rpc.keys import ring
from tests.runtime.engine import LONG_S, A, B, C, Engine, agent_of

pytest_plugins = ["tests.runtime.fixtures"]

AGENTS = ("far", "far", "farther", "far", "far")  # whose runs each of some runtimes executes


async def test_runs_of_a_session_come_one_at_a_time_in_arrival_order(engine: Engine) -> None:  # R2
    queued = [await engine.queue(message=text) for text in ("one", "two", "three")]

    done = []
    for run_id in queued:
        taken = await engine.take(run_id)
        assert await engine.acquire() == []
        done.append(decode(taken.input).text)
        await engine.complete(taken)

    assert done == ["one", "two", "three"]
    assert await engine.acquire() == []


async def test_a_queued_run_tells_its_position_and_what_blocks_it(engine: Engine) -> None:  # R2
    sent = [(await engine.send()).placed for _ in range(3)]
    head = sent[0].run.id

    assert [each.queue_position for each in sent] == [0, 1, 2]
    assert [each.blocking_run_id for each in sent] == ["", head, head]

    await engine.complete(await engine.take(head))
    left = [(await get_run(engine.db, engine.rules, engine.waits, OWNER, GetQuery(each.run.id)))[0] for each in sent]
    assert [each.queue_position for each in left] == [0, 0, 1]
    assert [each.blocking_run_id for each in left] == ["", "", sent[1].run.id]


async def test_the_index_refuses_a_second_active_run_by_direct_sql(engine: Engine) -> None:  # R2
    await engine.running()
    second = await engine.queue()
    by_force = sa.update(runs_table).where(runs_table.c.id == second).values(state="running")

    with pytest.raises((sqlite3.IntegrityError, psycopg.errors.UniqueViolation)):
        await engine.db.write(lambda tx: tx.run(Statement("by force", by_force)))

    assert await engine.states(second) == ["queued"]


async def test_sessions_run_in_parallel_up_to_the_pool(engine: Engine) -> None:  # R2
    engine.slots(agents=2)
    await engine.sessions(A, B, C)
    queued = [await engine.queue(key) for key in (A, B, C)]

    first, second = await engine.acquire()
    assert [first.placed.run.id, second.placed.run.id] == queued[:2]
    assert await engine.acquire() == []

    await engine.complete(second)
    await engine.take(queued[2])


async def test_sub_agents_have_a_pool_of_their_own(engine: Engine) -> None:  # R2
    engine.slots(agents=1, subagents=1)
    await engine.sessions(A, B)
    spawned = [await sessions_spawn(engine.db, engine.rules, acting_as(A), SpawnQuery("task")) for _ in range(2)]
    queued = [await engine.queue(key) for key in (A, B)]

    taken = [each.placed.run.id for each in await engine.acquire()]

    assert sorted(taken) == sorted([queued[0], spawned[0].placed.run.id])


async def test_a_waiting_run_gives_its_slot_back_for_as_long_as_it_waits(engine: Engine) -> None:  # R2, property 5
    engine.slots(agents=1)
    await engine.sessions(A, B, C)
    outer = await engine.running(A)
    wait = asyncio.create_task(engine.send(B, caller=agent_of(outer), timeout_s=LONG_S))
    await engine.asleep()
    blocked = await engine.queue(C)

    inner = await engine.take()
    assert inner.session.key == B
    assert await engine.acquire() == []
    await engine.complete(inner)
    assert (await wait).placed.run.reply == "done"

    assert await engine.acquire() == []  # the outer run goes on, so its slot is taken again
    await engine.complete(outer)
    await engine.take(blocked)


async def test_the_longest_queued_run_goes_first_whatever_its_session(engine: Engine) -> None:  # R2
    engine.slots(agents=1)
    await engine.sessions(A, B, C)
    queued = []
    for key in (B, A, C):
        engine.clock.advance(seconds=1)
        queued.append(await engine.queue(key))

    for run_id in queued:
        await engine.complete(await engine.take(run_id))


async def test_who_asks_at_once_is_served_by_one_look(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:  # R2, property 9
    keys = [f"agent:{agent}:{number}" for number, agent in enumerate(("far", "far", "far", "farther"))]
    await engine.sessions(*keys)
    queued = [await engine.queue(key) for key in keys]
    looks: list[int] = []
    look = acquire_runs._acquire

    def counted(tx: Tx, asked: Sequence[Any]) -> list[acquire_runs.Taken]:
        looks.append(len(asked))
        return look(tx, asked)

    monkeypatch.setattr(acquire_runs, "_acquire", counted)
    await engine.in_company()
    wanted = [AcquireQuery(f"rt-{number}", (agent,)) for number, agent in enumerate(AGENTS)]
    answers = await asyncio.gather(*(acquire(engine.db, engine.rules, engine.waits, each) for each in wanted))

    assert looks == [5]
    taken = [[(each.placed.run.id, each.placed.run.runtime_id) for each in answer] for answer in answers]
    assert taken == [[(queued[0], "rt-0")], [(queued[1], "rt-1")], [(queued[3], "rt-2")], [(queued[2], "rt-3")], []]
    assert (await engine.transitions(queued[1]))[1] == ("running", "rt-1", "")


async def test_slots_are_counted_over_all_who_ask_at_once(engine: Engine) -> None:  # R2
    engine.slots(agents=2)
    keys = [f"agent:{agent}:{number}" for number, agent in enumerate(("far", "farther", "far", "farther", "main"))]
    await engine.sessions(*keys)
    queued = [await engine.queue(key) for key in keys]

    looks = [*(engine.acquire(is_external=True, agent_ids=(agent,)) for agent in ("far", "farther")), engine.acquire()]
    taken = [each.placed.run.id for answer in await asyncio.gather(*looks) for each in answer]

    assert taken == [queued[0], queued[2]]
    assert Counter(await engine.states(*queued)) == {"running": 2, "queued": 3}


async def test_external_runtimes_get_their_share_of_slots_that_come_free(engine: Engine) -> None:  # R2
    engine.slots(agents=1)
    keys = [f"agent:{agent}:{number}" for number in range(4) for agent in ("main", "far")]
    await engine.sessions(*keys)
    for key in keys:
        await engine.queue(key)

    kinds = []
    for _ in range(4):
        both = [engine.acquire(max_runs=1, is_external=is_external) for is_external in (True, False)]
        ((taken,),) = [answer for answer in await asyncio.gather(*both) if answer]
        kinds.append(taken.placed.run.agent_id)
        await engine.complete(taken)

    assert kinds == ["far"] * 4  # which asked first each time


async def test_what_fills_one_answer_leaves_the_rest_to_the_next(engine: Engine) -> None:  # X6
    keys = [f"agent:far:{number}" for number in range(5)]
    await engine.sessions(*keys)
    queued = [await engine.queue(key, "x" * 400_000) for key in keys]  # and as much again as its exchange's request

    answers = await asyncio.gather(*(engine.acquire(max_runs=3, is_external=True) for _ in range(2)))

    assert [[each.placed.run.id for each in answer] for answer in answers] == [queued[:2], queued[2:4]]
    assert ((await engine.run(queued[4])).state, (await engine.run(queued[4])).attempt) == ("queued", 0)


async def test_more_runs_than_are_looked_at_together_come_in_one_answer(engine: Engine) -> None:  # R2
    keys = [f"agent:far:{number}" for number in range(acquire_runs.ROUND * 2 + 1)]
    engine.slots(agents=len(keys))
    await engine.sessions(*keys)
    queued = [await engine.queue(key) for key in keys]

    taken = await engine.acquire(max_runs=len(keys), is_external=True)

    assert [each.placed.run.id for each in taken] == queued


@pytest.mark.parametrize("agent", ["main", "far"])
async def test_two_acquires_at_once_never_get_the_same_run(engine: Engine, agent: str) -> None:  # R2, R3
    engine.slots(agents=12)
    keys = [f"agent:{agent}:{number}" for number in range(20)]
    await engine.sessions(*keys)
    for key in keys * 2:
        await engine.queue(key)

    answers = await asyncio.gather(*(engine.acquire(max_runs=3, is_external=agent == "far") for _ in range(10)))

    taken = [each.placed.run for answer in answers for each in answer]
    taken += [each.placed.run for each in await engine.acquire()]  # what a locked row hid from the others
    assert len(taken) == len({run.id for run in taken}) == 12
    assert set(Counter(run.session for run in taken).values()) == {1}


async def test_a_runtime_gets_only_its_agents_and_only_external_ones(engine: Engine) -> None:
    inner, outer = await engine.queue("agent:ops:main"), await engine.queue("agent:far:main")

    assert await engine.acquire(is_external=True, agent_ids=("ops",)) == []
    assert await engine.acquire(is_external=False, agent_ids=("main",)) == []
    assert (await engine.take(is_external=True, agent_ids=("FAR", "main"))).placed.run.id == outer
    assert (await engine.take(agent_ids=("ops",))).placed.run.id == inner


async def test_an_assignment_tells_what_is_needed_and_nothing_queued_behind(engine: Engine) -> None:
    await engine.sessions(A)
    await say(engine.db, A, words("before"), words("answer", Role.ASSISTANT))
    sent = await engine.send(A, "now")
    await engine.queue(A, "later")

    taken = await engine.take()

    assert [decode(body).text for body in taken.history] == ["before", "answer"]
    assert (decode(taken.input).text, decode(taken.input).id) == ("now", sent.message_id)
    assert taken.history_omitted == 0
    assert (taken.session.key, taken.placed.session_id) == (A, taken.session.session_id)
    assert (taken.placed.run.attempt, taken.placed.run.runtime_id) == (1, "rt")
    assert taken.placed.run.lease_expires_ms == engine.clock.now_ms + engine.rules.runs.lease_ms


async def test_a_chat_has_no_context_and_a_send_tells_who_asks(engine: Engine) -> None:  # S7
    await engine.sessions(A, B)
    await engine.chat(A)
    await engine.queue(B, "the request", caller=acting_as(A), max_turns=2)

    chat, send = sorted(await engine.acquire(), key=lambda each: each.placed.run.kind)

    assert chat.context is None
    assert send.context is not None
    assert (send.context.requester_session_key, send.context.target_session_key) == (A, B)
    assert send.context.original_request == "the request"
    assert (send.context.turn, send.context.max_turns, send.context.skip_token) == (0, 2, "REPLY_SKIP")


async def test_history_is_cut_to_the_newest_and_says_how_many_it_left_out(engine: Engine) -> None:
    await engine.sessions(A)
    await say(engine.db, A, *(words(f"{number} " + "x" * 300_000) for number in range(5)))

    taken = await engine.running(A)

    assert [decode(body).text[:2] for body in taken.history] == ["2 ", "3 ", "4 "]
    assert taken.history_omitted == 2


async def test_an_answer_stays_below_what_a_client_takes(engine: Engine) -> None:  # X6
    keys = [f"agent:far:{number}" for number in range(6)]
    await engine.sessions(*keys)
    for key in keys:
        await engine.queue(key, "x" * 1_000_000)

    taken: list[int] = []
    while answer := await engine.acquire(is_external=True):
        signer = await ring()
        assert len(acquired(engine.rules, signer, answer)) <= ANSWER_BYTES
        taken += [each.placed.run.attempt for each in answer]

    assert taken == [1] * len(keys)


async def test_a_long_poll_is_answered_as_soon_as_a_run_is_there(engine: Engine) -> None:
    poll = asyncio.create_task(engine.acquire(wait_s=LONG_S))
    await engine.asleep()

    queued = await engine.queue()

    async with asyncio.timeout(LONG_S):
        assert [each.placed.run.id for each in await poll] == [queued]


async def test_a_long_poll_wakes_when_a_slot_comes_free(engine: Engine) -> None:  # R2
    engine.slots(agents=1)
    await engine.sessions(A, B)
    first, second = await engine.running(A), await engine.queue(B)
    poll = asyncio.create_task(engine.acquire(wait_s=LONG_S))
    await engine.asleep()

    await engine.complete(first)

    async with asyncio.timeout(2):  # well before the next look that needs no hint
        assert [each.placed.run.id for each in await poll] == [second]


async def test_who_took_all_there_was_looks_again_only_when_there_is_more(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:  # R2
    looks: list[int] = []
    look = acquire_runs._look

    async def watched(*args: Any) -> acquire_runs.Taken:
        looks.append(1)
        return await look(*args)

    monkeypatch.setattr(acquire_runs, "_look", watched)
    await engine.sessions(A, B)
    await engine.queue(A)
    query = AcquireQuery("rt", max_runs=8, wait_s=LONG_S, is_external=False)

    with Acquiring(engine.db, engine.rules, engine.waits, query) as acquiring:
        (first,) = await acquiring.next()
        more = asyncio.create_task(acquiring.next())
        await engine.asleep()
        await engine.complete(first)
        await engine.asleep()
        assert len(looks) == 1

        second = await engine.queue(B)
        assert [each.placed.run.id for each in await more] == [second]
        assert len(looks) == 2


async def test_a_long_poll_wakes_when_a_run_begins_to_wait(engine: Engine) -> None:  # R2, property 5
    engine.slots(agents=1)
    await engine.sessions(A, B)
    outer, inner = await engine.running(A), await engine.queue(B)
    poll = asyncio.create_task(engine.acquire(wait_s=LONG_S))
    await engine.asleep()

    query = GetQuery(inner, wait_s=LONG_S)
    wait = asyncio.create_task(get_run(engine.db, engine.rules, engine.waits, agent_of(outer), query))

    async with asyncio.timeout(2):
        (taken,) = await poll
    await engine.complete(taken)
    assert (await wait)[0].run.reply == "done"


async def test_the_drain_answers_long_polls_and_hands_out_nothing_more(engine: Engine) -> None:  # X4
    poll = asyncio.create_task(engine.acquire(wait_s=LONG_S))
    await engine.asleep()

    await engine.waits.drain()
    await engine.queue()

    assert await poll == []
    assert await engine.acquire() == []


async def test_a_runtime_that_leaves_in_the_moment_of_its_lease_loses_no_run(engine: Engine) -> None:  # R3, R4
    await engine.sessions("agent:far:1")
    run_id = await engine.queue("agent:far:1")
    leased, goes_on = asyncio.Event(), asyncio.Event()
    write = engine.db.write_together

    async def slow(batch: Batch[Item, Result], item: Item) -> Result:
        result = await write(batch, item)
        leased.set()
        await goes_on.wait()
        return result

    engine.db.write_together = slow  # type: ignore[method-assign]
    acquiring = asyncio.create_task(engine.acquire(wait_s=LONG_S, is_external=True))
    await leased.wait()
    acquiring.cancel()
    goes_on.set()
    await asyncio.wait([acquiring])

    assert acquiring.cancelled()
    assert (await engine.transitions(run_id))[1:] == [("running", "rt", ""), ("queued", "runtime", "CALLER_LEFT")]
    assert (await engine.take(run_id, is_external=True)).placed.run.attempt == 1


async def test_what_a_runtime_asks_for_is_checked(engine: Engine) -> None:  # X1
    queued = await engine.queue()

    with pytest.raises(InvalidField) as refused:
        await engine.acquire(wait_s=56, agent_ids=("a",) * 101)
    assert [each.field for each in refused.value.fields] == ["wait_seconds", "agent_ids"]
    with pytest.raises((InvalidField, InvalidKey)):
        await engine.acquire(agent_ids=("no such id!",))
    for name in ("", " ", "x" * 129, "a\0b"):
        with pytest.raises(InvalidField):
            await acquire(engine.db, engine.rules, engine.waits, AcquireQuery(name))
    assert await engine.states(queued) == ["queued"]
