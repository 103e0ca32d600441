"""The engine as a fixture, for every test module that names this one in its `pytest_plugins`."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from sessiond.store.opening import open_database
from tests.fakes.clock import ManualClock
from tests.runtime.engine import Engine, WatchedWake


@pytest.fixture
async def engine(store_url: str, clock: ManualClock) -> AsyncIterator[Engine]:
    """An engine on each database; closing it proves that every connection came back."""
    wake = WatchedWake()
    db = await open_database(store_url, on_commit=wake.publish, clock=clock)
    yield Engine(db, clock, wake)
    assert db.connections_in_use == 0
    assert not wake._listeners
    await db.close()
