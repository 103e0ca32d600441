"""The leases that a runtime holds."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

from sessiontools.assignment import Stop
from sessiontools.errors import SessionToolsError, is_temporary
from sessiontools.execution import Execution
from sessiontools.pauses import Clock
from sessiontools.v1.runtime_service_pb2 import HeartbeatRunsRequest, LeaseStatus

if TYPE_CHECKING:
    from sessiontools.client import Client

# The server takes so many leases in one call.
MAX_LEASES = 1000
log = logging.getLogger("sessiontools")


class Leases:
    """Renewed with one call for all of them; what the answer says to stop is stopped."""

    def __init__(self, client: Client, clock: Clock, heartbeat_seconds: float) -> None:
        self._client, self._clock = client, clock
        self._heartbeat_seconds = heartbeat_seconds
        self._held: dict[str, Execution] = {}
        self._is_needed = asyncio.Event()

    @contextmanager
    def holding(self, execution: Execution) -> Iterator[None]:
        """Renew this one, too."""
        self._held[execution.lease_token] = execution
        self._is_needed.set()
        try:
            yield
        finally:
            del self._held[execution.lease_token]

    def stop(self) -> None:
        """Stop every run, since the runtime ends."""
        for execution in self._held.values():
            execution.stop(Stop.SHUTDOWN)

    async def beat(self) -> NoReturn:
        """Renew until cancelled, or until the server refuses the runtime."""
        while True:
            await self._is_needed.wait()
            await self._clock.sleep(min(self._heartbeat_seconds, self._third()))
            try:
                await self._renew()
            except SessionToolsError as failure:
                if not is_temporary(failure):
                    raise
            if not self._held:
                self._is_needed.clear()

    def _third(self) -> float:
        """A third of a lease, so that two heartbeats may be lost. All leases of one server last equally long."""
        return next((each.lease_seconds for each in self._held.values()), 0) / 3

    async def _renew(self) -> None:
        tokens, timeout = [*self._held], self._third()  # a connection that hangs must not cost the leases
        for start in range(0, len(tokens), MAX_LEASES):
            request = HeartbeatRunsRequest(leases=tokens[start : start + MAX_LEASES])
            answer = await self._client.HeartbeatRuns(request, timeout=timeout)
            for status in answer.leases:
                self._obey(status)

    def _obey(self, status: LeaseStatus) -> None:
        execution = self._held.get(status.lease_token)
        if execution is None:  # ended while the call was under way
            return
        if status.lost:
            log.warning("the lease of run %s was lost", execution.run.run_id)
            execution.stop(Stop.LEASE_LOST)
        elif status.cancel_requested:
            execution.stop(Stop.CANCELLED)
