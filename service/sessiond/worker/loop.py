"""The built-in runtimes: runs are leased, renewed and completed here as by any other runtime."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

from sessiond.model.callers import Caller, CallerRole
from sessiond.model.errors import LeaseLost, Refusal, StoreUnavailable
from sessiond.model.events import Delta
from sessiond.model.messages import Draft, Message
from sessiond.model.rules import Rules
from sessiond.model.runs import Failure, Run
from sessiond.runtime.acquire_runs import AcquireQuery, Acquiring
from sessiond.runtime.append_run_events import AppendQuery, Brought, append_run_events
from sessiond.runtime.assignments import Assignment, StepContext
from sessiond.runtime.complete_run import Cancelled, CompleteQuery, complete_run
from sessiond.runtime.heartbeat_runs import MAX_LEASES, LeaseStatus, heartbeat_runs
from sessiond.runtime.release_run import ReleaseQuery, release_run
from sessiond.store.codec import decode
from sessiond.store.database import Database
from sessiond.store.run_leases import STOP_TOPIC
from sessiond.waiting import Waits
from sessiond.worker.execution import Outcome, Provider, ToolAnswer, ToolSpec

log = logging.getLogger("sessiond.worker")

RUNTIME_ID = "builtin"
ACQUIRE_WAIT_S = 30
RETRY_S = 1.0
RELEASE_TRIES = 5  # a server that stops can't wait for its store for ever
FINISH_S = 2.0  # how long a drain waits for runs that are about to end


class Toolbox(Protocol):
    """The session tools, callable with a run's own authority."""

    def specs(self, allows: Callable[[str], bool]) -> list[ToolSpec]:
        """The tools that may be used, as a model is told of them."""

    async def call(self, caller: Caller, name: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        """Call one; a refusal is an answer too."""


@dataclass
class Running:
    """One run under way in this process."""

    assignment: Assignment
    db: Database
    rules: Rules
    toolbox: Toolbox
    appended: int = 0
    task: asyncio.Task[None] | None = None
    is_thinking: bool = True  # until its outcome is known, or it was told to stop: once, so that it can clean up
    is_cancelled: bool = False
    is_lost: bool = False
    history: list[Message] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.history = [decode(body) for body in self.assignment.history]
        self.input = decode(self.assignment.input)

    @property
    def run(self) -> Run:
        """The run."""
        return self.assignment.placed.run

    @property
    def lease(self) -> str:
        """Its lease token."""
        return str(self.assignment.lease_token)

    @property
    def session_key(self) -> str:
        """The key of its session."""
        return self.assignment.session.key

    @property
    def step(self) -> StepContext | None:
        """The exchange it is part of."""
        return self.assignment.context

    @property
    def tools(self) -> list[ToolSpec]:
        """The session tools that it may call."""
        return self.toolbox.specs(self.assignment.tools.allows)

    async def delta(self, text: str) -> None:
        """Show waiters a piece of what is being written."""
        await self._append(Delta(text))

    async def write(self, draft: Draft) -> None:
        """Append a message to the transcript."""
        await self._append(draft)

    async def call_tool(self, name: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        """Call a session tool as the agent of this run."""
        caller = Caller(CallerRole.AGENT, f"run {self.run.id}", run_token=self.assignment.run_token)
        return await self.toolbox.call(caller, name, arguments)

    async def _append(self, event: Brought) -> None:
        """Append once; a store that is away is waited for, since after that the lease tells whether to go on."""
        query = AppendQuery(self.lease, self.appended + 1, (event,))
        while True:
            try:
                done = await append_run_events(self.db, self.rules, query)
            except StoreUnavailable:
                await asyncio.sleep(RETRY_S)
            else:
                self.appended = done.next_sequence - 1
                return


class Worker:
    """Executes the runs of agents without a runtime of their own."""

    def __init__(
        self, db: Database, rules: Rules, waits: Waits, providers: Mapping[str, Provider], toolbox: Toolbox
    ) -> None:
        self._db = db
        self._rules = rules
        self._waits = waits
        self._providers = providers
        self._toolbox = toolbox
        self._running: dict[str, Running] = {}
        self._taking: asyncio.Task[None] | None = None

    async def run(self) -> None:
        """Take runs and keep them alive, for ever; what goes wrong here stops the server."""
        async with asyncio.TaskGroup() as tasks:
            self._taking = tasks.create_task(self._take_runs(tasks))
            tasks.create_task(self._keep_alive())

    async def release_all(self) -> None:
        """Let go of what does not end in a moment, so that another server, or the next start, takes it."""
        if self._taking is not None:  # it ends with the drain; what it has just taken would be nobody's otherwise
            await asyncio.wait([self._taking])
        tasks = [running.task for running in self._running.values() if running.task is not None]
        if tasks:
            await asyncio.wait(tasks, timeout=FINISH_S)
        left = list(self._running.values())
        # Begun before they are told to stop: each would give its own back then, and nobody would wait for that.
        releases = [asyncio.create_task(self._release(running)) for running in left]
        for running in left:
            if running.task is not None:
                running.task.cancel()
        await asyncio.gather(*releases)

    async def _take_runs(self, tasks: asyncio.TaskGroup) -> None:
        slots = sum(self._rules.runs.slots.values())
        plain = frozenset(model for model, provider in self._providers.items() if not provider.reads_history)
        query = AcquireQuery(
            RUNTIME_ID, max_runs=slots, wait_s=ACQUIRE_WAIT_S, is_external=False, without_history=plain
        )
        with Acquiring(self._db, self._rules, self._waits, query) as acquiring:
            while not self._waits.is_draining:
                try:
                    taken = await acquiring.next()
                except StoreUnavailable:
                    log.warning("the store is away; no runs are taken until it is back")
                    await asyncio.sleep(RETRY_S)
                    continue
                for assignment in taken:
                    await self._begin(assignment, tasks)

    async def _begin(self, assignment: Assignment, tasks: asyncio.TaskGroup) -> None:
        running = Running(assignment, self._db, self._rules, self._toolbox)
        if self._waits.is_draining:  # taken in the very moment in which the drain began
            await self._release(running)
            return
        self._running[running.run.id] = running
        running.task = tasks.create_task(self._execute(running))

    async def _execute(self, running: Running) -> None:
        outcome: Outcome | None = None
        with suppress(asyncio.CancelledError):
            outcome = await self._outcome(running)
        running.is_thinking = False
        try:
            if outcome is None and not running.is_cancelled:  # nobody stopped the run: this server stops
                await self._release(running)
            elif not running.is_lost:
                await self._complete(running, outcome)
        finally:
            del self._running[running.run.id]

    async def _release(self, running: Running) -> None:
        """Give it back; a store that is away is asked again, but what stops must come to an end."""
        if running.is_lost:
            return
        running.is_lost = True
        for _ in range(RELEASE_TRIES):
            try:
                await _unless_lost(release_run(self._db, self._rules, ReleaseQuery(running.lease, "DRAINING")))
            except StoreUnavailable:
                await asyncio.sleep(RETRY_S)
            else:
                return
        log.warning(
            "the store is away; a run can't be given back, and its lease runs out", extra={"run": running.run.id}
        )

    async def _outcome(self, running: Running) -> Outcome:
        provider = self._providers.get(running.run.model)
        if provider is None:
            return Outcome(Failure("MODEL_UNKNOWN", f"model {running.run.model!r} is not configured any more"))
        try:
            return await provider.execute(running)
        except LeaseLost:
            running.is_lost = True
            return Outcome("")
        except Refusal as refusal:
            return Outcome(Failure(refusal.reason, refusal.text))
        except Exception as fault:  # a run that can't be executed is told as failed; the others go on
            log.exception("a built-in runtime failed", extra={"run": running.run.id, "model": running.run.model})
            return Outcome(_fault(fault))

    async def _complete(self, running: Running, outcome: Outcome | None) -> None:
        """Say how it ended; a store that is away for a while is waited for, as long as the lease may last."""
        result = Cancelled() if outcome is None else outcome.result
        query = CompleteQuery(running.lease, result, outcome.usage if outcome else None)
        while True:
            try:
                await _unless_lost(complete_run(self._db, self._rules, query))
            except StoreUnavailable:
                await asyncio.sleep(RETRY_S)
            except Refusal as refusal:  # such as a reply that is too large to store
                query = CompleteQuery(running.lease, Failure(refusal.reason, refusal.text), query.usage)
            except Exception as fault:  # such as a reply that is no text; the others go on
                log.exception("a run could not be completed", extra={"run": running.run.id})
                if isinstance(query.outcome, Failure):
                    return  # not even that can be told; the lease runs out
                query = CompleteQuery(running.lease, _fault(fault))
            else:
                return

    async def _keep_alive(self) -> None:
        """Renew all leases together, and stop what is to stop; a hint that something is makes it look at once."""
        with self._waits.wake.listen(STOP_TOPIC) as changed:
            while True:
                changed.clear()
                if self._running:
                    await self._renew()
                await changed.wait_at_most(self._rules.runs.lease_ms / 3000)

    async def _renew(self) -> None:
        """Runs that wait have given their slots back, so that there may be more of them than one call takes."""
        by_lease = {running.lease: running for running in self._running.values()}
        leases = list(by_lease)
        for first in range(0, len(leases), MAX_LEASES):
            try:
                statuses = await heartbeat_runs(self._db, self._rules, leases[first : first + MAX_LEASES])
            except StoreUnavailable:
                return
            for status in statuses:
                _obey(by_lease[status.lease_token], status)


def _obey(running: Running, status: LeaseStatus) -> None:
    running.is_lost = running.is_lost or status.is_lost
    running.is_cancelled = running.is_cancelled or status.cancel_requested
    if (status.is_lost or status.cancel_requested) and running.is_thinking and running.task is not None:
        running.is_thinking = False
        running.task.cancel()


def _fault(fault: Exception) -> Failure:
    return Failure("RUNTIME_ERROR", f"the built-in runtime failed: {type(fault).__name__}")


async def _unless_lost(step: Any) -> None:
    """A lease that is lost is no error here: whoever took it away has said how the run goes on."""
    try:
        await step
    except LeaseLost:
        log.info("a lease was lost before its run could be completed")
