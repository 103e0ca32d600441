"""The last moment of a server: what comes then is refused with a reason, before gRPC would cancel it without one (X4).

gRPC cancels whatever has come but was not yet handed to us when it stops, and under load there always is something. So
just before, those who come are kept waiting: each caller that has a call here makes no other. When nothing else is
under way and nobody else comes, gRPC stops, and only then are they answered, on connections that have been told so.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from sessiond.model.errors import Draining

# Whoever was answered asks again sooner than so many looks, so long apart, if at all. Looks are counted and not the
# time: an event loop with much to do hears late of who has come.
QUIET_LOOKS = 15
LOOK_S = 0.01
# Some callers never stop; those are not waited for.
AT_MOST_S = 2.0
# Who has not called for so long does not do so just now.
IDLE_S = 1.0


class Door:
    """Every call but those for health comes through here; when it is shut, it stays until it is refused."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._latest_s = now() - IDLE_S  # when somebody came
        self._under_way = 0  # until gRPC is done with them
        self._kept = 0  # of these, those that wait to be refused
        self._is_shut = False
        self._refusing = asyncio.Event()

    async def enter(self, context: Any) -> None:  # gRPC's; its types know of no callback that could be given to it
        """Go on, or be refused when all are."""
        self._latest_s = self._now()
        self._under_way += 1
        context.add_done_callback(self._leave)
        if self._is_shut:
            self._kept += 1
            try:
                await self._refusing.wait()
            finally:  # who gives up is under way no longer
                self._kept -= 1
            raise Draining

    def _leave(self, context: Any) -> None:
        self._under_way -= 1

    async def shut(self) -> None:
        """Keep all who come waiting, until there is nobody else."""
        self._is_shut = True
        until_s = self._now() + AT_MOST_S
        quiet, seen_s = 0, self._latest_s
        while quiet < QUIET_LOOKS and self._now() < until_s and not self._is_idle:
            await asyncio.sleep(LOOK_S)
            quiet = quiet + 1 if self._latest_s == seen_s and self._under_way == self._kept else 0
            seen_s = self._latest_s

    @property
    def _is_idle(self) -> bool:
        return not self._under_way and self._now() - self._latest_s >= IDLE_S

    def refuse_all(self) -> None:
        """Answer those who wait, and at once whoever still comes."""
        self._refusing.set()
