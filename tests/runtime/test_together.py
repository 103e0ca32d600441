"""Runs that are leased at once: each gets its own, and all of them take the statements of one (R2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from sessiond.runtime import acquire_runs
from sessiond.runtime.acquire_runs import AcquireQuery, Assignment
from sessiond.store.codec import decode
from sessiond.store.transaction import Tx
from tests.authority.counting import Ledger, NotedTx
from tests.making import session_of
from tests.runtime.engine import Engine, agent_of

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
    taken, asked = await purposes(engine, lambda tx: acquire_runs._acquire(tx, engine.rules, wanted))
    return taken.assignments, asked


async def test_many_runs_are_leased_with_the_statements_of_one(engine: Engine) -> None:  # R2
    await engine.sessions(*KEYS)

    (_, of_one), (taken, of_many) = await lease(engine, KEYS[:1]), await lease(engine, KEYS[1:])

    assert len(taken) == 4
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
    assert asked.count("sessions by their row ids") == 2  # their own, and the one that asks


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
