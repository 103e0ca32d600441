"""`sessiontools import DIR`: history from elsewhere, once and no more, with a report of what was left out."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sessiond.__main__ import main
from sessiond.commands import import_file
from sessiond.commands.import_report import Report
from sessiond.commands.importing import import_folder
from sessiond.model.messages import Message, Role
from sessiond.model.rules import Rules
from sessiond.store.codec import decode
from sessiond.store.database import Batch, Database, Item, Result, Work, alone
from sessiond.store.schema import messages as messages_table
from sessiond.store.schema import session_generations
from sessiond.tools.sessions_history import HistoryQuery, sessions_history
from sessiond.transcripts.folder import Folder
from tests.fakes.clock import START_MS, ManualClock
from tests.making import OWNER, count, make_session, say, session_of, words
from tests.transcripts.reading_back import expected, held

RULES = Rules()
ID = "0197d2a0-0000-7000-8000-000000000001"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The folder that is imported."""
    made = tmp_path / "from-elsewhere"
    made.mkdir()
    return made


def _put(path: Path, *lines: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"".join(_raw(line) + b"\n" for line in lines))


def _raw(line: Any) -> bytes:
    return line if isinstance(line, bytes) else json.dumps(line).encode()


def _said(text: str, role: str = "user", **line: Any) -> dict[str, Any]:
    return {"type": "message", "message": {"role": role, "content": text}, **line}


async def _history(db: Database, reference: str) -> list[Message]:
    page = await sessions_history(db, RULES, OWNER, HistoryQuery(reference, include_tools=True, limit=1_000))
    return [decode(body) for body in page.messages]


async def _texts(db: Database, reference: str) -> list[str]:
    return [message.text for message in await _history(db, reference)]


def _skipped(report: Report) -> list[str]:
    return report.skipped


async def test_a_transcript_comes_with_its_words_roles_times_and_place(db: Database, root: Path) -> None:
    _put(
        root / "a.jsonl",
        {"type": "session", "id": ID, "key": "agent:ops:telegram:group:1"},
        _said("hello", timestamp="2025-01-01T00:00:00Z"),
        _said("hi", "assistant", timestamp="2025-01-01T00:00:05Z"),
        {"type": "message", "message": {"role": "toolResult", "toolCallId": "c", "content": "42"}},
    )

    report = await import_folder(db, RULES, root)

    assert (report.sessions, report.messages, _skipped(report)) == (1, 3, [])
    session = await session_of(db, "agent:ops:telegram:group:1")
    assert session is not None
    assert (session.session_id, session.kind, session.last_sequence, session.tool_results) == (ID, "group", 3, 1)
    assert (session.created_ms, session.updated_ms) == (1_735_689_600_000, 1_735_689_605_000)
    history = await _history(db, "agent:ops:telegram:group:1")
    assert [message.draft.role for message in history] == [Role.USER, Role.ASSISTANT, Role.TOOL_RESULT]
    assert [message.created_ms for message in history] == [1_735_689_600_000, 1_735_689_605_000, 1_735_689_605_000]
    assert [message.id for message in history] == [f"{ID}:{number}" for number in (1, 2, 3)]


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("agent%3Aops%3Acron%3Adaily.jsonl", "agent:ops:cron:daily"),
        ("folder/hook%3a17.jsonl", "agent:main:hook:17"),
        ("notes.jsonl", "agent:main:imported:notes"),
        ("folder/notes.jsonl", "agent:main:imported:folder/notes"),
        ("50% off.jsonl", "agent:main:imported:50% off"),
    ],
)
async def test_without_a_header_the_name_of_the_file_is_the_key(db: Database, root: Path, name: str, key: str) -> None:
    _put(root / name, _said("hello"))

    await import_folder(db, RULES, root)

    assert await _texts(db, key) == ["hello"]


async def test_importing_again_imports_nothing_twice(db: Database, root: Path) -> None:
    _put(root / "a.jsonl", _said("one"), _said("two", "assistant"))
    _put(root / "b.jsonl", {"type": "session", "id": ID, "key": "main"}, _said("other"))
    await import_folder(db, RULES, root)
    rows = await count(db, messages_table), await count(db, session_generations)

    again = await import_folder(db, RULES, root)

    assert (again.sessions, again.messages, again.known) == (0, 0, 2)
    assert (await count(db, messages_table), await count(db, session_generations)) == rows == (3, 2)


async def test_what_a_file_has_more_than_before_is_added(db: Database, root: Path) -> None:
    call = {"type": "toolCall", "id": "c", "name": "n", "arguments": {"number": 7}}
    lines = [_said("one"), {"role": "assistant", "content": [call]}]
    _put(root / "a.jsonl", *lines)
    await import_folder(db, RULES, root)
    _put(root / "a.jsonl", *lines, _said("three"))

    again = await import_folder(db, RULES, root)

    assert (again.sessions, again.messages) == (1, 1)
    assert await _texts(db, "agent:main:imported:a") == ["one", "", "three"]


async def test_a_session_that_has_gone_on_since_is_left_alone(db: Database, root: Path) -> None:
    _put(root / "a.jsonl", _said("one"))
    await import_folder(db, RULES, root)
    await say(db, "agent:main:imported:a", words("here"))
    _put(root / "a.jsonl", _said("one"), _said("there"))

    again = await import_folder(db, RULES, root)

    assert (again.messages, again.known) == (0, 1)
    assert await _texts(db, "agent:main:imported:a") == ["one", "here"]


class _Dying:
    """A store that dies after so many writes."""

    def __init__(self, db: Database, writes: int) -> None:
        self._db = db
        self._writes = writes
        self.name = db.name
        self.connections_in_use = 0

    async def read(self, work: Work[Result]) -> Result:
        return await self._db.read(work)

    async def glance(self, work: Work[Result]) -> Result:
        return await self.read(work)

    async def glance_together(self, batch: Batch[Item, Result], item: Item) -> Result:
        return await self.read(alone(batch, item))

    async def read_together(self, batch: Batch[Item, Result], item: Item) -> Result:
        return await self.read(alone(batch, item))

    async def write(self, work: Work[Result]) -> Result:
        if not self._writes:
            raise KeyboardInterrupt
        self._writes -= 1
        return await self._db.write(work)

    async def write_together(self, batch: Batch[Item, Result], item: Item) -> Result:
        return await self.write(alone(batch, item))

    async def close(self) -> None:
        await self._db.close()


@pytest.mark.parametrize("writes", range(6))
async def test_an_import_that_was_interrupted_goes_on_where_it_stopped(
    db: Database, root: Path, monkeypatch: pytest.MonkeyPatch, writes: int
) -> None:
    monkeypatch.setattr(import_file, "BATCH_MESSAGES", 2)
    _put(root / "a.jsonl", *(_said(str(number)) for number in range(7)))
    with pytest.raises(KeyboardInterrupt):
        await import_folder(_Dying(db, writes), RULES, root)

    await import_folder(db, RULES, root)

    assert await _texts(db, "agent:main:imported:a") == [str(number) for number in range(7)]
    assert await count(db, messages_table) == 7
    session = await session_of(db, "agent:main:imported:a")
    assert session is not None
    assert session.last_sequence == 7


class _Meddling(_Dying):
    """A store in which somebody says something right before the first write."""

    async def write(self, work: Work[Result]) -> Result:
        if self._writes:
            self._writes = 0
            await say(self._db, "agent:main:imported:a", words("me first"))
        return await self._db.write(work)


async def test_what_is_said_in_the_meantime_is_not_written_over(db: Database, root: Path) -> None:
    _put(root / "a.jsonl", _said("one"))
    await import_folder(db, RULES, root)
    _put(root / "a.jsonl", _said("one"), _said("two"))

    report = await import_folder(_Meddling(db, 1), RULES, root)

    assert _skipped(report) == ["a.jsonl: its session was written to in the meantime; run the import again"]
    assert await _texts(db, "agent:main:imported:a") == ["one", "me first"]


async def test_a_session_with_messages_of_its_own_keeps_them(db: Database, root: Path) -> None:
    own = await make_session(db, "agent:main:main", drafts=[words("mine")])
    _put(root / "a.jsonl", {"type": "session", "id": ID, "key": "main"}, _said("from before"))

    report = await import_folder(db, RULES, root)

    assert await _texts(db, "main") == ["mine"]
    assert await _texts(db, ID) == ["from before"]
    assert await session_of(db, "agent:main:main") == own
    assert report.notes == [f"a.jsonl: agent:main:main has messages of its own; this is its earlier transcript {ID}"]


async def test_of_two_files_for_one_session_the_newer_is_the_current_one(db: Database, root: Path) -> None:
    _put(root / "z.jsonl", {"type": "session", "key": "main"}, _said("newer"))
    _put(root / "a.jsonl", {"type": "session", "key": "main"}, _said("older"))
    os.utime(root / "a.jsonl", (1_000, 1_000))

    await import_folder(db, RULES, root)

    assert await _texts(db, "main") == ["newer"]


async def test_times_from_the_future_are_now(db: Database, root: Path, clock: ManualClock) -> None:
    _put(root / "a.jsonl", _said("one", timestamp="2999-01-01T00:00:00Z"))

    await import_folder(db, RULES, root)

    [message] = await _history(db, "agent:main:imported:a")
    session = await session_of(db, "agent:main:imported:a")
    assert session is not None
    assert message.created_ms == session.updated_ms == clock.now_ms == START_MS


async def test_what_was_skipped_is_told_with_its_line_and_reason(db: Database, root: Path) -> None:
    _put(
        root / "a.jsonl",
        b"not json",
        _said("one"),
        b"",
        {"type": "compaction"},
        _said("x" * 1_100_000),
        {"role": "user", "content": [{"type": "toolCall", "arguments": _nested(200)}]},
        _said("two"),
    )

    report = await import_folder(db, RULES, root)

    assert await _texts(db, "agent:main:imported:a") == ["one", "two"]
    assert [each[: each.index(" ", 12)] for each in _skipped(report)] == [
        "a.jsonl:1: is",
        "a.jsonl:4: is",
        "a.jsonl:5: is",
        "a.jsonl:6: has",
    ]
    assert "larger than 1,048,576 bytes" in _skipped(report)[2]


def _nested(depth: int) -> dict[str, Any]:
    inner: dict[str, Any] = {}
    for _ in range(depth):
        inner = {"a": inner}
    return inner


async def test_a_line_without_an_end_is_not_read_into_memory(
    db: Database, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sessiond.transcripts.files.MAX_LINE", 1_000)
    _put(root / "a.jsonl", b'{"role":"user","content":"' + b"x" * 2_000_000 + b'"}', _said("after"))

    report = await import_folder(db, RULES, root)

    assert _skipped(report) == ["a.jsonl:1: is too long"]
    assert await _texts(db, "agent:main:imported:a") == ["after"]


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        ("agent:main:global", "'global' is reserved"),
        ("agent::x", "is not an agent id"),
        ("agent:main:", "is malformed"),
        ("agent:main:\x1b[2J", "control character"),
    ],
)
async def test_a_key_that_no_session_can_have_skips_the_file(db: Database, root: Path, key: str, reason: str) -> None:
    _put(root / "a.jsonl", {"type": "session", "key": key}, _said("one"))

    report = await import_folder(db, RULES, root)

    assert (report.messages, report.files) == (0, 1)
    assert reason in _skipped(report)[0]
    assert await count(db, session_generations) == 0


async def test_links_are_not_followed_and_other_files_not_touched(db: Database, root: Path, tmp_path: Path) -> None:
    _put(tmp_path / "secret.jsonl", _said("secret"))
    _put(tmp_path / "secrets" / "s.jsonl", _said("secret"))
    (root / "link.jsonl").symlink_to(tmp_path / "secret.jsonl")
    (root / "folder").symlink_to(tmp_path / "secrets")
    os.mkfifo(root / "pipe.jsonl")
    (root / "empty.jsonl").touch()
    (root / "notes.txt").write_text("no transcript")

    report = await import_folder(db, RULES, root)

    assert (report.sessions, report.messages) == (0, 0)
    assert sorted(_skipped(report)) == [
        "empty.jsonl: has no message",
        "folder: is a link to a folder; links are not followed",
        "link.jsonl: is no plain file; links are not followed",
        "pipe.jsonl: is no plain file; links are not followed",
    ]


async def test_the_mirror_of_one_store_fills_another(db: Database, root: Path, tmp_path: Path) -> None:
    folder = Folder(tmp_path / "mirror")
    rules = replace(RULES, transcripts_dir=str(folder.path))
    _put(root / "a.jsonl", {"type": "session", "id": ID, "key": "agent:ops:main"}, _said("one"), _said("two"))
    await import_folder(db, rules, root)
    assert held(folder) == await expected(db)

    again = await import_folder(db, rules, folder.path)

    assert (again.messages, again.known) == (0, 1)
    assert held(folder) == await expected(db)


def test_the_report_names_the_first_and_counts_the_rest() -> None:
    report = Report(sessions=1, messages=1_234, known=1)
    for number in range(1, 26):
        report.skip_line("a.jsonl", number, "is\x1b[2J bad")

    told = list(report.told())

    assert told[:4] == [
        "imported 1 session and 1,234 messages",
        "1 transcript had been imported before and had nothing new",
        "skipped 25 lines and 0 files:",
        "  a.jsonl:1: is\\x1b[2J bad",
    ]
    assert told[-1] == "  and 5 more"


def test_the_command_reports(root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "my.json5").write_text(f"{{store: {{dataDir: '{tmp_path / 'data'}'}}}}")
    _put(root / "a.jsonl", _said("one"), b"{")

    assert main(["import", "--config", str(tmp_path / "my.json5"), str(root)]) == 0

    out, err = capsys.readouterr()
    assert out.splitlines()[:2] == ["imported 1 session and 1 message", "skipped 1 line and 0 files:"]
    assert err == ""  # no progress bar where no terminal is
    assert len(list((tmp_path / "data" / "transcripts").glob("*.jsonl"))) == 1


def test_a_folder_that_is_none_is_said_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", str(tmp_path / "nowhere")]) == 1

    assert capsys.readouterr().err == f"sessiontools: {tmp_path}/nowhere is not a folder\n"
