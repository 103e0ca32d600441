"""A run under way, and how it ends."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from sessiontools.assignment import Assignment, Execute, Stop
from sessiontools.pauses import Clock
from sessiontools.texts import valid
from sessiontools.v1.runtime_service_pb2 import RunAssignment

if TYPE_CHECKING:
    from sessiontools.client import Client


class Execution:
    """What the program is given of a run, and the task that it executes it in."""

    def __init__(self, client: Client, clock: Clock, assigned: RunAssignment, execute: Execute) -> None:
        self.run = Assignment(client, clock, assigned, self.stop)
        self._task = asyncio.create_task(self._execute(execute))

    @property
    def lease_token(self) -> str:
        """What the server knows it by."""
        return self.run.assigned.lease_token

    @property
    def lease_seconds(self) -> int:
        """How long the run is this runtime's from each renewal."""
        return self.run.assigned.lease_seconds

    def stop(self, why: Stop) -> None:
        """Cancel the task, once: the first reason counts."""
        if self.run.stopped is None:
            self.run.stopped = why
            self._task.cancel()

    async def outcome(self) -> str | BaseException:
        """The reply, or what was raised instead."""
        [outcome] = await asyncio.gather(self._task, return_exceptions=True)
        return outcome

    async def _execute(self, execute: Execute) -> str:
        return valid(await execute(self.run))
