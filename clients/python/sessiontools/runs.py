"""The loop of a runtime."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

import grpc

from sessiontools.assignment import Execute, Stop
from sessiontools.errors import SessionToolsError
from sessiontools.execution import Execution
from sessiontools.leases import Leases
from sessiontools.pauses import Clock
from sessiontools.taking import POLL_SECONDS, POLL_TIMEOUT_S, Taking, persist
from sessiontools.texts import told, valid
from sessiontools.v1.error_reason_pb2 import ERROR_REASON_LEASE_LOST
from sessiontools.v1.run_pb2 import RunFailure
from sessiontools.v1.runtime_service_pb2 import (
    AcquireRunsRequest,
    Cancelled,
    CompleteRunRequest,
    ReleaseRunRequest,
    RunAssignment,
)

if TYPE_CHECKING:
    from sessiontools.client import Client

# It is this reply that the server does not take, since it is too large or not as it should be.
REFUSED_OUTCOME = frozenset({grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.RESOURCE_EXHAUSTED})
log = logging.getLogger("sessiontools")
Call = Callable[[], Awaitable[Any]]


class RunError(Exception):
    """Raised by the function that executes a run, to tell how it failed."""

    def __init__(self, reason: str, message: str = "", *, retryable: bool = False) -> None:
        """`reason` is a word for programs, `message` a sentence for people.

        `retryable` is true when the same message may succeed if sent again.
        """
        super().__init__(f"{reason}: {message}" if message else reason)
        self.reason, self.message, self.retryable = reason, message, retryable


class Runtime:
    """One call of `serve_runs`."""

    def __init__(
        self,
        client: Client,
        clock: Clock,
        execute: Execute,
        runtime_id: str,
        agent_ids: Sequence[str],
        max_runs: int,
        heartbeat_seconds: float,
    ) -> None:
        self._client, self._clock, self._execute = client, clock, execute
        self._request = AcquireRunsRequest(runtime_id=runtime_id, agent_ids=agent_ids, wait_seconds=POLL_SECONDS)
        self._leases = Leases(client, clock, heartbeat_seconds)
        self._taking = Taking(clock, max_runs, self._ask, self._run, self._stop)
        self._is_ending = False

    async def serve(self) -> NoReturn:
        """Until cancelled or refused; leases are renewed until the last run is done."""
        beating = asyncio.create_task(self._leases.beat())
        try:
            await self._taking.serve(beating)
        finally:
            beating.cancel()
            await asyncio.gather(beating, return_exceptions=True)

    async def _ask(self, at_most: int) -> Sequence[RunAssignment]:
        self._request.max_runs = at_most
        return (await self._client.AcquireRuns(self._request, timeout=POLL_TIMEOUT_S)).runs

    def _stop(self) -> None:
        self._is_ending = True
        self._leases.stop()

    async def _run(self, assigned: RunAssignment) -> None:
        execution = Execution(self._client, self._clock, assigned, self._execute)
        if self._is_ending:  # taken by the last poll
            execution.stop(Stop.SHUTDOWN)
        with self._leases.holding(execution):
            outcome = await execution.outcome()
            if execution.run.stopped is not Stop.LEASE_LOST:
                await self._end(execution, outcome)

    async def _end(self, execution: Execution, outcome: str | BaseException) -> None:
        """Make the last call of a run until it has an answer, for as long as a lease lasts."""
        try:
            async with asyncio.timeout(execution.lease_seconds):
                await self._tell(execution, outcome)
        except TimeoutError:
            log.warning("the end of run %s could not be stored in time", execution.run.run_id)
        except SessionToolsError as refusal:
            if not refusal.has_reason(ERROR_REASON_LEASE_LOST):
                raise
            log.warning("the end of run %s was not stored: %s", execution.run.run_id, refusal)

    async def _tell(self, execution: Execution, outcome: str | BaseException) -> None:
        try:
            await persist(self._clock, self._ending(execution, outcome))
        except SessionToolsError as refusal:
            if refusal.code not in REFUSED_OUTCOME:
                raise
            failure = RunFailure(reason=refusal.reason or refusal.code.name, message=refusal.message)
            await persist(self._clock, self._complete(execution, failure=failure))

    def _ending(self, execution: Execution, outcome: str | BaseException) -> Call:
        """The call that ends the run, for what became of it."""
        if isinstance(outcome, str):
            return self._complete(execution, reply=outcome)
        match execution.run.stopped:
            case Stop.CANCELLED:
                return self._complete(execution, cancelled=Cancelled())
            case Stop.SHUTDOWN:
                request = ReleaseRunRequest(lease_token=execution.lease_token, reason="shutdown")
                return partial(self._client.ReleaseRun, request)
            case _:
                log.error("run %s failed", execution.run.run_id, exc_info=outcome)
                return self._complete(execution, failure=failure_of(outcome))

    def _complete(self, execution: Execution, **outcome: Any) -> Call:
        request = CompleteRunRequest(lease_token=execution.lease_token, **outcome)
        return partial(self._client.CompleteRun, request)


def failure_of(problem: BaseException) -> RunFailure:
    """How a run failed, for everybody who waits for it."""
    if isinstance(problem, RunError):
        return RunFailure(reason=valid(problem.reason), message=valid(problem.message), retryable=problem.retryable)
    return RunFailure(reason="RUNTIME_ERROR", message=told(problem))
