"""Works on PostgreSQL that wait for each other in their middle."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from sessiond.store.database import Database
from sessiond.store.switching import wait_for


def wait_here(coroutine: Coroutine[Any, Any, Any]) -> None:
    """Wait in the middle of a work, while its transaction stays open."""
    wait_for(asyncio.wait_for(coroutine, 10), asyncio.get_running_loop())


async def take_all(db: Database, connections: int) -> None:
    """Return once so many works had a connection at the same time."""
    together = asyncio.Barrier(connections)
    await asyncio.gather(*(db.read(lambda tx: wait_here(together.wait())) for _ in range(connections)))
