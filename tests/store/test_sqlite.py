"""The embedded store: group commit, and what happens when the disk or the lock is somebody else's."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa

from sessiond.model.errors import StoreUnavailable
from sessiond.store import messages, sessions, sqlite_log
from sessiond.store.database import MAX_GROUP
from sessiond.store.schema import messages as messages_table
from sessiond.store.schema import sessions as sessions_table
from sessiond.store.sqlite import QUICK_S, SqliteDatabase
from sessiond.store.statement import Statement
from sessiond.store.transaction import Tx
from tests.making import count, found, make_session, put_session, words

_NONSENSE = Statement("a statement that SQLite refuses", sa.text("SELECT no_such_column FROM sessions"))


@contextmanager
def traced(db: SqliteDatabase, hear: Callable[[str], object]) -> Iterator[None]:
    """Tell of every statement of the writer, before it is executed; COMMIT comes on the disk's thread."""
    db._writing.set_trace_callback(hear)
    yield
    db._writing.set_trace_callback(None)


@contextmanager
def locked(file: Path) -> Iterator[sqlite3.Connection]:
    """Another program's write lock on the database, until its rollback."""
    with closing(sqlite3.connect(file, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield other


async def grouped(db: SqliteDatabase, *works: Callable[[Tx], object]) -> list[object]:
    """Run works that are asked for at once, so that they make one group; answers or exceptions."""
    return await asyncio.gather(*map(db.write, works), return_exceptions=True)


def put(number: int) -> Callable[[Tx], object]:
    return lambda tx: put_session(tx, f"agent:main:{number}").key


async def test_works_that_arrive_during_a_commit_share_the_next(sqlite_db: SqliteDatabase) -> None:
    statements: list[str] = []
    at_commit, go_on = threading.Event(), threading.Event()

    def stop_at_commit(statement: str) -> None:
        statements.append(statement)
        if statement == "COMMIT":
            at_commit.set()
            go_on.wait(10)

    with traced(sqlite_db, stop_at_commit):
        first = asyncio.create_task(sqlite_db.write(put(0)))
        assert await asyncio.to_thread(at_commit.wait, 10)
        others = [asyncio.create_task(sqlite_db.write(put(number))) for number in range(1, 101)]
        await asyncio.sleep(0)  # let all of them be queued
        go_on.set()
        answers = [await each for each in (first, *others)]

    assert answers == [f"agent:main:{number}" for number in range(101)]
    assert statements.count("COMMIT") == 2


async def test_a_work_that_fails_after_it_wrote_leaves_nothing_and_the_others_are_written_once(
    sqlite_db: SqliteDatabase,
) -> None:  # X2
    def put_and_fail(tx: Tx) -> None:
        put_session(tx, "agent:main:gone")
        raise LookupError

    first, failed, last = await grouped(sqlite_db, put(1), put_and_fail, put(2))

    assert (first, type(failed), last) == ("agent:main:1", LookupError, "agent:main:2")
    assert await count(sqlite_db, sessions_table) == 2


async def test_a_work_that_fails_before_it_wrote_costs_the_others_nothing(sqlite_db: SqliteDatabase) -> None:
    statements: list[str] = []

    def refuse(tx: Tx) -> None:
        sessions.find_by_key(tx, "agent:main:main")
        raise LookupError

    with traced(sqlite_db, statements.append):
        first, failed, last = await grouped(sqlite_db, put(1), refuse, put(2))

    assert (first, type(failed), last) == ("agent:main:1", LookupError, "agent:main:2")
    assert "ROLLBACK" not in statements


async def threads_of(db: SqliteDatabase, beginning: str, *works: Callable[[Tx], object]) -> list[str]:
    """The threads on which statements that begin so were executed for a group."""
    threads: list[str] = []

    def note(statement: str) -> None:
        if statement.startswith(beginning):
            threads.append(threading.current_thread().name)

    with traced(db, note):
        await grouped(db, *works)
    return threads


def after(db: SqliteDatabase, *, rest_s: float, commit_s: float) -> None:
    """As if the latest commit had taken so long, and nothing had been asked for so long since."""
    db._commit_s, db._answered_s = commit_s, time.perf_counter() - rest_s
    if not rest_s:
        db._answered_s += 60  # whatever this machine takes until the next is asked


async def test_who_writes_alone_waits_for_no_thread_while_the_disk_is_quick(sqlite_db: SqliteDatabase) -> None:
    here = threading.current_thread().name
    assert await threads_of(sqlite_db, "COMMIT", put(0)) == ["sqlite-disk"]  # nothing is known of the disk yet

    after(sqlite_db, rest_s=1, commit_s=QUICK_S / 2)
    assert await threads_of(sqlite_db, "COMMIT", put(1)) == [here]
    after(sqlite_db, rest_s=1, commit_s=QUICK_S / 2)
    # Nobody had been with the one before, so that the first of two does not wait for the second.
    assert await threads_of(sqlite_db, "COMMIT", put(2), put(3)) == [here, "sqlite-disk"]
    after(sqlite_db, rest_s=0, commit_s=QUICK_S / 2)  # somebody else asks, too
    assert await threads_of(sqlite_db, "COMMIT", put(4)) == ["sqlite-disk"]
    after(sqlite_db, rest_s=1, commit_s=QUICK_S)
    assert await threads_of(sqlite_db, "COMMIT", put(5)) == ["sqlite-disk"]
    assert await count(sqlite_db, sessions_table) == 6


async def test_those_who_ask_together_again_share_a_transaction(sqlite_db: SqliteDatabase) -> None:
    await grouped(sqlite_db, put(0), put(1))

    after(sqlite_db, rest_s=1, commit_s=QUICK_S / 2)

    assert await threads_of(sqlite_db, "COMMIT", put(2), put(3)) == ["sqlite-disk"]


async def test_who_writes_alone_again_and_again_lets_others_have_their_turn(sqlite_db: SqliteDatabase) -> None:
    await sqlite_db.write(put(0))
    turns: list[int] = []

    async def others() -> None:
        while len(turns) < 5:
            turns.append(await count(sqlite_db, sessions_table))
            await asyncio.sleep(0)

    waiting = asyncio.create_task(others())
    for number in range(1, 50):
        after(sqlite_db, rest_s=1, commit_s=QUICK_S / 2)  # as if it had computed something in between
        await sqlite_db.write(put(number))

    assert waiting.done()
    assert turns[-1] < 50


async def test_the_log_is_brought_into_the_file_on_the_thread(
    sqlite_db: SqliteDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await threads_of(sqlite_db, "PRAGMA wal_checkpoint", put(1)) == []

    monkeypatch.setattr(sqlite_log, "MAX_PAGES", sqlite_db._log._pages + 1)
    after(sqlite_db, rest_s=1, commit_s=0)
    assert await threads_of(sqlite_db, "PRAGMA wal_checkpoint", put(2)) == ["sqlite-disk"]

    after(sqlite_db, rest_s=1, commit_s=0)
    assert await threads_of(sqlite_db, "PRAGMA wal_checkpoint", put(3)) == []


async def test_large_works_make_the_log_long_too(sqlite_db: SqliteDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    await sqlite_db.write(put(1))
    monkeypatch.setattr(sqlite_log, "MAX_BYTES", 4096)

    assert await threads_of(sqlite_db, "PRAGMA wal_checkpoint", put(2)) == ["sqlite-disk"]


async def test_a_log_that_stays_full_undoes_no_commit(
    sqlite_db: SqliteDatabase, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:  # X2
    class Full:
        def execute(self, sql: str) -> None:
            raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(sqlite_log, "MAX_PAGES", 1)
    monkeypatch.setattr(sqlite_db._log, "_writing", Full())

    assert await grouped(sqlite_db, put(1)) == ["agent:main:1"]

    assert "could not be brought into the file" in caplog.text


async def test_a_group_has_an_upper_bound(sqlite_db: SqliteDatabase) -> None:
    statements: list[str] = []

    with traced(sqlite_db, statements.append):
        await grouped(sqlite_db, *map(put, range(MAX_GROUP + 1)))

    assert statements.count("COMMIT") == 2
    assert await count(sqlite_db, sessions_table) == MAX_GROUP + 1


async def test_nobody_is_answered_before_the_commit(sqlite_db: SqliteDatabase) -> None:  # X2
    at_commit, go_on = threading.Event(), threading.Event()

    def stop_at_commit(statement: str) -> None:
        if statement == "COMMIT":
            at_commit.set()
            go_on.wait(10)

    with traced(sqlite_db, stop_at_commit):
        writing = asyncio.create_task(sqlite_db.write(put(1)))
        assert await asyncio.to_thread(at_commit.wait, 10)
        for _ in range(5):  # what was scheduled before would have run by then
            await asyncio.sleep(0)
        was_answered = writing.done()
        go_on.set()
        await writing

    assert not was_answered


def fill_up(db: SqliteDatabase) -> None:
    """Let the database file grow no more."""
    [pages] = db._writing.execute("PRAGMA page_count").fetchone()
    db._writing.execute(f"PRAGMA max_page_count={pages}")


def make_room(db: SqliteDatabase) -> None:
    db._writing.execute("PRAGMA max_page_count=1000000")


def say_much(tx: Tx) -> None:
    """Grow by a statement after which SQLite, when it fails, gives up the whole transaction."""
    messages.append(tx, found(tx, "agent:main:main"), [words("x" * 500_000)])


async def test_a_full_disk_that_costs_the_transaction_fails_every_work_of_the_group(
    sqlite_db: SqliteDatabase,
) -> None:  # X3
    await make_session(sqlite_db)
    fill_up(sqlite_db)

    answers = await grouped(sqlite_db, put(1), say_much, put(2))

    assert [type(answer) for answer in answers] == [StoreUnavailable] * 3
    assert await count(sqlite_db, sessions_table) == 1


async def test_after_a_full_disk_the_next_write_works(sqlite_db: SqliteDatabase) -> None:  # X3
    await make_session(sqlite_db)
    fill_up(sqlite_db)
    await grouped(sqlite_db, say_much)
    make_room(sqlite_db)

    await sqlite_db.write(say_much)

    assert await count(sqlite_db, messages_table) == 1


async def test_a_full_disk_that_costs_one_statement_fails_its_work_alone(sqlite_db: SqliteDatabase) -> None:  # X3
    fill_up(sqlite_db)

    before, full, after = await grouped(
        sqlite_db, put(1), lambda tx: put_session(tx, "agent:main:" + "x" * 99_999), put(2)
    )

    assert isinstance(full, StoreUnavailable)
    assert (before, after) == ("agent:main:1", "agent:main:2")


async def test_a_work_that_turns_a_full_disk_into_its_own_error_does_not_stop_the_writer(
    sqlite_db: SqliteDatabase,
) -> None:
    def say_much_and_misreport(tx: Tx) -> None:
        try:
            say_much(tx)
        except sqlite3.Error:
            raise LookupError from None

    await make_session(sqlite_db)
    fill_up(sqlite_db)

    with pytest.raises(StoreUnavailable):
        await sqlite_db.write(say_much_and_misreport)
    assert await sqlite_db.write(lambda tx: "goes on") == "goes on"


async def test_a_statement_that_sqlite_does_not_understand_is_no_outage(sqlite_db: SqliteDatabase) -> None:
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        await sqlite_db.write(lambda tx: tx.run(_NONSENSE))
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        await sqlite_db.read(lambda tx: tx.rows(_NONSENSE))


async def test_a_work_holds_the_write_lock_before_it_reads(sqlite_db: SqliteDatabase, tmp_path: Path) -> None:
    def read_while_another_tries(tx: Tx) -> None:
        sessions.find_by_key(tx, "agent:main:main")
        with closing(sqlite3.connect(tmp_path / "test.db", timeout=0, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")

    with pytest.raises(StoreUnavailable) as refused:  # so that nothing it read can change before it writes
        await sqlite_db.write(read_while_another_tries)
    assert "locked" in str(refused.value.__cause__)


async def test_a_lock_of_another_program_is_waited_for(sqlite_db: SqliteDatabase, tmp_path: Path) -> None:  # X3
    beginning = threading.Event()

    with locked(tmp_path / "test.db") as other, traced(sqlite_db, lambda statement: beginning.set()):
        writing = asyncio.create_task(sqlite_db.write(put(1)))
        assert await asyncio.to_thread(beginning.wait, 10)
        assert not writing.done()
        other.execute("ROLLBACK")
        await writing

    assert await count(sqlite_db, sessions_table) == 1


async def test_a_lock_that_is_kept_too_long_is_told_as_unavailable(sqlite_db: SqliteDatabase, tmp_path: Path) -> None:
    sqlite_db._patience_ms = 1

    with locked(tmp_path / "test.db"), pytest.raises(StoreUnavailable):  # X3: busy is never shown
        await sqlite_db.write(put(1))

    assert await sqlite_db.write(put(1)) == "agent:main:1"


async def test_reads_go_on_while_another_program_writes(sqlite_db: SqliteDatabase, tmp_path: Path) -> None:
    with locked(tmp_path / "test.db"):
        assert await count(sqlite_db, sessions_table) == 0


async def test_of_many_that_are_ready_at_once_one_at_most_is_written_alone(sqlite_db: SqliteDatabase) -> None:
    await sqlite_db.write(put(0))
    after(sqlite_db, rest_s=1, commit_s=QUICK_S / 2)

    async def compute_and_write(number: int) -> None:
        sqlite_db._answered_s -= 1  # as if it had computed for longer than a commit takes
        await sqlite_db.write(put(number))

    statements: list[str] = []
    with traced(sqlite_db, statements.append):
        await asyncio.gather(*map(compute_and_write, range(1, 17)))

    assert statements.count("COMMIT") == 2
