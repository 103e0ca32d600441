"""Hints between replicas on PostgreSQL: every commit is told once in each process (W7)."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from functools import partial
from typing import Any

import pytest
import sqlalchemy as sa

from sessiond.store import listen
from sessiond.store.opening import open_database
from sessiond.store.postgres import CommitUnknown, PostgresDatabase
from sessiond.store.transaction import Reach, Tx
from sessiond.store.wire import PipelinedCursor
from tests.postgres import empty

_END_ALL = sa.text(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = :name AND pid != pg_backend_pid()"
)
_END_ONE = sa.text("SELECT pg_terminate_backend(:pid)")
_TELL = sa.text("SELECT pg_notify(:channel, :notice)")

PATIENCE_S = 10


class Replica:
    """A store that listens, and what its process is told."""

    def __init__(self) -> None:
        self.db: PostgresDatabase
        self._topics: asyncio.Queue[str] = asyncio.Queue()
        self._gaps: asyncio.Queue[None] = asyncio.Queue()
        self.awaited: set[str] = set()  # topics that somebody in this process listens to

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
    db = await open_database(url, made.tell, on_gap=made.tell_of_a_gap, is_awaited=lambda topic: topic in made.awaited)
    assert isinstance(db, PostgresDatabase)
    made.db = db
    await made.heard_of_a_gap()  # it listens
    yield made
    await made.db.close()


@contextmanager
def listening(engine: sa.Engine) -> Iterator[Callable[[], list[str]]]:
    """Somebody who hears all that servers tell each other; gives what was told so far."""
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as ear:
        ear.exec_driver_sql(f"LISTEN {listen.CHANNEL}")
        driver: Any = ear.connection.driver_connection

        def told() -> list[str]:
            ear.execute(_TELL, {"channel": listen.CHANNEL, "notice": "the end"})
            *heard, end = [notice.payload for notice in driver.notifies(timeout=0)]
            assert end == "the end"
            return heard

        yield told
        ear.exec_driver_sql("UNLISTEN *")


@contextmanager
def held_up(server: Replica, goes_on: bool = True) -> Iterator[None]:
    """A server that can tell nobody anything for a while."""
    telling = server.db._listen
    line, telling._line = telling._line, None
    yield
    telling._line = line
    if goes_on:
        telling.tell([])


@pytest.fixture(autouse=True)
def only_one_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody looks for a second time, unless the test is about that."""
    monkeypatch.setattr(listen, "KNOWN_AFTER_S", ())


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

    await here.db.write(lambda tx: tx.notify("at home", Reach.NOBODY))
    await here.db.write(lambda tx: tx.notify("to all"))

    assert [await here.heard() for _ in range(2)] == ["at home", "to all"]
    assert await there.heard() == "to all"


async def test_what_one_listener_is_enough_for_is_told_to_others_only_when_nobody_here_listens(
    replicas: tuple[Replica, Replica],
) -> None:
    here, there = replicas

    here.awaited.add("for one")
    await here.db.write(lambda tx: tx.notify("for one", Reach.ANYBODY))
    await here.db.write(lambda tx: tx.notify("to all"))
    here.awaited.clear()
    await here.db.write(lambda tx: tx.notify("for one", Reach.ANYBODY))

    assert [await here.heard() for _ in range(3)] == ["for one", "to all", "for one"]
    assert [await there.heard() for _ in range(2)] == ["to all", "for one"]


async def test_after_a_commit_of_which_nothing_is_known_everybody_looks(
    replicas: tuple[Replica, Replica], monkeypatch: pytest.MonkeyPatch
) -> None:  # X2
    here, there = replicas

    def lose(*args: Any) -> None:
        raise CommitUnknown({"perhaps": Reach.SERVERS})

    monkeypatch.setattr(PostgresDatabase, "_transact", lose)
    with pytest.raises(CommitUnknown):
        await here.db.write(lambda tx: tx.notify("perhaps"))

    await here.heard_of_a_gap()
    assert await there.heard() == "perhaps"


async def test_a_commit_does_not_notify_by_itself_unless_everybody_has_to_hear(
    replicas: tuple[Replica, Replica], monkeypatch: pytest.MonkeyPatch
) -> None:
    """PostgreSQL lets transactions that notify commit one after the other, whichever server they are of."""
    here, there = replicas
    execute, told = PipelinedCursor.execute, []

    def noted(self: PipelinedCursor, sql: str, params: Any = ()) -> object:
        told.extend([params] if sql == listen.NOTIFY else [])
        return execute(self, sql, params)

    monkeypatch.setattr(PipelinedCursor, "execute", noted)
    await here.db.write(lambda tx: tx.notify("a hint"))
    assert await there.heard() == "a hint"
    assert told == []

    await here.db.write(lambda tx: tx.notify("for certain", Reach.EVERYBODY))
    assert await there.heard() == "for certain"
    assert len(told) == 1


async def test_what_is_committed_until_the_line_is_free_is_told_together(
    replicas: tuple[Replica, Replica], postgres: sa.Engine
) -> None:
    here, there = replicas
    with listening(postgres) as notices:
        with held_up(here):
            for topic in ("first", "second", "first"):
                await here.db.write(partial(Tx.notify, topic=topic))

        assert [await there.heard() for _ in range(2)] == ["first", "second"]
        told = [notice.split("\n")[1:] for notice in notices()]

    assert [topics for topics in told if topics] == [["first", "second"]]


async def test_what_was_committed_while_nobody_could_be_told_is_told_later(
    replicas: tuple[Replica, Replica], postgres: sa.Engine
) -> None:
    here, there = replicas
    line = here.db._listen._line
    assert line is not None
    with held_up(here, goes_on=False):
        await here.db.write(lambda tx: tx.notify("meanwhile"))

    with postgres.begin() as connection:
        connection.execute(_END_ONE, {"pid": line._pgconn.backend_pid})
    await here.heard_of_a_gap()  # it listens again

    assert await there.heard() == "meanwhile"


async def test_what_nobody_can_be_told_does_not_pile_up(
    replicas: tuple[Replica, Replica], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listen, "MAX_UNTOLD", 3)
    here, _ = replicas

    with held_up(here):
        for number in range(10):
            await here.db.write(partial(Tx.notify, topic=f"{number}"))

        assert len(here.db._listen._untold) <= 3


async def test_a_server_that_ends_tells_first_what_it_committed(postgres: sa.Engine) -> None:
    async with replica(postgres) as there:
        async with replica(postgres) as here:
            here.db._listen.tell(["first"])  # the line is busy with it
            here.db._listen.tell(["second"])  # so this is untold when the server ends

        assert [await there.heard() for _ in range(2)] == ["first", "second"]


async def _until_alone(server: Replica) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not server.db._listen.is_alone:
            await server.db.read(lambda tx: None)


async def _left_alone(server: Replica) -> None:
    """As after a time in which it heard of nobody but itself."""
    async with asyncio.timeout(PATIENCE_S):
        while server.db._listen._heard_itself_at == -math.inf:  # then it would think of company for a while
            await server.db.read(lambda tx: None)
    server.db._listen._alone_from = 0
    await _until_alone(server)


async def test_a_server_that_is_alone_tells_nobody_but_what_nothing_else_would_tell(postgres: sa.Engine) -> None:
    async with replica(postgres) as here:
        await _left_alone(here)
        with listening(postgres) as notices:
            await here.db.write(lambda tx: tx.notify("to itself"))
            await here.db.write(lambda tx: tx.notify("for certain", Reach.EVERYBODY))
            heard = notices()

        assert [await here.heard() for _ in range(2)] == ["to itself", "for certain"]
        assert [notice.split("\n")[1] for notice in heard if "\n" in notice] == ["for certain"]


async def test_a_server_is_alone_once_it_has_heard_of_no_other_for_a_while(
    postgres: sa.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listen, "PRESENT_EVERY_S", 0.01)
    monkeypatch.setattr(listen, "GONE_AFTER_S", 0.1)
    async with replica(postgres) as here:
        await _until_alone(here)


async def test_a_server_that_stood_still_does_not_take_itself_to_be_alone(postgres: sa.Engine) -> None:
    async with replica(postgres) as here:
        await _left_alone(here)

        here.db._listen._heard_itself_at -= listen.AWAY_AFTER_S

        assert not here.db._listen.is_alone


async def test_a_server_that_was_alone_tells_one_that_comes(
    postgres: sa.Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listen, "KNOWN_AFTER_S", (1.0,))
    async with replica(postgres) as here:
        await _left_alone(here)

        async with replica(postgres) as there:
            await there.heard_of_a_gap()  # what it missed until the others knew of it
            assert not here.db._listen.is_alone
            await here.db.write(lambda tx: tx.notify("from here"))

            assert await there.heard() == "from here"


async def test_a_server_that_listens_anew_does_not_take_itself_to_be_alone(postgres: sa.Engine) -> None:
    async with replica(postgres) as here:
        await _left_alone(here)

        with postgres.begin() as connection:
            connection.execute(_END_ALL, {"name": postgres.url.database})
        await here.heard_of_a_gap()  # it listens again

        assert not here.db._listen.is_alone
