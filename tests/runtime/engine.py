"""The run engine in a test's hands: the use cases on one store, its clock, and an eye on who sleeps."""

from __future__ import annotations

import asyncio
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

import sqlalchemy as sa

from sessiond.gateway.chat_send import ChatAnswer, ChatQuery, chat_send
from sessiond.model.agents import Agent, Roster
from sessiond.model.callers import Caller, CallerRole
from sessiond.model.exchanges import AnnouncePolicy
from sessiond.model.messages import Text
from sessiond.model.rules import Rules
from sessiond.model.runs import Failure, Pool, Run
from sessiond.model.visibility import VisibilityRules
from sessiond.runtime.acquire_runs import AcquireQuery, acquire_runs
from sessiond.runtime.assignments import Assignment
from sessiond.runtime.complete_run import Cancelled, CompleteQuery, complete_run
from sessiond.store import run_events, runs
from sessiond.store.database import Database
from sessiond.store.run_events import StoredEvent
from sessiond.store.runs import PlacedRun
from sessiond.store.schema import metadata, turnstiles
from sessiond.store.statement import Statement
from sessiond.tools.cancel_run import CancelQuery, cancel_run
from sessiond.tools.sends import SendQuery, Sent
from sessiond.tools.sessions_send import as_sent, sessions_send
from sessiond.waiting import Waits
from sessiond.wake import Listener, Listening, Wake
from sessiond.worker.sweep import overdue_runs, sweep_once
from sessiontools.v1 import run_pb2
from sessiontools.v1 import session_tools_service_pb2 as pb
from tests.fakes.clock import ManualClock
from tests.making import OWNER, make_session
from tests.meeting import take_all

A, B, C = "agent:main:a", "agent:main:b", "agent:main:c"
RULES = Rules(
    roster=Roster(
        {
            **{name: Agent(name) for name in ("main", "ops")},
            **{name: Agent(name, is_external=True) for name in ("far", "farther")},
        }
    ),
    visibility=VisibilityRules(agent_to_agent=True),
)
# Long enough that only a test that hangs ever waits for it.
LONG_S = 30
POOL_SIZE = 8


class WatchedWake(Wake):
    """Knows who sleeps, so that a test acts only once they do."""

    def __init__(self) -> None:
        super().__init__()
        self.sleeping: set[Listener] = set()
        self._somebody_lay_down = asyncio.Event()

    def listen(self, *topics: str) -> AbstractContextManager[Listener]:
        """As always, with an eye on it."""
        return Listening(self, topics, _Watched(self))

    def lay_down(self, listener: Listener) -> None:
        """Somebody sleeps."""
        self.sleeping.add(listener)
        self._somebody_lay_down.set()

    async def until_asleep(self, sleepers: int) -> None:
        """Return once so many sleep, and nothing has been said yet that will wake them."""
        while sum(not each.is_hinted for each in self.sleeping) < sleepers:
            self._somebody_lay_down.clear()
            await self._somebody_lay_down.wait()


class _Watched(Listener):
    __slots__ = ("_wake",)

    def __init__(self, wake: WatchedWake) -> None:
        super().__init__()
        self._wake = wake

    async def wait_at_most(self, seconds: float) -> bool:
        self._wake.lay_down(self)
        try:
            return await super().wait_at_most(seconds)
        finally:
            self._wake.sleeping.discard(self)


class Engine:
    """What a test does most, in few words."""

    def __init__(self, db: Database, clock: ManualClock, wake: WatchedWake) -> None:
        self.db = db
        self.clock = clock
        self.wake = wake
        self.rules = RULES
        self.waits = Waits(wake, self.rules.waits)

    def limit(self, **run_rules: Any) -> None:
        """Change rules of runs: lease, slots, budgets."""
        self.rules = replace(self.rules, runs=replace(self.rules.runs, **run_rules))

    def slots(self, agents: int = 8, subagents: int = 8) -> None:
        """Change the sizes of the pools."""
        self.limit(slots={Pool.AGENTS: agents, Pool.SUBAGENTS: subagents})

    def agent(self, agent_id: str, **columns: Any) -> None:
        """Change how an agent is configured."""
        agents = self.rules.roster.agents
        changed = replace(agents.get(agent_id, Agent(agent_id)), **columns)
        self.rules = replace(self.rules, roster=Roster({**agents, agent_id: changed}))

    async def sessions(self, *keys: str) -> None:
        """Make these sessions."""
        for key in keys:
            await make_session(self.db, key)

    async def send(self, key: str = "main", message: str = "hello", caller: Caller = OWNER, **query: Any) -> Sent:
        """SessionsSend, without a wait and without an announcement unless told."""
        asked = SendQuery(message, **{"session_key": key, "timeout_s": 0, "announce": AnnouncePolicy.NEVER, **query})
        return await sessions_send(self.db, self.rules, self.waits, caller, asked, as_sent)

    async def queue(self, key: str = "main", message: str = "hello", caller: Caller = OWNER, **query: Any) -> str:
        """As send; the id of the run."""
        return (await self.send(key, message, caller, **query)).placed.run.id

    async def chat(self, key: str = "main", text: str = "hello", caller: Caller = OWNER, **query: Any) -> ChatAnswer:
        """ChatSend."""
        return await chat_send(self.db, self.rules, caller, ChatQuery(key, (Text(text),), **query))

    async def acquire(self, max_runs: int = 100, **query: Any) -> list[Assignment]:
        """AcquireRuns, as the built-in runtimes do unless told otherwise."""
        asked = AcquireQuery("rt", max_runs=max_runs, **{"is_external": False, **query})
        return await acquire_runs(self.db, self.rules, self.waits, asked)

    async def take(self, run_id: str = "", **query: Any) -> Assignment:
        """Lease the one run whose turn it is."""
        (taken,) = await self.acquire(max_runs=1, **query)
        assert run_id in ("", taken.placed.run.id)
        return taken

    async def running(self, key: str = "main", message: str = "hello", **query: Any) -> Assignment:
        """A run of this session that is leased."""
        return await self.take(await self.queue(key, message, **query))

    async def complete(
        self, lease: Assignment | str, outcome: str | Failure | Cancelled | None = "done", **query: Any
    ) -> PlacedRun:
        """CompleteRun."""
        return await complete_run(self.db, self.rules, CompleteQuery(token_of(lease), outcome, **query))

    async def cancel(self, run_id: str, caller: Caller = OWNER, **query: Any) -> list[PlacedRun]:
        """CancelRun."""
        touched, _ = await cancel_run(self.db, self.rules, caller, CancelQuery(run_id, **query))
        return touched

    async def sweep(self) -> int:
        """What time does to leased runs."""
        return await sweep_once(self.db, self.rules, overdue_runs)

    async def run(self, run_id: str) -> Run:
        """The run's row."""
        found = await self.db.read(lambda tx: runs.get(tx, run_id))
        assert found is not None
        return found

    async def states(self, *run_ids: str) -> list[str]:
        """The states of these runs."""
        return [(await self.run(run_id)).state for run_id in run_ids]

    async def events(self, run_id: str) -> list[pb.WaitRunResponse]:
        """The run's events as stored; their sequence is checked on the way."""
        stored = await self.db.read(lambda tx: run_events.ask_after(tx, run_id, 0, 10_000)())
        assert [each.sequence for each in stored] == list(range(1, len(stored) + 1))
        assert (await self.run(run_id)).event_count == len(stored)
        return [_event(each) for each in stored]

    async def transitions(self, run_id: str) -> list[tuple[str, str, str]]:
        """Each state that the run went into, with actor and reason."""
        changes = [each.state_changed for each in await self.events(run_id) if each.HasField("state_changed")]
        return [(_state(each.to_state), each.actor, each.reason) for each in changes]

    async def rows(self) -> dict[str, list[str]]:
        """Everything that is stored, to be compared with what is stored later."""
        return await self.db.read(
            lambda tx: {
                table.name: sorted(repr(row) for row in tx.rows(Statement("all rows", sa.select(table))))
                for table in metadata.sorted_tables
                if table is not turnstiles
            }
        )

    async def quiet(self) -> None:
        """Return once nothing is under way in the store, not even for somebody who has left."""
        if self.db.name == "postgresql":
            await take_all(self.db, POOL_SIZE)

    async def in_company(self) -> None:
        """Have several write together, so that nobody is taken to be alone: the first to ask then waits for the others.

        On SQLite one who asks after a pause that is longer than a commit may be written at once.
        """
        await asyncio.gather(*(self.db.write(lambda tx: None) for _ in range(3)))

    async def asleep(self, sleepers: int = 1) -> None:
        """Return once so many waits have nothing to do but wait."""
        async with asyncio.timeout(LONG_S):
            await self.wake.until_asleep(sleepers)


def token_of(lease: Assignment | str) -> str:
    """The lease token as its holder has it."""
    return lease if isinstance(lease, str) else str(lease.lease_token)


def agent_of(lease: Assignment) -> Caller:
    """The agent of a leased run, by its run token."""
    return Caller(CallerRole.AGENT, f"run {lease.placed.run.id}", run_token=lease.run_token)


def _event(stored: StoredEvent) -> pb.WaitRunResponse:
    event = pb.WaitRunResponse.FromString(stored.body)
    if stored.message is not None:
        event.message_appended.message.MergeFromString(stored.message)
    return event


def _state(number: run_pb2.RunState.ValueType) -> str:
    return run_pb2.RunState.Name(number).removeprefix("RUN_STATE_").lower()
