"""Looks after the store every few seconds, so that health tells when it is away, back, or far behind (X3)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from sessiond.model.errors import StoreUnavailable
from sessiond.store.backlog import backlog
from sessiond.store.database import Database
from sessiond.store.probe import probe

INTERVAL_S = 2.0
WORK_INTERVAL_S = 5.0

Tell = Callable[[bool, str], None]


async def watch_store(db: Database, set_serving: Tell, interval_s: float = INTERVAL_S) -> None:
    """Tell `set_serving` whether the store answers, for ever."""
    while True:
        try:
            await db.read(probe)
        except StoreUnavailable:
            set_serving(False, "store")
        else:
            set_serving(True, "store")
        await asyncio.sleep(interval_s)


async def watch_work(db: Database, set_working: Tell, max_age_s: float, interval_s: float = WORK_INTERVAL_S) -> None:
    """Tell `set_working` whether the oldest due work is younger than the limit, for ever; 0 = no limit."""
    while max_age_s:
        try:
            found = await db.read(backlog)
        except StoreUnavailable:  # told by watch_store
            pass
        else:
            set_working(found.age_s <= max_age_s, "backlog")
        await asyncio.sleep(interval_s)
