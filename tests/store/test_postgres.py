"""The shared store: lost races are run again, lost connections are replaced."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import psycopg
import pytest
import sqlalchemy as sa

from sessiond.model.errors import StoreUnavailable
from sessiond.model.rules import Rules
from sessiond.store import sessions
from sessiond.store.codec import decode
from sessiond.store.opening import open_database
from sessiond.store.postgres import MAX_TRIES, CommitUnknown, PostgresDatabase
from sessiond.store.statement import Statement
from sessiond.store.switching import start
from sessiond.store.transaction import Row, Tx
from sessiond.store.wire import Answer, PipelinedCursor
from sessiond.tools.sessions_history import HistoryQuery, sessions_history
from tests.making import OWNER, found, make_session, put_session, session_of, words
from tests.meeting import take_all, until_somebody_is_blocked, wait_here
from tests.store.spare import spare_database

_SUICIDE = Statement("end this connection", sa.text("SELECT pg_terminate_backend(pg_backend_pid())"))
_LOSE_A_RACE = Statement("what the server says of a lost race", sa.text("DO $$ BEGIN RAISE SQLSTATE '40001'; END $$"))
_FIND_DEADLOCKS_SOON = Statement("deadlocks are told at once", sa.text("SET LOCAL deadlock_timeout = '10ms'"))
PAUSE_S = 60
_BACKENDS = sa.text(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = :name AND pid != pg_backend_pid()"
)


async def test_a_deadlock_is_run_again(postgres_db: PostgresDatabase) -> None:
    await make_session(postgres_db, "agent:main:a")
    await make_session(postgres_db, "agent:main:b")
    both_hold_one = asyncio.Barrier(2)
    tries: list[str] = []

    def lock_both(first: str, second: str) -> Callable[[Tx], None]:
        def work(tx: Tx) -> None:
            tries.append(first)
            tx.run(_FIND_DEADLOCKS_SOON)
            session = found(tx, first)
            if tries.count(first) == 1:
                wait_here(both_hold_one.wait())
            for each in (session, found(tx, second)):
                sessions.change(tx, each, {"label": each.label + "x"})

        return work

    await asyncio.gather(
        postgres_db.write(lock_both("agent:main:a", "agent:main:b")),
        postgres_db.write(lock_both("agent:main:b", "agent:main:a")),
    )

    assert len(tries) > 2
    for key in ("agent:main:a", "agent:main:b"):
        session = await session_of(postgres_db, key)
        assert session is not None
        assert session.label == "xx"


def losing(times: int) -> Callable[[Tx], int]:
    """A work that loses its race so many times; it answers how often it was tried."""
    tries = 0

    def work(tx: Tx) -> int:
        nonlocal tries
        tries += 1
        if tries <= times:
            tx.run(_LOSE_A_RACE)
        return tries

    return work


async def test_a_lost_race_is_run_again(postgres_db: PostgresDatabase) -> None:
    assert await postgres_db.write(losing(MAX_TRIES - 1)) == MAX_TRIES


async def test_a_work_that_loses_every_race_ends_as_unavailable(postgres_db: PostgresDatabase) -> None:  # X3
    with pytest.raises(StoreUnavailable):
        await postgres_db.write(losing(MAX_TRIES))


async def test_a_connection_lost_during_a_work_is_told_as_unavailable_and_the_next_call_works(
    postgres_db: PostgresDatabase,
) -> None:  # X3
    def die(tx: Tx) -> None:
        sessions.change(tx, found(tx, "agent:main:main"), {"label": "half done"})
        tx.run(_SUICIDE)

    await make_session(postgres_db)

    with pytest.raises(StoreUnavailable):
        await postgres_db.write(die)

    session = await session_of(postgres_db, "agent:main:main")
    assert session is not None
    assert session.label == ""


async def test_connections_that_died_in_the_pool_are_replaced_unseen(
    postgres_db: PostgresDatabase, postgres: sa.Engine
) -> None:  # X3
    await make_session(postgres_db)
    await take_all(postgres_db, 5)

    with postgres.connect() as connection:
        killed = connection.execute(_BACKENDS, {"name": postgres.url.database}).all()

    assert len(killed) >= 5
    assert await session_of(postgres_db, "agent:main:main") is not None


async def test_a_database_that_is_away_comes_back_by_itself(postgres: sa.Engine) -> None:  # X3
    def allow_connections(allowed: bool) -> None:
        with postgres.begin() as connection:
            connection.execute(sa.text(f"ALTER DATABASE away ALLOW_CONNECTIONS {allowed}"))
            connection.execute(_BACKENDS, {"name": "away"})

    with spare_database(postgres, "away") as url:
        database = await open_database(url, on_commit=lambda topics: None)
        await make_session(database)

        allow_connections(False)
        with pytest.raises(StoreUnavailable):
            await make_session(database, "agent:main:other")
        with pytest.raises(StoreUnavailable):
            await session_of(database, "agent:main:main")

        allow_connections(True)
        assert await session_of(database, "agent:main:main") is not None
        assert database.connections_in_use == 0
        await database.close()


async def test_a_connection_lost_before_the_commit_is_replaced_and_the_work_run_again(
    postgres_db: PostgresDatabase,
) -> None:  # X3
    tries: list[int] = []

    def dies_once(tx: Tx) -> None:
        tries.append(1)
        sessions.change(tx, found(tx, "agent:main:main"), {"label": "done"})
        if len(tries) == 1:
            tx.row(_SUICIDE)

    await make_session(postgres_db)

    await postgres_db.write(dies_once)

    session = await session_of(postgres_db, "agent:main:main")
    assert session is not None
    assert (len(tries), session.label) == (2, "done")


async def test_a_commit_whose_outcome_is_unknown_is_never_run_again(
    postgres_db: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:  # property 2: once more could be twice
    tries: list[int] = []
    commit = PipelinedCursor.commit

    def commit_and_lose(self: PipelinedCursor, meanwhile: Callable[[], None]) -> None:
        commit(self, meanwhile)
        self._wire.close()
        self.wait(Answer())  # the word of it was on its way

    monkeypatch.setattr(PipelinedCursor, "commit", commit_and_lose)

    with pytest.raises(CommitUnknown):
        await postgres_db.write(lambda tx: tries.append(1))

    assert len(tries) == 1
    monkeypatch.undo()
    await make_session(postgres_db)


async def test_a_statement_that_takes_too_long_is_ended_and_told_as_unavailable(postgres: sa.Engine) -> None:  # X3
    sleep = Statement("sleep", sa.text("SELECT pg_sleep(60)"))
    with spare_database(postgres, "slow") as url:
        database = await open_database(url, on_commit=lambda topics: None, statement_s=1)

        with pytest.raises(StoreUnavailable):
            await database.read(lambda tx: tx.row(sleep))

        await make_session(database)
        await database.close()


async def test_a_work_that_takes_too_long_as_a_whole_is_run_once_more_and_told_as_unavailable(
    postgres: sa.Engine,
) -> None:  # X3
    sleep = Statement("sleep for less than a statement may take", sa.text("SELECT pg_sleep(0.3)"))
    tries: list[int] = []

    def take_long(tx: Tx) -> None:
        tries.append(1)
        for _ in range(4):
            tx.row(sleep)

    with spare_database(postgres, "endless") as url:
        database = await open_database(url, on_commit=lambda topics: None, statement_s=0.4)

        with pytest.raises(StoreUnavailable):
            await database.write(take_long)

        assert len(tries) == 2
        await make_session(database)
        await database.close()


async def test_a_server_that_does_not_write_any_more_is_left_for_one_that_does(postgres: sa.Engine) -> None:  # X3
    read_only = sa.text("ALTER DATABASE standby SET default_transaction_read_only = on")
    with spare_database(postgres, "standby") as url:
        database = await open_database(url, on_commit=lambda topics: None)
        await make_session(database)
        with postgres.begin() as connection:
            connection.execute(read_only)
            connection.execute(_BACKENDS, {"name": "standby"})

        with pytest.raises(StoreUnavailable):
            await make_session(database, "agent:main:other")

        with postgres.begin() as connection:
            connection.execute(sa.text("ALTER DATABASE standby RESET default_transaction_read_only"))
        await make_session(database, "agent:main:other")
        await database.close()


@pytest.mark.parametrize("options", [{}, {"options": "-c work_mem=4MB"}])
async def test_what_reads_has_one_view_and_what_writes_sees_what_others_committed(
    postgres: sa.Engine, options: dict[str, str]
) -> None:
    level = Statement("how this transaction sees others", sa.text("SHOW transaction_isolation"))
    with spare_database(postgres, "levels") as url:
        url = sa.make_url(url).update_query_dict(options).render_as_string(hide_password=False)
        database = await open_database(url, on_commit=lambda topics: None)
        levels = [await way(lambda tx: tx.rows(level)) for way in (database.write, database.read, database.glance)]
        await database.close()

    assert levels == [[("read committed",)], [("repeatable read",)], [("repeatable read",)]]


async def test_a_fault_while_it_is_committed_does_not_have_it_run_again(
    postgres_db: PostgresDatabase, caplog: pytest.LogCaptureFixture
) -> None:
    tries: list[int] = []

    def batch(tx: Tx, names: Sequence[str]) -> list[str]:
        tries.append(1)
        for name in names:
            put_session(tx, name)
        results = ["made" for _ in names]
        tx.meanwhile(lambda: results.append(names[99]))
        return results

    assert await postgres_db.write_together(batch, "agent:main:a") == "made"
    assert tries == [1]
    assert await session_of(postgres_db, "agent:main:a") is not None
    assert [record.message for record in caplog.records] == ["what was written could not be put into its answer"]


@pytest.mark.parametrize("looks_between", [False, True])
async def test_a_glance_that_asks_after_a_look_is_run_again(postgres_db: PostgresDatabase, looks_between: bool) -> None:
    begun = Statement("when this transaction began", sa.text("SELECT now()"))
    tries: list[int] = []

    def look(tx: Tx) -> set[Row]:
        tries.append(1)
        first = tx.ask(begun)
        if looks_between:
            first()
        second = tx.ask(begun)
        return {*first(), *second()}

    assert len(await postgres_db.glance(look)) == 1
    assert len(tries) == (2 if looks_between else 1)
    assert postgres_db.connections_in_use == 0


async def test_what_a_glance_asks_together_is_of_one_view(postgres_db: PostgresDatabase, postgres: sa.Engine) -> None:
    count = Statement("how many sessions there are", sa.text("SELECT count(*) FROM sessions"))
    wait = Statement("wait for a lock", sa.text("SELECT pg_advisory_xact_lock(9)"))

    def look(tx: Tx) -> list[Row]:
        first, _, second = tx.ask(count), tx.ask(wait), tx.ask(count)
        return first() + second()

    with postgres.connect() as other:
        other.execute(sa.text("SELECT pg_advisory_lock(9)"))
        looking = asyncio.create_task(postgres_db.glance(look))
        await postgres_db.write(until_somebody_is_blocked)
        await make_session(postgres_db, "agent:main:new")
        other.execute(sa.text("SELECT pg_advisory_unlock(9)"))

    assert await looking == [(0,), (0,)]
    assert await postgres_db.glance(lambda tx: tx.rows(count)) == [(1,)]


async def test_a_key_and_its_newest_page_are_one_look(
    postgres_db: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:  # H1
    await make_session(postgres_db, drafts=[words("hi")])

    def run_again(self: PostgresDatabase, work: object) -> None:
        raise AssertionError("it was run again as a read")

    monkeypatch.setattr(PostgresDatabase, "_read", run_again)
    page = await sessions_history(postgres_db, Rules(), OWNER, HistoryQuery("main"))

    assert [decode(body).text for body in page.messages] == ["hi"]


async def test_what_the_socket_does_not_take_at_once_follows(postgres_db: PostgresDatabase) -> None:
    length = Statement("how long a text is", sa.select(sa.func.length(sa.bindparam("text", type_=sa.Text))))
    repeat = Statement("a long text", sa.select(sa.func.repeat("x", sa.bindparam("times", type_=sa.Integer))))
    much = 5_000_000

    def send_much(tx: Tx) -> int:
        row = tx.row(length, text="x" * much)
        tx.run(length, text="x" * much)  # goes with the commit
        return row[0] if row else 0

    assert await postgres_db.write(send_much) == much
    assert await postgres_db.read(lambda tx: tx.rows(repeat, times=much)) == [("x" * much,)]


async def test_postgresql_begins_with_what_a_work_asks_alone_before_anybody_waits_for_it(
    postgres_db: PostgresDatabase, postgres: sa.Engine
) -> None:
    take = Statement("take a lock", sa.text("SELECT pg_advisory_xact_lock(8)"))
    is_free = sa.text("SELECT pg_try_advisory_xact_lock(8)")

    def lock(tx: Tx) -> bool:
        tx.run(take)
        for _ in range(1_000):
            with postgres.begin() as other:
                if not other.execute(is_free).scalar_one():
                    return True
        return False

    assert await postgres_db.write(lock)


async def test_works_that_find_no_free_connection_wait_in_line(postgres: sa.Engine) -> None:  # X3
    with spare_database(postgres, "narrow") as url:
        database = await open_database(url, on_commit=lambda topics: None, pool_size=2)
        await asyncio.gather(*(make_session(database, f"agent:main:{number}") for number in range(20)))

        async def dies() -> None:
            with pytest.raises(StoreUnavailable):
                await database.write(lambda tx: tx.run(_SUICIDE))

        await asyncio.gather(*(each for _ in range(5) for each in (dies(), session_of(database, "agent:main:1"))))

        assert database.connections_in_use == 0
        assert await session_of(database, "agent:main:19") is not None
        await database.close()


async def test_closing_lets_what_is_under_way_finish(postgres: sa.Engine) -> None:  # X4
    with spare_database(postgres, "closing") as url:
        database = await open_database(url, on_commit=lambda topics: None)
        writing = [asyncio.create_task(make_session(database, f"agent:main:{number}")) for number in range(20)]
        await asyncio.sleep(0)

        await database.close()

        assert len(await asyncio.gather(*writing)) == 20
        with pytest.raises(StoreUnavailable):
            await session_of(database, "agent:main:1")


async def test_a_statement_that_can_not_be_prepared_spoils_no_other(postgres: sa.Engine) -> None:
    nonsense = Statement("no sense", sa.text("SELECT nothing FROM nowhere"))
    numbers = [Statement(f"the number {each}", sa.text(f"SELECT {each}")) for each in range(5)]

    def ask(number: int) -> Callable[[Tx], object]:
        return lambda tx: tx.rows(numbers[number])

    def fail_unseen(tx: Tx) -> None:
        tx.run(nonsense)
        tx.run(numbers[0])  # skipped, since what is before it fails
        raise ZeroDivisionError

    with spare_database(postgres, "nonsense") as url:
        database = await open_database(url, on_commit=lambda topics: None, pool_size=1)
        with pytest.raises(ZeroDivisionError):
            await database.write(fail_unseen)

        assert [await database.read(ask(each)) for each in range(5)] == [[(each,)] for each in range(5)]
        await database.close()


async def test_silence_after_another_s_end_is_not_taken_for_an_answer(postgres_db: PostgresDatabase) -> None:  # X3
    def follow_a_failure() -> None:
        wire = postgres_db._wires.take()
        try:
            PipelinedCursor(wire).execute("SELECT nothing FROM nowhere")  # as a read's end that fails, seen by nobody
            next_one = PipelinedCursor(wire)
            next_one.execute("SELECT 1")  # sent with it, and skipped
            with pytest.raises(psycopg.OperationalError):
                next_one.fetchall()
        finally:
            wire.close()
            postgres_db._wires.give_back(wire)

    await start(follow_a_failure, asyncio.get_running_loop())


async def test_a_work_that_was_given_up_before_its_turn_is_not_begun(postgres: sa.Engine) -> None:
    begun: list[int] = []

    def begin(number: int) -> Callable[[Tx], None]:
        return lambda tx: begun.append(number)

    with spare_database(postgres, "patience") as url:
        database = await open_database(url, on_commit=lambda topics: None, pool_size=1)
        may_go = asyncio.Event()
        holding = asyncio.ensure_future(database.write(lambda tx: wait_here(may_go.wait())))
        waiting = [asyncio.ensure_future(database.write(begin(number))) for number in range(3)]
        await asyncio.sleep(0)
        waiting[1].cancel()
        may_go.set()

        await asyncio.gather(holding, waiting[0], waiting[2])

        assert begun == [0, 2]
        assert database.connections_in_use == 0
        await database.close()


@pytest.mark.parametrize("has_sent_more", [False, True], ids=["after an answer", "after more that was sent"])
async def test_a_replica_that_stands_still_in_a_transaction_loses_its_locks(
    postgres: sa.Engine, has_sent_more: bool
) -> None:  # X3
    with spare_database(postgres, "frozen") as url:
        frozen = await open_database(url, on_commit=lambda topics: None, statement_s=1)
        other = await open_database(url, on_commit=lambda topics: None)
        await make_session(other)
        tries: list[int] = []
        stands_still, is_lost = asyncio.Event(), asyncio.Event()

        def lock_and_stand_still(tx: Tx) -> None:
            tries.append(1)
            session = found(tx, "agent:main:main")
            if len(tries) == 1:
                if has_sent_more:
                    sessions.change(tx, session, {"label": "not yet"})
                stands_still.set()
                wait_here(is_lost.wait())

        holding = asyncio.ensure_future(frozen.write(lock_and_stand_still))
        await stands_still.wait()

        async with asyncio.timeout(5):
            await other.write(lambda tx: sessions.change(tx, found(tx, "agent:main:main"), {"label": "mine"}))
        is_lost.set()

        await holding  # run again, on another connection
        assert len(tries) == 2
        await frozen.close()
        await other.close()


@pytest.mark.parametrize(("before", "then"), [([0], [[1], [2]]), ([0, 0], [[1, 2]])])
async def test_who_writes_alone_again_begins_at_once_and_those_who_come_together_again_are_one_group(
    postgres_db: PostgresDatabase, before: list[int], then: list[list[int]]
) -> None:
    written: list[list[int]] = []

    def note(tx: Tx, items: Sequence[int]) -> list[None]:
        written.append(list(items))
        return [None] * len(items)

    async def write(*items: int) -> None:
        await asyncio.gather(*(postgres_db.write_together(note, item) for item in items))

    await write(*before)
    postgres_db._queues[note]._answered_s -= PAUSE_S  # since the write before, as many seconds have gone by
    postgres_db._queues[note]._began_s -= PAUSE_S
    await write(1, 2)

    assert written == [before, *then]
