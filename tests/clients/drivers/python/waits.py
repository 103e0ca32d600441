"""A wait that is taken from piece by piece."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from sessiontools import SessionToolsError
from sessiontools.v1.session_tools_service_pb2 import WaitRunResponse
from tests.clients.drivers.python.wire import CANCELLED, Command, answer, encoded, failure


class Wait:
    """One wait_run, each take of which is a task."""

    def __init__(self, events: AsyncGenerator[WaitRunResponse, None]) -> None:
        self._events = events
        self._taking: asyncio.Task[str] | None = None
        self._is_cancelled = False
        self._one_at_a_time = asyncio.Lock()

    async def take(self, command: Command) -> None:
        """Answer with messages, and with how that ended."""
        outcome: str | BaseException
        async with self._one_at_a_time:
            self._taking = asyncio.create_task(self._take(command, command.get("count", 1)))
            [outcome] = await asyncio.gather(self._taking, return_exceptions=True)
        if self._is_cancelled:
            answer(command, error=CANCELLED)
        elif isinstance(outcome, SessionToolsError):
            answer(command, error=failure(outcome))
        elif isinstance(outcome, BaseException):
            raise outcome
        else:
            answer(command, **{outcome: True})

    async def cancel(self) -> None:
        """As a caller does: by cancelling the task that waits, or by closing a wait that nobody reads."""
        self._is_cancelled = True
        if self._taking and not self._taking.done():
            self._taking.cancel()
        else:
            await self._events.aclose()

    async def _take(self, command: Command, count: int) -> str:
        for _ in range(count):
            event = await anext(self._events, None)
            if event is None:
                return "end"
            answer(command, event=encoded(event))
        return "done"
