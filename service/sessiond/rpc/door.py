"""The last moment of a server: what comes then is refused with a reason, before gRPC would cancel it without one (X4).

gRPC cancels whatever has come but was not yet handed to us when it stops, and under load there always is something. So
just before, those who come are kept waiting: each caller that has a call here makes no other. When nobody else comes,
gRPC stops, and only then are they answered, on connections that have been told so.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from sessiond.model.errors import Draining

# Whoever was answered asks again sooner than so many looks, so long apart, if at all. Looks are counted and not the
# time: an event loop with much to do, such as the ends of thousands of waits, hears late of who has come.
QUIET_LOOKS = 30
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
        self._is_shut = False
        self._refusing = asyncio.Event()

    async def enter(self) -> None:
        """Go on, or be refused when all are."""
        self._latest_s = self._now()
        if self._is_shut:
            await self._refusing.wait()
            raise Draining

    async def shut(self) -> None:
        """Keep all who come waiting, until there is nobody else."""
        self._is_shut = True
        until_s = self._now() + AT_MOST_S
        quiet, seen_s = 0, self._latest_s
        while quiet < QUIET_LOOKS and self._now() < until_s and not self._is_idle:
            await asyncio.sleep(LOOK_S)
            quiet = quiet + 1 if self._latest_s == seen_s else 0
            seen_s = self._latest_s

    @property
    def _is_idle(self) -> bool:
        return self._now() - self._latest_s >= IDLE_S

    def refuse_all(self) -> None:
        """Answer those who wait, and at once whoever still comes."""
        self._refusing.set()
