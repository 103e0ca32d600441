"""The worker: leases, executes, renews and completes like any other runtime, whatever its runs and its store do."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from sessiond.model.callers import Caller, CallerRole
from sessiond.model.errors import StoreUnavailable
from sessiond.model.messages import Role, Usage
from sessiond.model.runs import Failure, Run
from sessiond.runtime.heartbeat_runs import heartbeat_runs
from sessiond.store.database import Batch, Database, Item, Result, Work
from sessiond.store.run_queue import queue_topic
from sessiond.tools.get_run import GetQuery, get_run
from sessiond.worker import loop
from sessiond.worker.execution import Execution, Outcome, ToolAnswer, ToolSpec
from sessiond.worker.loop import Worker
from tests.making import OWNER, words
from tests.runtime.engine import LONG_S, A, B, Engine

pytest_plugins = ["tests.runtime.fixtures"]

Answer = Callable[[Execution], Awaitable[Outcome]]


@dataclass
class Tools:
    """A toolbox that keeps who called what."""

    called: list[tuple[Caller, str]] = field(default_factory=list)

    def specs(self, allows: Callable[[str], bool]) -> list[ToolSpec]:
        return [ToolSpec("agents_list", "lists agents", {})] if allows("agents_list") else []

    async def call(self, caller: Caller, name: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        self.called.append((caller, name))
        return ToolAnswer("{}")


@dataclass
class Model:
    """A provider in the test's hands; `started` is released for each run that it was given."""

    answer: Answer
    reads_history: bool = True
    started: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(0))

    async def execute(self, execution: Execution) -> Outcome:
        self.started.release()
        return await self.answer(execution)


class Away:
    """A store that is away while it is told to be."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self.is_away = False
        self.refused = asyncio.Event()

    async def write(self, work: Work[Result]) -> Result:
        self._require()
        return await self._db.write(work)

    async def write_together(self, batch: Batch[Item, Result], item: Item) -> Result:
        self._require()
        return await self._db.write_together(batch, item)

    def _require(self) -> None:
        if self.is_away:
            self.refused.set()
            raise StoreUnavailable

    def __getattr__(self, name: str) -> Any:
        return getattr(self._db, name)


@asynccontextmanager
async def working(engine: Engine, answer: Answer, db: Any = None) -> AsyncIterator[tuple[Worker, Model]]:
    """A worker at work with this model; at the end it is drained and stopped as the server does it."""
    model = Model(answer)
    worker = Worker(db or engine.db, engine.rules, engine.waits, {"": model}, Tools())
    task = asyncio.create_task(worker.run())
    try:
        yield worker, model
    finally:
        await engine.waits.drain()
        async with asyncio.timeout(LONG_S):
            await worker.release_all()
            task.cancel()
            await asyncio.wait([task])
            await engine.quiet()
    assert task.cancelled()


async def finished(engine: Engine, run_id: str) -> Run:
    """The run once it is over."""
    placed, _ = await get_run(engine.db, engine.rules, engine.waits, OWNER, GetQuery(run_id, wait_s=LONG_S))
    assert placed.run.is_final
    return placed.run


async def _greet(execution: Execution) -> Outcome:
    await execution.delta("hel")
    await execution.write(words("working", Role.ASSISTANT))
    return Outcome(f"hello to {execution.input.text}", Usage(1, 2, 3))


async def _hang(execution: Execution) -> Outcome:
    await asyncio.Event().wait()
    raise AssertionError


async def test_a_run_is_executed_and_completed(engine: Engine) -> None:
    async with working(engine, _greet):
        run = await finished(engine, await engine.queue(message="you"))

    assert (run.state, run.reply, run.usage, run.runtime_id) == ("succeeded", "hello to you", Usage(1, 2, 3), "builtin")
    kinds = [each.WhichOneof("event") for each in await engine.events(run.id)]
    assert kinds[2:] == ["output_delta", "message_appended", "message_appended", "state_changed"]


async def test_many_sessions_with_few_slots_are_done_without_a_pause(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:  # R2
    monkeypatch.setattr("sessiond.runtime.acquire_runs.POLL_S", LONG_S * 10)
    engine.slots(agents=2)
    keys = [f"agent:main:{number}" for number in range(12)]
    await engine.sessions(*keys)

    async with working(engine, _greet):
        runs = [await engine.queue(key) for key in keys]
        states = {(await finished(engine, run_id)).state for run_id in runs}

    assert states == {"succeeded"}


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [(Outcome(Failure("MODEL_ERROR")), "MODEL_ERROR"), (Outcome("x" * 1_048_577), "MESSAGE_TOO_LARGE")],
)
async def test_a_failure_is_told(engine: Engine, outcome: Outcome, reason: str) -> None:
    async def fail(execution: Execution) -> Outcome:
        return outcome

    async with working(engine, fail):
        run = await finished(engine, await engine.queue())

    assert (run.state, run.failure_reason) == ("failed", reason)


@pytest.mark.parametrize("reply", ["\ud800", None])
async def test_a_runtime_that_breaks_fails_its_run_and_no_other(engine: Engine, reply: str | None) -> None:
    async def answer(execution: Execution) -> Outcome:
        if execution.input.text == "good":
            return Outcome("fine")
        if reply is None:
            raise ZeroDivisionError
        return Outcome(reply)

    await engine.sessions(A, B)
    async with working(engine, answer):
        bad, good = await engine.queue(A, "bad"), await engine.queue(B, "good")
        assert (await finished(engine, bad)).failure_reason == "RUNTIME_ERROR"
        assert (await finished(engine, good)).reply == "fine"


async def test_a_model_that_is_not_there_any_more_fails_the_run(engine: Engine) -> None:
    engine.agent("ops", model="gone")
    async with working(engine, _greet):
        run = await finished(engine, await engine.queue("agent:ops:main"))

    assert run.failure_reason == "MODEL_UNKNOWN"


async def test_a_cancel_stops_the_execution_at_once(engine: Engine) -> None:  # R6
    cleaned = asyncio.Event()

    async def tidy(execution: Execution) -> Outcome:
        try:
            return await _hang(execution)
        finally:
            for _ in range(3):  # more cancels must not disturb this
                engine.wake.hint("stop")
                await asyncio.sleep(0)
                await heartbeat_runs(engine.db, engine.rules, [])
            cleaned.set()

    async with working(engine, tidy) as (_, model):
        run_id = await engine.queue()
        await model.started.acquire()
        await engine.cancel(run_id, reason="enough")
        run = await finished(engine, run_id)

    assert cleaned.is_set()
    assert (run.state, run.end_actor, run.end_reason) == ("cancelled", "olivia", "enough")


async def test_a_run_that_was_ended_for_it_is_stopped_and_stays_ended(engine: Engine) -> None:  # R5
    stopped = asyncio.Event()

    async def slow(execution: Execution) -> Outcome:
        try:
            return await _hang(execution)
        finally:
            stopped.set()

    async with working(engine, slow) as (_, model):
        answer = await engine.chat(run_timeout_s=5)
        await model.started.acquire()
        engine.clock.advance(seconds=5)
        await engine.sweep()
        async with asyncio.timeout(LONG_S):
            await stopped.wait()

    assert await engine.states(answer.run_id) == ["timed_out"]


async def test_the_drain_gives_back_what_is_under_way(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:  # X4
    monkeypatch.setattr(loop, "FINISH_S", 0.0)
    await engine.sessions(A, B)

    async with working(engine, _hang) as (_, model):
        runs = [await engine.queue(key) for key in (A, B)]
        for _ in runs:
            await model.started.acquire()
        assert engine.waits.is_awaited(queue_topic(is_external=False))
        await engine.waits.drain()
        assert not engine.waits.is_awaited(queue_topic(is_external=False))  # so that other servers are told of them

    for run_id in runs:
        run = await engine.run(run_id)
        assert (run.state, run.attempt) == ("queued", 0)
        assert (await engine.transitions(run_id))[-1] == ("queued", "runtime", "DRAINING")


async def test_a_server_that_stops_without_a_drain_cancels_nothing(engine: Engine) -> None:  # X2, X4
    model = Model(_hang)
    worker = Worker(engine.db, engine.rules, engine.waits, {"": model}, Tools())
    task = asyncio.create_task(worker.run())
    run_id = await engine.queue()
    await model.started.acquire()

    task.cancel()
    await asyncio.wait([task])
    await engine.quiet()

    assert (await engine.transitions(run_id))[2] == ("queued", "runtime", "DRAINING")


async def test_a_run_taken_in_the_moment_of_the_drain_is_given_back(engine: Engine) -> None:  # X4
    run_id = await engine.queue()

    class Drains(Away):
        async def write_together(self, batch: Batch[Item, Result], item: Item) -> Result:
            done = await super().write_together(batch, item)
            await engine.waits.drain()
            return done

    worker = Worker(Drains(engine.db), engine.rules, engine.waits, {"": Model(_hang)}, Tools())
    async with asyncio.timeout(LONG_S), asyncio.TaskGroup() as tasks:
        await worker._take_runs(tasks)

    assert (await engine.transitions(run_id))[1:] == [("running", "builtin", ""), ("queued", "runtime", "DRAINING")]


async def test_a_drain_gives_runs_back_when_the_store_is_back(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:  # X3, X4
    monkeypatch.setattr(loop, "RETRY_S", 0.01)
    monkeypatch.setattr(loop, "RELEASE_TRIES", 1_000)
    monkeypatch.setattr(loop, "FINISH_S", 0.0)
    store = Away(engine.db)

    async with working(engine, _hang, store) as (worker, model):
        run_id = await engine.queue()
        await model.started.acquire()
        store.is_away = True
        await engine.waits.drain()
        releasing = asyncio.create_task(worker.release_all())
        async with asyncio.timeout(LONG_S):
            await store.refused.wait()
            store.is_away = False
            await releasing

    assert (await engine.transitions(run_id))[-1] == ("queued", "runtime", "DRAINING")


async def test_a_drain_ends_though_the_store_is_away(
    engine: Engine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:  # X3, X4
    monkeypatch.setattr(loop, "RETRY_S", 0.01)
    monkeypatch.setattr(loop, "FINISH_S", 0.0)
    store = Away(engine.db)

    async with asyncio.timeout(LONG_S), working(engine, _hang, store) as (worker, model):
        run_id = await engine.queue()
        await model.started.acquire()
        store.is_away = True
        await engine.waits.drain()
        await worker.release_all()

    assert (await engine.run(run_id)).state == "running"  # until its lease runs out
    assert "the store is away; a run can't be given back, and its lease runs out" in caplog.messages


async def test_a_store_that_is_away_for_a_while_costs_time_and_nothing_else(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:  # X3
    monkeypatch.setattr(loop, "RETRY_S", 0.01)
    store = Away(engine.db)
    goes_on = asyncio.Event()

    async def answer(execution: Execution) -> Outcome:
        await goes_on.wait()
        await execution.delta("after all")
        return Outcome("answer")

    async with working(engine, answer, store) as (_, model):
        first = await engine.queue()
        await model.started.acquire()
        store.is_away = True
        goes_on.set()
        async with asyncio.timeout(LONG_S):
            await store.refused.wait()
        second = await engine.queue()
        store.is_away = False
        replies = [(await finished(engine, run_id)).reply for run_id in (first, second)]

    assert replies == ["answer", "answer"]
    deltas = [each.output_delta.text for each in await engine.events(first) if each.HasField("output_delta")]
    assert deltas == ["after all"]


async def test_completing_waits_for_the_store_too(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:  # X3
    monkeypatch.setattr(loop, "RETRY_S", 0.01)
    store = Away(engine.db)

    async def answer(execution: Execution) -> Outcome:
        store.is_away = True
        return Outcome("answer")

    async with working(engine, answer, store):
        run_id = await engine.queue()
        async with asyncio.timeout(LONG_S):
            await store.refused.wait()
        store.is_away = False
        assert (await finished(engine, run_id)).reply == "answer"


async def test_tools_are_called_as_the_agent_of_the_run(engine: Engine) -> None:  # V1
    async def answer(execution: Execution) -> Outcome:
        told = await execution.call_tool("agents_list", {})
        return Outcome(f"{[each.name for each in execution.tools]} {told.text}")

    async with working(engine, answer) as (worker, _):
        run = await finished(engine, await engine.queue())
        ((caller, name),) = worker._toolbox.called  # type: ignore[attr-defined]

    assert run.reply == "['agents_list'] {}"
    assert (caller.role, caller.name, name) == (CallerRole.AGENT, f"run {run.id}", "agents_list")
    assert caller.run_token is not None


async def test_leases_of_all_runs_are_renewed_however_many_wait(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:  # R3
    monkeypatch.setattr(loop, "MAX_LEASES", 2)
    monkeypatch.setattr("sessiond.runtime.heartbeat_runs.MAX_LEASES", 2)
    keys = [f"agent:main:{number}" for number in range(5)]
    await engine.sessions(*keys)

    async with working(engine, _hang) as (worker, model):
        for key in keys:
            await engine.queue(key)
            await model.started.acquire()
        engine.clock.advance(seconds=20)
        await worker._renew()
        engine.clock.advance(seconds=20)
        assert await engine.sweep() == 0
        monkeypatch.setattr(loop, "FINISH_S", 0.0)
