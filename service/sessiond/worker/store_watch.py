"""Looks after the store every few seconds, so that health tells when it is away and when it is back (X3)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from sessiond.model.errors import StoreUnavailable
from sessiond.store.database import Database
from sessiond.store.probe import probe

INTERVAL_S = 2.0


async def watch_store(db: Database, set_serving: Callable[[bool, str], None], interval_s: float = INTERVAL_S) -> None:
    """Tell `set_serving` whether the store answers, for ever."""
    while True:
        try:
            await db.read(probe)
        except StoreUnavailable:
            set_serving(False, "store")
        else:
            set_serving(True, "store")
        await asyncio.sleep(interval_s)
