"""`sessiontools seed`: what it accepts, what it says, and how it ends."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import pytest
import sqlalchemy as sa

from sessiond.commands import seed
from sessiond.store.opening import engine_of
from sessiond.store.schema import sessions


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("SESSIONTOOLS_")]:
        monkeypatch.delenv(name)


def _run(*argv: str) -> int:
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--config", type=Path, metavar="FILE")
    parser = argparse.ArgumentParser()
    seed.add_parser(parser.add_subparsers(required=True), [common])
    args = parser.parse_args(["seed", *argv])
    code = args.run(args)
    assert isinstance(code, int)
    return code


def _agents(url: str) -> set[str]:
    engine = engine_of(url)
    with engine.connect() as connection:
        return set(connection.scalars(sa.select(sessions.c.agent_id)))


def test_it_fills_the_default_store_and_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("--sessions", "50", "--messages", "1,000", "--one-transcript", "20") == 0

    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith("added 51 sessions and 1,020 messages to sqlite:///.sessiontools/sessiontools.db in ")
    assert second.startswith("the long transcript is that of agent:main:archive-")


def test_without_a_terminal_there_is_no_progress_bar(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("--sessions", "50") == 0

    assert capsys.readouterr().err == ""


def test_the_configured_agents_get_the_sessions() -> None:
    Path("my.json5").write_text(
        "{store: {url: 'sqlite:///mine.db'}, agents: {list: [{id: 'a'}, {id: 'b'}, {id: 'c', default: true}]}}"
    )

    assert _run("--config", "my.json5", "--sessions", "100") == 0

    assert _agents("sqlite:///mine.db") == {"a", "b", "c", "work", "family"}


@pytest.mark.parametrize(
    ("argv", "text"),
    [
        ([], "nothing to add; give --sessions N, --messages M or --one-transcript M"),
        (["--sessions", "0"], "nothing to add; give --sessions N, --messages M or --one-transcript M"),
        (["--sessions=-1"], "--sessions '-1': expected a whole number from 0 to 100,000,000"),
        (["--sessions", "many"], "--sessions 'many': expected a whole number from 0 to 100,000,000"),
        (["--sessions", "²"], "--sessions '²': expected a whole number from 0 to 100,000,000"),
        (["--sessions", "1", "--messages", ""], "--messages '': expected a whole number from 0 to 100,000,000"),
        (["--one-transcript", "1e9"], "--one-transcript '1e9': expected a whole number from 0 to 100,000,000"),
        (["--sessions", "100000001"], "--sessions '100000001': expected a whole number from 0 to 100,000,000"),
        (["--sessions", "9" * 5000], f"--sessions '{'9' * 5000}': expected a whole number from 0 to 100,000,000"),
        (["--sessions", "1", "--seed-number", "x"], "--seed-number 'x': expected a whole number from 0 to 100,000,000"),
        (["--messages", "5"], "--messages needs --sessions to put them into; for one session, use --one-transcript"),
    ],
)
def test_wrong_numbers_are_refused_in_one_line(capsys: pytest.CaptureFixture[str], argv: list[str], text: str) -> None:
    assert _run(*argv) == 2

    assert capsys.readouterr().err == f"sessiontools: {text}\n"
    assert not Path(".sessiontools").exists()


def test_a_store_that_is_no_database_is_refused_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    Path("broken.db").write_text("this is not a database, whatever its name says\n" * 100)
    Path("my.json5").write_text("{store: {url: 'sqlite:///broken.db'}}")

    assert _run("--config", "my.json5", "--sessions", "1") == 2

    assert capsys.readouterr().err == "sessiontools: sqlite:///broken.db can't be filled: file is not a database\n"


def test_a_store_that_does_not_answer_is_refused_in_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SESSIONTOOLS_STORE__URL", "postgresql+psycopg://someone:secret@127.0.0.1:1/nothing")

    assert _run("--sessions", "1") == 2

    printed = capsys.readouterr().err
    assert printed.startswith("sessiontools: postgresql+psycopg://someone:***@127.0.0.1:1/nothing can't be filled: ")
    assert printed.count("\n") == 1
