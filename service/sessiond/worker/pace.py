"""A share of the event loop's time for what nobody waits for: a little work at a time, and rests in proportion to it.

Such work is done on the event loop, not on a thread. A thread that computes takes the interpreter's lock whenever the
loop lets go of it for a system call, and keeps it for 5 ms; all calls stand still for as long as it computes.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Coroutine, Generator
from time import perf_counter, thread_time
from types import coroutine
from typing import Any, ParamSpec, TypeVar

SLICE_S = 0.0005  # what is done at once, unless a single step takes longer
AHEAD_S = 0.1  # so much time that passed before counts as rest, so that one who was kept waiting makes up for it
BUSY = 0.8  # of the time that is not ours, used by the thread

Params = ParamSpec("Params")
Result = TypeVar("Result")


class Pace:
    """How fast a task may go: for each moment of work so many pass in which it rests or waits.

    `busy_rest_share` counts instead while the event loop's thread is busy most of the time, with whatever.
    """

    def __init__(
        self,
        rest_share: float = 0,
        clock: Callable[[], float] = perf_counter,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        *,
        busy_rest_share: float | None = None,
        used: Callable[[], float] = thread_time,
    ) -> None:
        self._rest_share = rest_share
        self._busy_rest_share = rest_share if busy_rest_share is None else busy_rest_share
        self._clock = clock
        self._sleep = sleep
        self._used = used
        self._seen_s, self._seen_used_s = clock(), used()  # when we last looked how busy the thread is
        self._done_s = 0.0  # work since the last rest, but for the step that is being done
        self._began_s: float | None = None  # that step, if there is one: else it waits for something
        self._rested_s = -math.inf  # when it has rested for everything before

    def hurry(self) -> None:
        """From now on without rests, though everything else still has its turn: somebody waits for the end."""
        self._rest_share, self._busy_rest_share, self._rested_s = 0, 0, -math.inf

    @coroutine
    def keep(self, task: Coroutine[Any, Any, Result]) -> Generator[Any, Any, Result]:
        """Await the task, and count the time that it takes itself, not that in which it waits."""
        go_on: Callable[[Any], Any] = task.send
        what: BaseException | None = None
        while True:
            self._began_s = self._clock()
            try:
                awaited = go_on(what)
            except StopIteration as end:
                result: Result = end.value
                return result
            finally:
                self._done_s, self._began_s = self._worked_s(), None
            try:
                yield awaited
            except BaseException as raised:  # noqa: BLE001 - for the task to catch
                go_on, what = task.throw, raised
            else:
                go_on, what = task.send, None

    async def in_thread(self, do: Callable[Params, Result], *args: Params.args, **named: Params.kwargs) -> Result:
        """For what blocks, or is too large for a slice; what it computes there counts as work."""

        def timed() -> tuple[Result, float]:
            began_s = thread_time()
            return do(*args, **named), thread_time() - began_s

        result, worked_s = await asyncio.to_thread(timed)
        self._done_s += worked_s
        return result

    async def breathe(self) -> None:
        """To be awaited after each small step: rests once a slice was worked."""
        if self._worked_s() >= SLICE_S:
            await self.rest()

    async def rest(self, at_least_s: float = 0) -> None:
        """Rest for what was worked since the last time, as far as time has not passed anyway."""
        now_s, worked_s = self._clock(), self._worked_s()
        self._done_s = 0.0
        if self._began_s is not None:
            self._began_s = now_s
        self._rested_s = max(self._rested_s, now_s - worked_s - AHEAD_S) + (1 + self._share(now_s, worked_s)) * worked_s
        await self._sleep(max(at_least_s, self._rested_s - now_s))

    def _share(self, now_s: float, worked_s: float) -> float:
        """How much rest is due for a moment of work, by how busy others kept the thread since we last looked."""
        used_s = self._used()
        is_busy = used_s - self._seen_used_s - worked_s > BUSY * (now_s - self._seen_s - worked_s)
        self._seen_s, self._seen_used_s = now_s, used_s
        return self._busy_rest_share if is_busy else self._rest_share

    def _worked_s(self) -> float:
        return self._done_s + (0 if self._began_s is None else self._clock() - self._began_s)
