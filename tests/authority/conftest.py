"""Houses: built once on each database that is asked for, and copied for every test."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager, contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.authority.cast import Setting
from tests.authority.house import House, build, config
from tests.serving import Served, served
from tests.store.spare import spare_database

Open = Callable[[Setting, str], AbstractAsyncContextManager[tuple[Served, House]]]


class Houses:
    """Builds a house where there is none yet, and copies its store."""

    def __init__(self, folder: Path, postgres: Callable[[], sa.Engine]) -> None:
        self._folder = folder
        self._postgres = postgres
        self._built: dict[str, House] = {}

    @contextmanager
    def copy(self, setting: Setting, database: str, folder: Path) -> Iterator[tuple[str, House]]:
        """The URL of a copy. Sub-agents have tools, or not, from when they are spawned, so there are two houses."""
        name = f"{database}_{'lifted' if setting.lifts_tools else 'plain'}"
        if name not in self._built:
            self._built[name] = asyncio.run(self._build(name, setting))
        if database == "sqlite":
            shutil.copy(self._folder / name / "house.db", folder / "copy.db")
            yield f"sqlite:///{folder / 'copy.db'}", self._built[name]
        else:
            with spare_database(self._postgres(), "house_copy", f"TEMPLATE {name}") as url:
                yield url, self._built[name]

    async def _build(self, name: str, setting: Setting) -> House:
        folder = self._folder / name
        folder.mkdir()
        url = f"sqlite:///{folder / 'house.db'}"
        if name.startswith("postgresql"):  # left there: it goes with the whole server
            url = create_database(self._postgres(), name)
        async with served(folder, config(setting.sections, is_building=True), url) as server:
            return await build(server)


def create_database(server: sa.Engine, name: str) -> str:
    """An empty database on the test server; its URL."""
    with server.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
        connection.execute(sa.text(f"CREATE DATABASE {name}"))
    return server.url.set(database=name).render_as_string(hide_password=False)


@pytest.fixture(scope="session")
def houses(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Houses:
    """Every house of this run of the tests; PostgreSQL is started when one on it is asked for."""
    return Houses(tmp_path_factory.mktemp("houses"), lambda: request.getfixturevalue("postgres"))


@pytest.fixture
def open_house(houses: Houses, tmp_path: Path) -> Open:
    """A server with a setting, on a house that is the test's own."""

    @asynccontextmanager
    async def opened(setting: Setting, database: str) -> AsyncIterator[tuple[Served, House]]:
        with ExitStack() as stack:
            url, house = await asyncio.to_thread(stack.enter_context, houses.copy(setting, database, tmp_path))
            async with served(tmp_path, config(setting.sections), url) as server:
                yield server, house

    return opened
