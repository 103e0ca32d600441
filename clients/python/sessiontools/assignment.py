"""A run as the program that executes it sees it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from enum import StrEnum
from typing import TYPE_CHECKING

from sessiontools.errors import SessionToolsError
from sessiontools.pauses import Clock
from sessiontools.taking import persist
from sessiontools.texts import valid
from sessiontools.v1.error_reason_pb2 import ERROR_REASON_LEASE_LOST
from sessiontools.v1.runtime_service_pb2 import (
    AppendRunEventsRequest,
    AppendRunEventsResponse,
    RunAssignment,
    RunEvent,
)

if TYPE_CHECKING:
    from sessiontools.client import Client

UNKNOWN = 0  # only the server knows the number of the next event


class Stop(StrEnum):
    """Why a run was told to stop."""

    CANCELLED = "cancelled"
    """Somebody cancelled the run; it is ended as cancelled."""
    LEASE_LOST = "lease lost"
    """The run is no longer this runtime's; it is left alone."""
    SHUTDOWN = "shutdown"
    """The runtime ends; the run is given back, for another to take."""


class Assignment:
    """One run to execute, with all that is needed for it."""

    assigned: RunAssignment
    """The run, its session, the history and the input, as the server told them."""
    agent: Client
    """Calls the session tools with the authority of this run, for as long as the run goes on."""
    stopped: Stop | None
    """Why its task was cancelled. None while the run goes on."""

    def __init__(self, client: Client, clock: Clock, assigned: RunAssignment, stop: Callable[[Stop], None]) -> None:
        self.assigned, self.stopped = assigned, None
        self.agent = client.with_token(assigned.run_token)
        self._client, self._clock, self._stop = client, clock, stop
        self._appending = asyncio.Lock()
        self._next = 1

    @property
    def run_id(self) -> str:
        """The id of the run."""
        return self.assigned.run.id

    @property
    def text(self) -> str:
        """The text of the message to answer."""
        return "".join(block.text.text for block in self.assigned.input.content)

    async def delta(self, text: str) -> None:
        """Show a piece of the reply to those who wait for the run."""
        await self.append(RunEvent(delta=valid(text)))

    async def append(self, *events: RunEvent) -> None:
        """Store what the run brings forth, each event once, and try until there is an answer."""
        async with self._appending:
            if self._next == UNKNOWN:
                await self._append()
            await self._append(*events)

    async def _append(self, *events: RunEvent) -> None:
        request = AppendRunEventsRequest(
            lease_token=self.assigned.lease_token, first_sequence=self._next or 1, events=events
        )
        self._next = UNKNOWN  # until there is an answer
        answer = await persist(self._clock, lambda: self._try_to_append(request))
        self._next = answer.next_sequence
        if answer.cancel_requested:
            self._stop(Stop.CANCELLED)

    async def _try_to_append(self, request: AppendRunEventsRequest) -> AppendRunEventsResponse:
        try:
            return await self._client.AppendRunEvents(request)
        except SessionToolsError as refusal:
            if refusal.has_reason(ERROR_REASON_LEASE_LOST):
                self._stop(Stop.LEASE_LOST)
            raise


Execute = Callable[[Assignment], Awaitable[str]]
