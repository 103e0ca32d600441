"""The engine as a fixture, for every test module that names this one in its `pytest_plugins`."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from sessiond.store.opening import engine_of, open_database
from sessiond.store.schema import metadata
from tests.fakes.clock import ManualClock
from tests.postgres import migrated
from tests.runtime.engine import POOL_SIZE, Engine, WatchedWake


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A migrated SQLite database: a copy of it costs a hundredth of another migration."""
    file = tmp_path_factory.mktemp("engine") / "migrated.db"
    migrated(engine_of(f"sqlite:///{file}").url).dispose()
    return file


@pytest.fixture(params=["sqlite", "postgresql"])
def engine_url(request: pytest.FixtureRequest, tmp_path: Path, migrated_file: Path) -> str:
    """An empty store on each database in turn."""
    if request.param == "sqlite":
        file = shutil.copy(migrated_file, tmp_path / "test.db")
        return f"sqlite:///{file}"
    postgres: sa.Engine = request.getfixturevalue("postgres")
    with postgres.begin() as connection:  # few rows are deleted much faster than many tables are truncated
        for table in metadata.sorted_tables:
            connection.execute(sa.delete(table))
    return postgres.url.render_as_string(hide_password=False)


@pytest.fixture
async def engine(engine_url: str, clock: ManualClock) -> AsyncIterator[Engine]:
    """An engine on each database; closing it proves that every connection came back."""
    wake = WatchedWake()
    db = await open_database(engine_url, on_commit=wake.publish, pool_size=POOL_SIZE, clock=clock)
    yield Engine(db, clock, wake)
    assert db.connections_in_use == 0
    assert not wake._listeners
    await db.close()
