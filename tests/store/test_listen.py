"""Hints between replicas on PostgreSQL: every commit is told once in each process (W7)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import pytest
import sqlalchemy as sa

from sessiond.store.database import Database
from sessiond.store.opening import open_database
from sessiond.store.postgres import CommitUnknown, PostgresDatabase
from sessiond.store.transaction import Tx
from tests.postgres import empty

PATIENCE_S = 10


class Replica:
    """A store that listens, and what its process is told."""

    def __init__(self) -> None:
        self.db: Database
        self._topics: asyncio.Queue[str] = asyncio.Queue()
        self._gaps: asyncio.Queue[None] = asyncio.Queue()

    def tell(self, topics: Iterable[str]) -> None:
        """As the wake is told."""
        for topic in topics:
            self._topics.put_nowait(topic)

    def tell_of_a_gap(self) -> None:
        """As the wake is told when hints may be lost."""
        self._gaps.put_nowait(None)

    async def heard(self) -> str:
        """The next topic."""
        return await asyncio.wait_for(self._topics.get(), PATIENCE_S)

    async def heard_of_a_gap(self) -> None:
        """Return once everybody was to look."""
        await asyncio.wait_for(self._gaps.get(), PATIENCE_S)


@asynccontextmanager
async def replica(engine: sa.Engine) -> AsyncIterator[Replica]:
    made = Replica()
    url = engine.url.render_as_string(hide_password=False)
    made.db = await open_database(url, made.tell, on_gap=made.tell_of_a_gap)
    await made.heard_of_a_gap()  # it listens
    yield made
    await made.db.close()


@pytest.fixture
async def replicas(postgres: sa.Engine) -> AsyncIterator[tuple[Replica, Replica]]:
    """Two on one database."""
    empty(postgres)
    async with AsyncExitStack() as stack:
        yield await stack.enter_async_context(replica(postgres)), await stack.enter_async_context(replica(postgres))


async def test_each_process_hears_of_a_commit_once(replicas: tuple[Replica, Replica]) -> None:
    here, there = replicas

    await here.db.write(lambda tx: tx.notify("from here"))
    assert await there.heard() == "from here"
    await there.db.write(lambda tx: tx.notify("from there"))

    # Notices come in the order of commits: one of its own would have come before that of the other.
    assert [await here.heard() for _ in range(2)] == ["from here", "from there"]
    assert await there.heard() == "from there"


async def test_the_topics_of_a_commit_all_arrive_however_many_they_are(replicas: tuple[Replica, Replica]) -> None:
    here, there = replicas
    topics = [f"run:{number:036}" for number in range(1_000)]  # several notices, at 8,000 bytes each

    def notify_all(tx: Tx) -> None:
        for topic in [*topics, topics[0]]:
            tx.notify(topic)

    await here.db.write(notify_all)

    assert [await there.heard() for _ in topics] == topics


async def test_what_is_for_one_process_is_told_to_no_other(replicas: tuple[Replica, Replica]) -> None:
    here, there = replicas

    await here.db.write(lambda tx: tx.notify_here("at home"))
    await here.db.write(lambda tx: tx.notify("to all"))

    assert [await here.heard() for _ in range(2)] == ["at home", "to all"]
    assert await there.heard() == "to all"


async def test_after_a_commit_of_which_nothing_is_known_everybody_looks(
    replicas: tuple[Replica, Replica], monkeypatch: pytest.MonkeyPatch
) -> None:  # X2
    here, _ = replicas

    def lose(*args: Any) -> None:
        raise CommitUnknown

    monkeypatch.setattr(PostgresDatabase, "_transact", lose)
    with pytest.raises(CommitUnknown):
        await here.db.write(lambda tx: tx.notify("perhaps"))

    await here.heard_of_a_gap()
