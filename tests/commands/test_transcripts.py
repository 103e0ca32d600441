"""`sessiontools transcripts rebuild`: every file anew from the database, also beside a running mirror (L9)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sessiond.__main__ import main
from sessiond.commands import transcripts as commands
from sessiond.commands.transcripts import rebuild_all
from sessiond.store.database import Database
from sessiond.store.opening import open_database
from sessiond.transcripts.folder import Folder
from sessiond.worker import copying
from sessiond.worker.mirror import Mirror, MirrorHints
from tests.making import make_session, say, start_generation, words
from tests.transcripts.reading_back import expected, held

A, B = "agent:main:a", "agent:main:b"


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """The mirror's folder."""
    made = Folder(tmp_path / "transcripts")
    made.make()
    return made


async def _fill(db: Database) -> None:
    await make_session(db, A, drafts=[words("one"), words("two")])
    await start_generation(db, A)
    await say(db, A, words("anew"))
    await make_session(db, B, drafts=[words("other")], archived=True)
    await make_session(db, "agent:main:empty")


async def test_every_transcript_gets_its_file_old_generations_and_archives_too(db: Database, folder: Folder) -> None:
    await _fill(db)

    done = await rebuild_all(db, folder)

    assert (done.files, done.messages) == (3, 4)
    assert held(folder) == await expected(db)


async def test_wrong_files_become_right_and_unknown_ones_stay(db: Database, folder: Folder) -> None:
    await _fill(db)
    await rebuild_all(db, folder)
    right = held(folder)
    for each in right:
        folder.file_of(each).write_bytes(b'{"sequence":9}\nrubbish')
    folder.file_of("from-elsewhere").write_bytes(b"{}\n")

    await rebuild_all(db, folder)

    assert held(folder) == {**right, "from-elsewhere": b"{}\n"}


async def test_unknown_files_go_when_asked_for(db: Database, folder: Folder) -> None:
    await _fill(db)
    folder.file_of("from-elsewhere").write_bytes(b"{}\n")

    done = await rebuild_all(db, folder, prune=True)

    assert done.removed == 1
    assert held(folder) == await expected(db)


async def test_a_transcript_longer_than_a_piece_is_whole(
    db: Database, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copying, "PAGE_BYTES", 500)
    advanced: list[int] = []
    await make_session(db, A, drafts=[words("x" * 100)] * 50)

    await rebuild_all(db, folder, advance=advanced.append)

    assert held(folder) == await expected(db)
    assert sum(advanced) == 50


async def test_beside_a_mirror_at_work_nothing_is_lost_or_doubled(db: Database, folder: Folder) -> None:
    mirror = Mirror(db, folder, MirrorHints())
    await mirror.catch_up()
    await make_session(db, A, drafts=[words("first")])

    async def talk() -> None:
        for number in range(40):
            await say(db, A, words(str(number)))
            await mirror.catch_up()

    async def rebuild() -> None:
        for _ in range(20):
            await rebuild_all(db, folder)

    await asyncio.gather(talk(), rebuild())

    assert held(folder) == await expected(db)


async def test_what_comes_while_a_file_is_written_anew_is_in_it(
    db: Database, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    mirror = Mirror(db, folder, MirrorHints())
    await mirror.catch_up()
    await make_session(db, A, drafts=[words("first")])
    copy, copies = commands._copy, []

    async def copy_and_talk(*args: Any) -> int:
        copies.append(await copy(*args))
        if len(copies) == 1:
            await say(db, A, words("in between"))
            await mirror.catch_up()
        return copies[-1]

    monkeypatch.setattr(commands, "_copy", copy_and_talk)

    await rebuild_all(db, folder)

    assert held(folder) == await expected(db)


@pytest.fixture
def config(tmp_path: Path) -> Callable[[str], list[str]]:
    """The options that name a configuration."""

    def written(text: str = "") -> list[str]:
        file = tmp_path / "my.json5"
        file.write_text(f"{{store: {{dataDir: '{tmp_path / 'data'}'}}, {text}}}")
        return ["--config", str(file)]

    return written


def test_the_command_says_what_it_wrote(
    config: Callable[[str], list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asyncio.run(_filled(f"sqlite:///{tmp_path}/data/sessiontools.db"))

    assert main(["transcripts", "rebuild", *config(""), "--prune"]) == 0

    written, removed = capsys.readouterr().out.splitlines()
    assert written == f"wrote 4 messages into 3 files in {tmp_path}/data/transcripts"
    assert removed == "removed 0 files of transcripts that are not in the database"


async def _filled(url: str) -> None:
    db = await open_database(url, lambda topics: None)
    await _fill(db)
    await db.close()


def test_without_mirroring_there_is_nothing_to_rebuild(
    config: Callable[[str], list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["transcripts", "rebuild", *config("transcripts: {enabled: false}")]) == 1

    assert capsys.readouterr().err.startswith("sessiontools: transcripts.enabled is false")


def test_two_rebuilds_at_once_are_one_too_many(
    config: Callable[[str], list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = Folder(tmp_path / "data" / "transcripts")
    folder.make()

    with folder.locked(".rebuild"):
        assert main(["transcripts", "rebuild", *config("")]) == 1

    assert "another rebuild" in capsys.readouterr().err
