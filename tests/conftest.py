"""What every test may ask for: a store on each database, and a clock that only moves when told."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Generator, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from sessiond.store.database import Database
from sessiond.store.migrations import migrate
from sessiond.store.opening import engine_of, open_database
from tests.fakes.clock import ManualClock
from tests.postgres import empty, migrated, running_postgres

# Tests start processes while they hold gRPC connections; gRPC's handlers for forks are no use there, and do harm. It
# reads this when it is first imported, which nothing above does.
os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "0"


@pytest.fixture(scope="session")
def postgres() -> Iterator[sa.Engine]:
    """One PostgreSQL server for the whole run; in a folder of its own, since pytest clears away those of other runs."""
    with tempfile.TemporaryDirectory(prefix="st-pg-") as folder, running_postgres(Path(folder)) as url:
        engine = migrated(url)
        yield engine
        engine.dispose()


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file with the schema and no rows, to be copied."""
    file = tmp_path_factory.mktemp("template") / "template.db"
    engine = engine_of(f"sqlite:///{file}")
    migrate(engine)
    engine.dispose()
    return file


@pytest.fixture
def clock() -> ManualClock:
    """The database's clock, in the test's hands."""
    return ManualClock()


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty store on each database in turn; with its schema, since making that anew for each test takes time."""
    if request.param == "sqlite":
        shutil.copy(request.getfixturevalue("sqlite_template"), tmp_path / "test.db")
        return f"sqlite:///{tmp_path / 'test.db'}"
    engine: sa.Engine = request.getfixturevalue("postgres")
    empty(engine)
    return engine.url.render_as_string(hide_password=False)


@pytest.fixture
async def db(store_url: str, clock: ManualClock) -> AsyncIterator[Database]:
    """An open store; closing it proves that every connection came back."""
    database = await open_database(store_url, on_commit=lambda topics: None, clock=clock)
    yield database
    assert database.connections_in_use == 0
    await database.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Reports travel between processes as UTF-8, and some tests have texts logged on purpose that are none."""
    report = yield
    report.sections = [(name, text.encode(errors="backslashreplace").decode()) for name, text in report.sections]
    return report
