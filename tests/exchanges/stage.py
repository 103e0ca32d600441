"""A stage for exchanges: the test plays whoever asks, the runtime and the gateway, one step after the other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from sessiond.gateway.acquire_deliveries import AcquireQuery, acquire_deliveries
from sessiond.gateway.answer_delivery import AckQuery, ack_delivery
from sessiond.gateway.chat_send import ChatAnswer, ChatQuery, chat_send
from sessiond.model.agents import Agent, Roster
from sessiond.model.callers import Caller, CallerRole
from sessiond.model.deliveries import Delivery
from sessiond.model.exchanges import Exchange
from sessiond.model.messages import Message, Text, Usage
from sessiond.model.rules import Rules
from sessiond.model.runs import Failure, Run
from sessiond.model.sessions import Route
from sessiond.runtime.acquire_runs import AcquireQuery as RunsQuery
from sessiond.runtime.acquire_runs import acquire_runs
from sessiond.runtime.assignments import Assignment
from sessiond.runtime.complete_run import Cancelled, CompleteQuery, complete_run
from sessiond.store import deliveries, exchanges, messages, runs
from sessiond.store.codec import decode
from sessiond.store.database import Database
from sessiond.store.schema import deliveries as deliveries_table
from sessiond.store.schema import runs as runs_table
from sessiond.store.statement import Statement
from sessiond.store.transaction import Tx
from sessiond.tools.sends import SendQuery, Sent
from sessiond.tools.sessions_send import as_sent, sessions_send
from sessiond.tools.sessions_spawn import Spawned, SpawnQuery, sessions_spawn
from sessiond.waiting import Waits
from sessiond.wake import Wake
from tests.making import OWNER, acting_as, found

MAIN = "agent:main:main"
GROUP = "agent:main:telegram:group:42"
TELEGRAM = Route("telegram", "42")
RULES = Rules(roster=Roster({"main": Agent("main", model="echo")}))

_EVERY_DELIVERY = Statement(
    "every delivery", sa.select(*deliveries.COLUMNS).order_by(deliveries_table.c.created_ms, deliveries_table.c.id)
)
_EVERY_RUN = Statement("every run", sa.select(*runs.COLUMNS).order_by(runs_table.c.queue_ms, runs_table.c.id))

Outcome = str | Failure | Cancelled


@dataclass
class Stage:
    """A store with rules over it; nothing here remembers anything between two steps."""

    db: Database
    rules: Rules = RULES
    wake: Wake = field(default_factory=Wake)

    @property
    def waits(self) -> Waits:
        """The waits of a server that has just started."""
        return Waits(self.wake, self.rules.waits)

    async def send(self, message: str = "how is it going?", by: str = MAIN, **query: Any) -> Sent:
        """A message, by default from the main session into the group, for which nobody waits."""
        to = {} if {"label", "agent_id"} & query.keys() else {"session_key": GROUP}
        asked = SendQuery(message, **({"timeout_s": 0} | to | query))
        return await sessions_send(self.db, self.rules, self.waits, acting_as(by) if by else OWNER, asked, as_sent)

    async def spawn(self, task: str = "dig a hole", by: str | Caller = MAIN, **query: Any) -> Spawned:
        """A task for a new sub-agent of this session, or of nobody."""
        caller = by if isinstance(by, Caller) else acting_as(by) if by else OWNER
        return await sessions_spawn(self.db, self.rules, caller, SpawnQuery(task, **query))

    async def chat(self, text: str = "hello", key: str = GROUP, **query: Any) -> ChatAnswer:
        """A message from outside."""
        return await chat_send(self.db, self.rules, OWNER, ChatQuery(key, (Text(text),), **query))

    async def take(self) -> Assignment:
        """Lease the next run."""
        [assignment] = await acquire_runs(self.db, self.rules, self.waits, RunsQuery("rt", is_external=False))
        return assignment

    async def end(self, taken: Assignment, outcome: Outcome, usage: Usage | None = None) -> None:
        """Say how a leased run ended."""
        await complete_run(self.db, self.rules, CompleteQuery(str(taken.lease_token), outcome, usage))

    async def turn(self, outcome: Outcome, usage: Usage | None = None) -> Assignment:
        """Lease the next run and end it like this."""
        taken = await self.take()
        await self.end(taken, outcome, usage)
        return taken

    async def turns(self, *outcomes: Outcome) -> list[Assignment]:
        """As many runs as there are outcomes, one after the other."""
        return [await self.turn(outcome) for outcome in outcomes]

    async def is_quiet(self) -> bool:
        """Whether no run waits for a runtime."""
        return not await acquire_runs(self.db, self.rules, self.waits, RunsQuery("rt", is_external=False))

    async def acquire(self, *channels: str, limit: int = 0) -> list[Delivery]:
        """What a gateway is given now."""
        query = AcquireQuery(channels, limit)
        return [each.delivery for each in await acquire_deliveries(self.db, self.rules, self.waits, query)]

    async def ack(self, delivery: Delivery, receipt: str = "") -> Delivery:
        """The gateway has sent it."""
        return (await ack_delivery(self.db, AckQuery(delivery.id, delivery.lease_token, receipt))).delivery

    async def deliveries(self) -> list[Delivery]:
        """Every row of the outbox, the oldest first."""
        return await self.db.read(lambda tx: [Delivery(*row) for row in tx.rows(_EVERY_DELIVERY)])

    async def delivery(self) -> Delivery:
        """The only row of the outbox."""
        [only] = await self.deliveries()
        return only

    async def runs(self) -> list[Run]:
        """Every run, the oldest first."""
        return await self.db.read(lambda tx: [runs.as_run(row) for row in tx.rows(_EVERY_RUN)])

    async def run(self, run_id: str) -> Run:
        """One run as it stands now."""
        run = await self.db.read(lambda tx: runs.get(tx, run_id))
        assert run is not None
        return run

    async def exchange(self, exchange_id: str) -> Exchange:
        """One exchange as it stands now."""
        exchange = await self.db.read(lambda tx: exchanges.get(tx, exchange_id))
        assert exchange is not None
        return exchange

    async def transcript(self, key: str) -> list[Message]:
        """What was said in a session."""

        def read(tx: Tx) -> list[bytes]:
            session = found(tx, key)
            return messages.newest(tx, session.generation, session.last_sequence + 1, True, 1000, 1 << 30)[0]

        return [decode(body) for body in await self.db.write(read)]

    async def said(self, key: str) -> list[tuple[str, str]]:
        """Who said what in a session."""
        return [(message.draft.role.value, message.text) for message in await self.transcript(key)]


def heard(taken: Assignment) -> str:
    """The words that a run is to answer."""
    return decode(taken.input).text


def agent_of(taken: Assignment) -> Caller:
    """The agent of a leased run, as a caller."""
    return Caller(CallerRole.AGENT, f"run {taken.placed.run.id}", run_token=taken.run_token)
