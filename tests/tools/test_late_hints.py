"""What happens while the first look of a wait is being told is not slept over (W7)."""

from __future__ import annotations

import asyncio

from tests.runtime.engine import LONG_S, Engine
from tests.runtime.reading import end_of, stream

pytest_plugins = ["tests.runtime.fixtures"]


async def test_a_run_that_ends_while_its_snapshot_is_read_is_told_at_once(engine: Engine) -> None:
    lease = await engine.running()
    told = stream(engine, lease.placed.run.id, heartbeat_s=2 * LONG_S)

    async with asyncio.timeout(LONG_S):
        snapshot = await anext(told)
        await engine.complete(lease, "the reply")
        seen = [each async for each in told]

    assert snapshot.HasField("snapshot")
    assert end_of(seen) == "RUN_TERMINAL"
