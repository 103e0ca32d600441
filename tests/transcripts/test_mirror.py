"""The mirror: as new as the store, whatever was missed, killed or broken in between (L9)."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from sessiond.gateway.sessions_delete import DeleteQuery, sessions_delete
from sessiond.model.errors import StoreUnavailable
from sessiond.model.messages import Role
from sessiond.store import messages, transcripts
from sessiond.store.database import Batch, Database, Item, Result, Work, alone
from sessiond.store.opening import open_database
from sessiond.store.transaction import Tx
from sessiond.store.transcripts import Transcript
from sessiond.transcripts.folder import Failure, Folder, Piece
from sessiond.transcripts.lines import line_of
from sessiond.worker import copying
from sessiond.worker import mirror as mirroring
from sessiond.worker.copying import Copies
from sessiond.worker.mirror import Mirror, MirrorHints, mirror_for_ever
from sessiond.worker.pace import SLICE_S, Pace
from sessiontools.v1 import message_pb2 as pb
from tests.fakes.clock import ManualClock
from tests.making import OWNER, make_session, rules_of, say, start_generation, tool_result, words
from tests.transcripts.reading_back import expected, has_file, held, texts_in

A, B = "agent:main:a", "agent:main:b"


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """Where the mirror writes."""
    return Folder(tmp_path / "transcripts")


@pytest.fixture
def hints() -> MirrorHints:
    """What commits tell."""
    return MirrorHints()


@pytest.fixture
async def told(store_url: str, clock: ManualClock, hints: MirrorHints) -> AsyncIterator[Database]:
    """A store whose commits hint the mirror."""
    database = await open_database(store_url, on_commit=hints.publish, clock=clock)
    yield database
    await database.close()


@pytest.fixture
async def mirror(db: Database, folder: Folder, hints: MirrorHints) -> Mirror:
    """A mirror that has begun on an empty store."""
    begun = Mirror(db, folder, hints)
    await begun.catch_up()
    return begun


async def test_every_message_of_every_role_is_mirrored_in_order(db: Database, mirror: Mirror, folder: Folder) -> None:
    await make_session(db, A, drafts=[words("one"), words("two", Role.ASSISTANT), tool_result("three")])
    await make_session(db, B, drafts=[words("other")])
    await mirror.catch_up()
    await say(db, A, words("four", Role.SYSTEM))
    await mirror.catch_up()

    assert held(folder) == await expected(db)
    assert len(held(folder)) == 2


async def test_a_session_without_messages_has_no_file(db: Database, mirror: Mirror, folder: Folder) -> None:
    await make_session(db, A)
    await mirror.catch_up()

    assert held(folder) == {}


async def test_what_happened_without_a_mirror_is_written_after_the_next_start(
    db: Database, mirror: Mirror, folder: Folder, clock: ManualClock
) -> None:
    await make_session(db, A, drafts=[words("before")])
    await mirror.catch_up()
    clock.advance(minutes=90)
    await say(db, A, words("while it was away"))
    await make_session(db, B, drafts=[words("new")])
    clock.advance(minutes=90)

    await Mirror(db, folder, MirrorHints()).catch_up()

    assert held(folder) == await expected(db)


async def test_a_new_mirror_begins_with_now_and_takes_a_session_whole(
    db: Database, folder: Folder, clock: ManualClock
) -> None:
    old = await make_session(db, A, drafts=[words("long ago")])
    await make_session(db, B, drafts=[words("long ago")])
    clock.advance(minutes=90)
    mirror = Mirror(db, folder, MirrorHints())
    await mirror.catch_up()
    assert held(folder) == {}

    await say(db, A, words("again"))
    await mirror.catch_up()

    assert list(held(folder)) == [old.session_id]
    assert texts_in(folder, old.session_id) == ["long ago", "again"]


async def test_a_torn_line_is_repaired(db: Database, mirror: Mirror, folder: Folder) -> None:
    session = await make_session(db, A, drafts=[words("one"), words("two")])
    await mirror.catch_up()
    file = folder.file_of(session.session_id)
    file.write_bytes(file.read_bytes()[:-10])

    await say(db, A, words("three"))
    await Mirror(db, folder, MirrorHints()).catch_up()

    assert held(folder) == await expected(db)


async def test_a_file_that_was_removed_by_hand_comes_back_with_the_next_message(
    db: Database, mirror: Mirror, folder: Folder
) -> None:
    session = await make_session(db, A, drafts=[words("one")])
    await mirror.catch_up()
    folder.remove(session.session_id)

    await say(db, A, words("two"))
    await mirror.catch_up()

    assert held(folder) == await expected(db)


async def test_what_was_said_right_before_a_reset_is_not_lost(db: Database, mirror: Mirror, folder: Folder) -> None:
    old = await make_session(db, A, drafts=[words("one")])
    await mirror.catch_up()
    await say(db, A, words("the last word"))
    new = await start_generation(db, A)
    await say(db, A, words("anew"))

    await mirror.catch_up()

    assert texts_in(folder, old.session_id) == ["one", "the last word"]
    assert texts_in(folder, new.session_id) == ["anew"]


async def test_a_long_transcript_comes_in_pieces(
    db: Database, mirror: Mirror, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copying, "PAGE_BYTES", 1_000)
    monkeypatch.setattr(copying, "BATCH_BYTES", 5_000)
    drafts = [words(f"{number} {'x' * (number % 7 * 300)}") for number in range(1_203)]
    await make_session(db, A, drafts=drafts)

    await mirror.catch_up()

    assert held(folder) == await expected(db)


async def test_other_work_has_its_turn_between_slices_of_a_long_transcript(
    db: Database, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns: list[int] = []
    rendered = 0

    def tick() -> float:  # each message takes longer than a slice may
        return rendered * 2 * SLICE_S

    def line(message: pb.Message, session_key: str) -> bytes:
        nonlocal rendered
        rendered += 1
        return line_of(message, session_key)

    async def rest(seconds: float) -> None:
        turns.append(rendered)

    monkeypatch.setattr(copying, "line_of", line)
    mirror = Mirror(db, folder, MirrorHints(), Pace(19, tick, rest))
    await mirror.catch_up()
    await make_session(db, A, drafts=[words("hi")] * 100)

    await mirror.catch_up()

    assert set(turns) == set(range(1, 101))
    assert held(folder) == await expected(db)


async def test_large_messages_are_rendered_off_the_event_loop(
    db: Database, mirror: Mirror, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    on_the_loop: list[bool] = []

    def line(message: pb.Message, session_key: str) -> bytes:
        on_the_loop.append(threading.current_thread() is threading.main_thread())
        return line_of(message, session_key)

    monkeypatch.setattr(copying, "line_of", line)
    await make_session(db, A, drafts=[words("small"), words("x" * 2 * copying.LARGE_BYTES), words("small")])

    await mirror.catch_up()

    assert on_the_loop == [True, False, True]
    assert held(folder) == await expected(db)


async def test_many_transcripts_go_to_their_files_in_one_hop(
    db: Database, mirror: Mirror, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    append, hops = Folder.append, []

    def counted(self: Folder, pieces: Sequence[Piece]) -> list[int | Failure]:
        hops.append(len(pieces))
        return append(self, pieces)

    monkeypatch.setattr(Folder, "append", counted)
    for number in range(20):
        await make_session(db, f"agent:main:{number}", drafts=[words("hi")] * 3)

    await mirror.catch_up()

    assert hops == [20]
    assert held(folder) == await expected(db)


async def test_a_message_that_can_not_be_rendered_keeps_no_other_transcript_waiting(
    db: Database, mirror: Mirror, folder: Folder, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def line(message: pb.Message, session_key: str) -> bytes:
        if session_key == A:
            raise ValueError("not a number")
        return line_of(message, session_key)

    await make_session(db, A, drafts=[words("one")])
    fine = await make_session(db, B, drafts=[words("two")])
    with monkeypatch.context() as patch:
        patch.setattr(copying, "line_of", line)
        await mirror.catch_up()
    assert list(held(folder)) == [fine.session_id]
    assert [record.getMessage() for record in caplog.records] == ["a transcript can't be mirrored: not a number"]

    await mirror.catch_up()

    assert held(folder) == await expected(db)


async def test_what_failed_is_remembered_while_the_store_is_away(
    db: Database, mirror: Mirror, folder: Folder, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = await make_session(db, A, drafts=[words("one")])
    folder.file_of(broken.session_id).mkdir()
    await mirror.catch_up()
    folder.file_of(broken.session_id).rmdir()
    clock.advance(minutes=10)
    with monkeypatch.context() as patch:
        patch.setattr(copying, "bodies_after", _away)
        await mirror.catch_up()
    assert held(folder) == {}

    await mirror.catch_up()

    assert held(folder) == await expected(db)


async def _away(*args: object) -> list[bytes]:
    raise StoreUnavailable


async def test_more_sessions_than_a_page_are_all_mirrored(
    db: Database, mirror: Mirror, folder: Folder, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mirroring, "PAGE_SESSIONS", 3)
    for number in range(10):  # of the same moment, so that the key alone tells them apart
        await make_session(db, f"agent:main:{number}", drafts=[words("hi")], archived=number % 2 == 0)
    clock.advance(seconds=1)
    for number in range(10):
        await make_session(db, f"agent:main:cron:{number}", drafts=[words("hi")])

    await mirror.catch_up()

    assert len(held(folder)) == 20
    assert held(folder) == await expected(db)


async def test_a_commit_that_comes_later_than_its_time_is_not_missed(
    db: Database, mirror: Mirror, folder: Folder, clock: ManualClock
) -> None:
    await make_session(db, A)
    await make_session(db, B, drafts=[words("first")])
    await mirror.catch_up()
    clock.advance(seconds=-0.5)

    await say(db, A, words("began before, committed after"))
    await mirror.catch_up()

    assert held(folder) == await expected(db)


async def test_a_clock_that_is_set_back_takes_the_mark_with_it(
    db: Database, mirror: Mirror, folder: Folder, clock: ManualClock
) -> None:
    await make_session(db, A, drafts=[words("one")])
    await mirror.catch_up()
    clock.advance(minutes=-600)
    await mirror.catch_up()

    await say(db, A, words("two"))
    await mirror.catch_up()

    assert held(folder) == await expected(db)


async def test_a_purged_session_s_files_go(
    told: Database, folder: Folder, hints: MirrorHints, clock: ManualClock
) -> None:
    mirror = Mirror(told, folder, hints)
    await mirror.catch_up()
    old = await make_session(told, A, drafts=[words("one")])
    new = await start_generation(told, A)
    await say(told, A, words("two"))
    kept = await make_session(told, B, drafts=[words("stays")])
    await mirror.catch_up()
    assert set(held(folder)) == {old.session_id, new.session_id, kept.session_id}

    await sessions_delete(told, rules_of(), OWNER, DeleteQuery(A, purge=True))
    await mirror.catch_up()

    assert set(held(folder)) == {kept.session_id}


async def test_what_is_removed_does_not_wait_for_everything_else_to_be_written(
    db: Database, mirror: Mirror, folder: Folder, hints: MirrorHints, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mirroring, "PAGE_SESSIONS", 1)
    gone = await make_session(db, A, drafts=[words("one")])
    await mirror.catch_up()
    update, seen = Copies.update, []

    async def while_it_is_purged(copies: Copies, wanted: list[Transcript]) -> dict[Transcript, Failure]:
        seen.append(has_file(folder, gone.session_id))
        failures = await update(copies, wanted)
        hints.removed([gone.session_id])
        return failures

    monkeypatch.setattr(Copies, "update", while_it_is_purged)
    for number in range(3):
        await make_session(db, f"agent:main:{number}", drafts=[words("hi")])
    await mirror.catch_up()

    assert seen[0]
    assert not seen[-1]


async def test_a_purge_that_was_interrupted_takes_the_file_with_its_end(
    told: Database, folder: Folder, hints: MirrorHints
) -> None:
    mirror = Mirror(told, folder, hints)
    await mirror.catch_up()
    session = await make_session(told, A, drafts=[words("one")])
    await mirror.catch_up()
    await told.write(lambda tx: messages.delete_some(tx, session.generation, 500))  # and then the server died

    await sessions_delete(told, rules_of(), OWNER, DeleteQuery(A, purge=True))
    await mirror.catch_up()

    assert held(folder) == {}


async def test_an_archived_session_s_file_stays(db: Database, mirror: Mirror, folder: Folder) -> None:
    session = await make_session(db, A, drafts=[words("one")])
    await mirror.catch_up()

    await sessions_delete(db, rules_of(), OWNER, DeleteQuery(A))
    await mirror.catch_up()

    assert has_file(folder, session.session_id)


async def test_a_session_that_is_being_purged_is_not_mirrored_again(
    db: Database, mirror: Mirror, folder: Folder
) -> None:
    session = await make_session(db, A, drafts=[words("one"), words("two")])
    await db.write(lambda tx: messages.delete_some(tx, session.generation, 1))

    await mirror.catch_up()

    assert held(folder) == {}


async def test_one_file_that_can_not_be_written_keeps_nobody_waiting(
    db: Database, mirror: Mirror, folder: Folder, caplog: pytest.LogCaptureFixture, clock: ManualClock
) -> None:
    broken = await make_session(db, A, drafts=[words("one")])
    others = [await make_session(db, f"agent:main:{number}", drafts=[words("hi")]) for number in range(3)]
    folder.file_of(broken.session_id).mkdir()

    for _ in range(3):
        await mirror.catch_up()

    assert all(has_file(folder, each.session_id) for each in others)
    assert [record.getMessage().partition(":")[0] for record in caplog.records] == ["a transcript can't be mirrored"]

    folder.file_of(broken.session_id).rmdir()
    clock.advance(minutes=10)  # long after its change: it is remembered
    await mirror.catch_up()

    assert held(folder) == await expected(db)


async def test_what_failed_is_tried_again_after_a_restart(db: Database, folder: Folder, clock: ManualClock) -> None:
    mirror = Mirror(db, folder, MirrorHints())
    await mirror.catch_up()
    broken = await make_session(db, A, drafts=[words("one")])
    folder.file_of(broken.session_id).mkdir()
    await mirror.catch_up()
    clock.advance(minutes=10)
    await make_session(db, B, drafts=[words("later")])
    await mirror.catch_up()
    folder.file_of(broken.session_id).rmdir()

    await Mirror(db, folder, MirrorHints()).catch_up()

    assert held(folder) == await expected(db)


async def test_a_folder_that_can_not_be_made_is_told_once_and_used_when_it_can(
    db: Database, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "data").write_text("in the way")
    folder = Folder(tmp_path / "data" / "transcripts")
    mirror = Mirror(db, folder, MirrorHints())
    for _ in range(3):
        await mirror.catch_up()
    assert len(caplog.records) == 1

    (tmp_path / "data").unlink()
    await mirror.catch_up()
    await make_session(db, A, drafts=[words("one")])
    await mirror.catch_up()

    assert held(folder) == await expected(db)


class _Away:
    """A store that does not answer, or answers with what nobody expects."""

    name = "sqlite"
    connections_in_use = 0

    def __init__(self, problem: Exception) -> None:
        self._problem = problem

    async def read(self, work: Work[Result]) -> Result:
        raise self._problem

    async def glance(self, work: Work[Result]) -> Result:
        return await self.read(work)

    async def glance_together(self, batch: Batch[Item, Result], item: Item) -> Result:
        return await self.read(alone(batch, item))

    async def read_together(self, batch: Batch[Item, Result], item: Item) -> Result:
        return await self.read(alone(batch, item))

    async def write(self, work: Work[Result]) -> Result:
        raise self._problem

    async def write_together(self, batch: Batch[Item, Result], item: Item) -> Result:
        return await self.write(alone(batch, item))

    async def close(self) -> None:
        raise self._problem


@pytest.mark.parametrize("problem", [StoreUnavailable(), ZeroDivisionError("a bug")])
async def test_nothing_that_goes_wrong_stops_it(
    folder: Folder, caplog: pytest.LogCaptureFixture, problem: Exception
) -> None:
    mirror = Mirror(_Away(problem), folder, MirrorHints())

    for _ in range(3):
        await mirror.catch_up()

    assert [record.levelno for record in caplog.records] == [logging.WARNING]


async def test_a_session_that_goes_on_changing_is_left_for_the_next_time(
    db: Database, folder: Folder, mirror: Mirror, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await make_session(db, A, drafts=[words("at first")])
    update, rounds = Copies.update, 0

    async def while_more_is_said(copies: Copies, wanted: list[Transcript]) -> dict[Transcript, Failure]:
        nonlocal rounds
        rounds += 1
        failures = await update(copies, wanted)
        clock.advance(seconds=1)
        await say(db, A, words(f"{rounds} more"))
        return failures

    monkeypatch.setattr(Copies, "update", while_more_is_said)
    clock.advance(seconds=1)
    async with asyncio.timeout(10):
        await mirror.catch_up()
    assert rounds < 5

    monkeypatch.undo()
    await mirror.catch_up()
    assert held(folder) == await expected(db)


async def test_two_mirrors_of_one_folder_write_nothing_twice(db: Database, folder: Folder) -> None:  # X5
    both = [Mirror(db, folder, MirrorHints()) for _ in range(2)]
    for each in both:
        await each.catch_up()
    for number in range(20):
        await make_session(db, f"agent:main:{number}", drafts=[words("hi")] * 5)

    await asyncio.gather(*(each.catch_up() for each in both))

    assert held(folder) == await expected(db)


async def test_a_hint_is_enough_while_it_runs_and_the_rest_is_written_at_the_end(
    told: Database, folder: Folder, hints: MirrorHints, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = asyncio.Event()

    class Watched(Folder):
        def append(self, pieces: Sequence[Piece]) -> list[int | Failure]:
            reached = super().append(pieces)
            loop.call_soon_threadsafe(written.set)
            return reached

        def set_mark(self, until_ms: int) -> None:
            super().set_mark(until_ms)
            loop.call_soon_threadsafe(begun.set)

    loop, begun = asyncio.get_running_loop(), asyncio.Event()
    monkeypatch.setattr(mirroring, "Folder", Watched)
    task = asyncio.create_task(mirror_for_ever(told, str(folder.path), hints))
    await begun.wait()

    await make_session(told, A)
    await say(told, A, words("one"))
    hints.publish(["run:1"])
    await written.wait()
    await say(told, A, words("two"))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert held(folder) == await expected(told)


async def test_without_a_folder_there_is_nothing_to_do(db: Database, hints: MirrorHints) -> None:
    await mirror_for_ever(db, "", hints)


async def test_removals_are_told_in_topics_that_stay_small(db: Database) -> None:
    await make_session(db, A)
    for _ in range(150):
        await start_generation(db, A)
    rows = await db.read(lambda tx: transcripts.all_after(tx, 0, 1_000))

    def remove(tx: Tx) -> list[str]:
        transcripts.note_removed(tx, [row.generation for row in rows])
        return list(tx.topics)

    topics = await db.write(remove)

    assert len(rows) == 151
    assert max(len(topic) for topic in topics) < 8_000
    assert [each for topic in topics for each in transcripts.removed_in(topic)] == [row.session_id for row in rows]
