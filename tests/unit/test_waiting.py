"""How many waits there are, and that the last of them has ended."""

from __future__ import annotations

import asyncio

from sessiond.model.callers import Caller, CallerRole
from sessiond.model.rules import WaitRules
from sessiond.waiting import Waits
from sessiond.wake import Wake

ONE, OTHER = Caller(CallerRole.OWNER, "one"), Caller(CallerRole.OWNER, "other")


async def test_a_drain_can_wait_for_the_last_of_all_waits() -> None:  # X4
    waits = Waits(Wake(), WaitRules())
    await waits.have_ended()  # there was none yet

    with waits.slot(ONE):
        with waits.slot(OTHER):
            ended = asyncio.create_task(waits.have_ended())
        await asyncio.wait([ended], timeout=0)
        assert not ended.done()

    await ended
