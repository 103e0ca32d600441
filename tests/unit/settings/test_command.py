"""`sessiontools config`: what it prints, where, and how it ends."""

import argparse
import json
import os
from pathlib import Path

import pytest

from sessiond.commands import config
from sessiond.settings.explain import reference


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("SESSIONTOOLS_")]:
        monkeypatch.delenv(name)


def _run(*argv: str) -> int:
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--config", type=Path, metavar="FILE")
    parser = argparse.ArgumentParser()
    config.add_parser(parser.add_subparsers(required=True), [common])
    args = parser.parse_args(["config", *argv])
    code = args.run(args)
    assert isinstance(code, int)
    return code


def test_check_says_that_a_file_is_fine(capsys: pytest.CaptureFixture[str]) -> None:
    Path("good.json5").write_text("{}")

    assert _run("check", "good.json5") == 0
    assert capsys.readouterr().out == "good.json5: ok\n"


def test_check_tells_every_problem_on_a_line_of_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    Path("bad.json5").write_text("{log: {level: 'loud', format: 'xml'}}")

    assert _run("check", "--config", "bad.json5") == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert [line.split(":")[0] for line in printed.err.splitlines()] == ["log.format", "log.level"]


def test_check_without_any_file_checks_the_defaults(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("check") == 0
    assert capsys.readouterr().out == "no file, only defaults: ok\n"


def test_show_prints_what_file_and_environment_give(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("sessiontools.json5").write_text("{session: {mainKey: 'work'}}")
    monkeypatch.setenv("SESSIONTOOLS_ANNOUNCE__STATS", "off")

    assert _run("show") == 0
    printed = capsys.readouterr().out
    assert 'mainKey: "work",  // file' in printed
    assert 'stats: "off",  // env SESSIONTOOLS_ANNOUNCE__STATS' in printed


def test_show_prints_json_for_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("show", "--json") == 0
    assert json.loads(capsys.readouterr().out)["sources"]["session.mainKey"] == "default"


def test_reference_prints_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run("reference") == 0
    assert capsys.readouterr().out == reference()
