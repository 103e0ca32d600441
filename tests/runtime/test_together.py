"""Runs that are leased or end at once: each gets its own, and all of them take the statements of one (R1, R2, R7)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TypeVar

import pytest

from sessiond.model.exchanges import AnnouncePolicy
from sessiond.model.messages import Usage
from sessiond.runtime import acquire_runs, complete_run
from sessiond.runtime.acquire_runs import AcquireQuery
from sessiond.runtime.assignments import Assignment
from sessiond.runtime.complete_run import CompleteQuery
from sessiond.store import exchanges
from sessiond.store.codec import decode
from sessiond.store.transaction import Tx
from tests.authority.counting import Ledger, NotedTx
from tests.making import session_of
from tests.runtime.engine import Engine, agent_of, token_of

pytest_plugins = ["tests.runtime.fixtures"]

T = TypeVar("T")
KEYS = [f"agent:main:{number}" for number in range(5)]


async def purposes(engine: Engine, work: Callable[[Tx], T]) -> tuple[T, list[str]]:
    """What a work brings, and what it asks."""
    ledger = Ledger()

    def noted(tx: Tx) -> T:
        ledger.lines, own = [], NotedTx(tx, ledger)
        try:
            return work(own)
        finally:
            tx.has_written |= own.has_written

    return await engine.db.write(noted), [purpose for purpose, _ in ledger.lines]


async def lease(engine: Engine, keys: Sequence[str], **query: object) -> tuple[list[Assignment], list[str]]:
    """Queue a run in each session and take them at once."""
    for key in keys:
        await engine.queue(key, f"to {key}", max_turns=0)
    wanted = AcquireQuery("rt", max_runs=100, is_external=False, without_history=frozenset({""}))
    looks = [acquire_runs._Asked(engine.rules, wanted)]
    (taken,), asked = await purposes(engine, lambda tx: acquire_runs._acquire(tx, looks))
    return taken.assignments, asked


async def complete(engine: Engine, taken: Sequence[Assignment]) -> list[str]:
    """End these at once, with others behind each of them."""
    ends = [complete_run._Completing(engine.rules, CompleteQuery(token_of(each), "done")) for each in taken]
    _, asked = await purposes(engine, lambda tx: complete_run._complete(tx, ends))
    return asked


async def test_many_runs_are_leased_with_the_statements_of_one(engine: Engine) -> None:  # R2
    await engine.sessions(*KEYS)

    (_, of_one), (taken, of_many) = await lease(engine, KEYS[:1]), await lease(engine, KEYS[1:])

    assert len(taken) == 4
    assert of_many == of_one


async def test_many_runs_end_with_the_statements_of_one(engine: Engine) -> None:  # R7
    await engine.sessions(*KEYS)
    taken, _ = await lease(engine, KEYS)
    for key in KEYS:
        await engine.queue(key, "behind")

    of_one, of_many = await complete(engine, taken[:1]), await complete(engine, taken[1:])

    assert await engine.states(*(each.placed.run.id for each in taken)) == ["succeeded"] * 5
    assert of_many == of_one


async def test_who_asks_is_read_once_for_all_runs(engine: Engine) -> None:  # S7
    await engine.sessions("agent:main:asking", *KEYS)
    agent = agent_of(await engine.running("agent:main:asking"))
    for key in KEYS[:4]:
        await engine.queue(key, f"to {key}", agent)

    taken, asked = await lease(engine, KEYS[4:])

    contexts = [each.context for each in taken]
    assert [each.requester_session_key if each else None for each in contexts] == ["agent:main:asking"] * 4 + [""]
    assert [each.target_session_key if each else None for each in contexts] == KEYS
    assert asked.count("sessions by their row ids") == 1  # the one that asks; their own are locked


async def test_runs_leased_together_come_in_arrival_order_each_with_its_own(engine: Engine) -> None:  # R2, R3
    await engine.sessions(*KEYS)
    keys = KEYS[::-1]
    for key in keys:
        await engine.queue(key, f"to {key}")
        engine.clock.advance(seconds=1)

    taken = await engine.acquire()

    assert [each.session.key for each in taken] == keys
    assert [decode(each.input).text for each in taken] == [f"to {key}" for key in keys]
    assert [each.context.original_request if each.context else "" for each in taken] == [f"to {key}" for key in keys]
    assert len({each.lease_token.secret for each in taken}) == len(keys)
    for each in taken:
        assert (await engine.run(each.placed.run.id)) == each.placed.run
        session = await session_of(engine.db, each.session.key)
        assert session is not None
        assert (session.active_run_id, session.active_run_state) == (each.placed.run.id, "running")


async def test_a_run_ends_as_its_row_says(engine: Engine) -> None:  # R7
    await engine.sessions(*KEYS)
    taken, _ = await lease(engine, KEYS)

    ended = await asyncio.gather(*(engine.complete(each, each.session.key, usage=Usage(1, 2)) for each in taken))

    assert [await engine.run(each.run.id) for each in ended] == [each.run for each in ended]
    assert [each.run.reply for each in ended] == KEYS
    for each in taken:
        session = await session_of(engine.db, each.session.key)
        assert session is not None
        assert session == each.session._replace(
            active_run_id="",
            active_run_state=None,
            unfinished_runs=0,
            last_sequence=2,
            system_sent=1,
            total_tokens=3,
        )


@pytest.mark.parametrize("announce", AnnouncePolicy)
async def test_an_exchange_keeps_what_was_said_and_whether_it_is_over(
    engine: Engine, announce: AnnouncePolicy
) -> None:  # S9, S13
    sent = await engine.send("main", announce=announce)
    await engine.complete(await engine.take(), "said")

    exchange = await engine.db.read(lambda tx: exchanges.get(tx, sent.exchange_id))

    assert exchange is not None
    assert (exchange.first_reply, exchange.latest_reply) == ("said", "said")
    assert exchange.is_settled is (announce is AnnouncePolicy.NEVER)
    assert exchange.settled_ms == (engine.clock.now_ms if exchange.is_settled else None)
