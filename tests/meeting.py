"""Works on PostgreSQL that wait for each other in their middle."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import sqlalchemy as sa

from sessiond.store.database import Database
from sessiond.store.statement import Statement
from sessiond.store.switching import wait_for
from sessiond.store.transaction import Tx

_BLOCKED = Statement("who waits for a lock", sa.text("SELECT count(*) FROM pg_locks WHERE NOT granted"))


def wait_here(coroutine: Coroutine[Any, Any, Any]) -> None:
    """Wait in the middle of a work, while its transaction stays open."""
    wait_for(asyncio.wait_for(coroutine, 10), asyncio.get_running_loop())


def until_somebody_is_blocked(tx: Tx) -> None:
    """Return once somebody waits for a lock."""
    while not tx.rows(_BLOCKED)[0][0]:
        pass


async def take_all(db: Database, connections: int) -> None:
    """Return once so many works had a connection at the same time."""
    together = asyncio.Barrier(connections)
    await asyncio.gather(*(db.read(lambda tx: wait_here(together.wait())) for _ in range(connections)))
