"""The stage as a fixture, for every test module that names this one in its `pytest_plugins`."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from sessiond.store.opening import open_database
from sessiond.wake import Wake
from tests.exchanges.stage import RULES, Stage
from tests.fakes.clock import ManualClock

pytest_plugins = ("tests.runtime.fixtures",)


@pytest.fixture
async def stage(engine_url: str, clock: ManualClock) -> AsyncIterator[Stage]:
    """An empty stage on each database; closing it proves that every connection came back."""
    wake = Wake()
    db = await open_database(engine_url, on_commit=wake.publish, clock=clock)
    yield Stage(db, RULES, wake)
    assert db.connections_in_use == 0
    await db.close()
