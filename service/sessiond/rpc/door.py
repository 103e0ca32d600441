"""The last moment of a server: what comes then is refused with a reason, before gRPC would cancel it without one (X4).

gRPC cancels whatever has come but was not yet handed to us when it stops, and under load there always is something. So
just before, those who come are kept waiting: each caller that has a call here makes no other. When nobody else comes,
gRPC stops, and only then are they answered, on connections that have been told to go elsewhere.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from sessiond.model.errors import Draining

# Whoever was answered asks again sooner than this, if at all.
QUIET_S = 0.1
# Some callers never stop; those are not waited for.
AT_MOST_S = 1.0


class Door:
    """Every call comes through here; when it is shut, it stays until it is refused."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._latest_s = -QUIET_S
        self._is_shut = False
        self._refused = asyncio.Event()

    async def enter(self) -> None:
        """Go on, or be refused when all are."""
        self._latest_s = self._now()
        if self._is_shut:
            await self._refused.wait()
            raise Draining

    async def shut(self) -> None:
        """Keep all who come waiting, until nobody does any more."""
        self._is_shut = True
        until_s = self._now() + AT_MOST_S
        # That nobody comes is no event which could be awaited.
        while (rest_s := min(self._latest_s + QUIET_S, until_s) - self._now()) > 0:  # noqa: ASYNC110
            await asyncio.sleep(rest_s)

    def refuse_all(self) -> None:
        """Answer those who wait, and at once whoever still comes."""
        self._refused.set()
