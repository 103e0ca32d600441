"""`sessiontools backup`: a whole copy while the server writes, and a restore that has everything that was answered."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest

from sessiond.__main__ import main
from sessiontools.v1 import session_tools_service_pb2 as tools
from tests.serving import Served, served


@pytest.fixture(autouse=True)
def configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SESSIONTOOLS_STORE__URL", f"sqlite:///{tmp_path / 'served.db'}")
    monkeypatch.chdir(tmp_path)


async def say(server: Served, text: str) -> None:
    await server.tools.SessionsSend(tools.SessionsSendRequest(session_key="main", message=text, timeout_seconds=30))


async def words(server: Served) -> list[str]:
    answer = await server.tools.SessionsHistory(tools.SessionsHistoryRequest(session_key="main", limit=1000))
    return [each.content[0].text.text for each in answer.messages]


async def test_a_copy_made_under_load_has_all_that_was_answered_before_it(tmp_path: Path) -> None:
    copied = asyncio.Event()

    async def keep_writing(server: Served) -> None:
        while not copied.is_set():
            await say(server, "meanwhile")

    async with served(tmp_path) as server:
        await say(server, "before")
        writing = asyncio.create_task(keep_writing(server))
        assert await asyncio.to_thread(main, ["backup", "copy.db"]) == 0
        copied.set()
        await writing
        await say(server, "after")

    restored = tmp_path / "restored"
    restored.mkdir()
    (tmp_path / "copy.db").rename(restored / "served.db")
    async with served(restored) as server:
        told = await words(server)
        assert told[:2] == ["before", "echo: before"]
        assert "after" not in told
        # What ran when the copy was made counts as lost with its runtime, once its lease is over; nothing is refused.
        again = tools.SessionsSendRequest(session_key="main", message="again", timeout_seconds=0)
        assert (await server.tools.SessionsSend(again)).status == tools.SEND_STATUS_ACCEPTED


async def test_a_copy_is_one_file_for_its_owner_alone(tmp_path: Path) -> None:
    async with served(tmp_path):
        assert await asyncio.to_thread(main, ["backup", "copy.db"]) == 0

    await asyncio.to_thread(only_for_its_owner, tmp_path)


def only_for_its_owner(tmp_path: Path) -> None:
    assert sorted(each.name for each in tmp_path.glob("copy.db*")) == ["copy.db"]
    for name in ("copy.db", "served.db"):
        assert (tmp_path / name).stat().st_mode & 0o777 == 0o600


def test_nothing_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sqlite3.connect(tmp_path / "served.db").close()
    (tmp_path / "copy.db").write_text("mine")

    assert main(["backup", "copy.db"]) == 1

    assert "exists" in capsys.readouterr().err
    assert (tmp_path / "copy.db").read_text() == "mine"


@pytest.mark.parametrize(
    ("url", "words"),
    [("sqlite:///none.db", "there is no database"), ("postgresql+psycopg://u@127.0.0.1/x", "use pg_dump")],
)
def test_what_can_not_be_copied_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], url: str, words: str
) -> None:
    monkeypatch.setenv("SESSIONTOOLS_STORE__URL", url)

    assert main(["backup", "copy.db"]) == 1

    assert words in capsys.readouterr().err


def test_a_damaged_database_gives_no_copy(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "served.db").write_bytes(b"SQLite format 3\x00" + b"\xff" * 8192)

    assert main(["backup", "copy.db"]) == 1

    assert "could not be copied" in capsys.readouterr().err
    assert list(tmp_path.glob("copy.db*")) == []
