"""The loop of whoever takes work from the server."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Generic, NoReturn, TypeVar

from sessiontools.errors import SessionToolsError, is_temporary
from sessiontools.pauses import Clock, Pauses

# A poll is short and is never given up, since what the server hands out to a caller that has left stays taken until its
# lease ends. An orderly end waits for at most one poll.
POLL_SECONDS = 5
POLL_TIMEOUT_S = POLL_SECONDS + 10
log = logging.getLogger("sessiontools")
Item = TypeVar("Item")
Answer = TypeVar("Answer")


class Taking(Generic[Item]):
    """Ask for as much work as there are free places, do it, ask again.

    `ask` is a long poll of `POLL_SECONDS` for so many. `work` raises only what makes it senseless to go on with other
    work. It is never cancelled: `stop` is called once at the end, to make it come to its own.
    """

    def __init__(
        self,
        clock: Clock,
        places: int,
        ask: Callable[[int], Awaitable[Sequence[Item]]],
        work: Callable[[Item], Awaitable[None]],
        stop: Callable[[], None],
    ) -> None:
        self._places = max(places, 1)
        self._ask, self._work, self._stop = ask, work, stop
        self._pauses = Pauses(clock)
        self._polling: asyncio.Task[None] | None = None
        self._working: set[asyncio.Task[None]] = set()

    async def serve(self, *beside: asyncio.Task[Any]) -> NoReturn:
        """Go on until cancelled, or until something fails for good: a poll, work, or one of the tasks beside it."""
        try:
            while True:
                self._poll_if_there_is_room()
                await self._next_end(*beside)
        finally:
            self._stop()
            await self._all_ended()

    def _poll_if_there_is_room(self) -> None:
        if self._polling is None and (room := self._places - len(self._working)) > 0:
            self._polling = asyncio.create_task(self._poll(room))

    async def _next_end(self, *beside: asyncio.Task[Any]) -> None:
        """Wait until something has ended, and raise what it failed with."""
        ended, _ = await asyncio.wait({*self._tasks(), *beside}, return_when=asyncio.FIRST_COMPLETED)
        self._forget(ended)
        for task in ended:
            task.result()

    async def _all_ended(self) -> None:
        """Wait until the poll under way is answered, and until all work is done, that of this answer included."""
        if self._polling:
            self._polling.cancel()
        while tasks := self._tasks():
            ended, _ = await asyncio.wait(tasks)
            self._forget(ended)
            for problem in (task.exception() for task in ended if not task.cancelled()):
                if problem:
                    log.warning("failed at the end: %s", problem)

    def _tasks(self) -> set[asyncio.Task[None]]:
        return self._working | ({self._polling} if self._polling else set())

    def _forget(self, ended: set[asyncio.Task[Any]]) -> None:
        self._working -= ended
        if self._polling in ended:
            self._polling = None

    async def _poll(self, room: int) -> None:
        """One poll, or a pause when the server is away."""
        try:
            await uncancelled(self._take(room))
        except SessionToolsError as failure:
            if not is_temporary(failure):
                raise
            await self._pauses.after(failure)

    async def _take(self, room: int) -> None:
        for item in await self._ask(room):
            self._working.add(asyncio.ensure_future(self._work(item)))
        self._pauses.reset()


async def uncancelled(work: Awaitable[Answer]) -> Answer:
    """Its result; a cancellation counts only once it has ended."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise


async def persist(clock: Clock, call: Callable[[], Awaitable[Answer]]) -> Answer:
    """Repeat a call until it has an answer."""
    pauses = Pauses(clock)
    while True:
        try:
            return await call()
        except SessionToolsError as failure:
            if not is_temporary(failure):
                raise
            await pauses.after(failure)
