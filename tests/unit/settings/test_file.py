"""The file itself: which one is read, and what is said when it can't be."""

from pathlib import Path

import pytest

from sessiond.settings import SettingsError, load
from tests.unit.settings.conftest import ProblemsOf


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_without_any_file_the_defaults_hold() -> None:
    assert load(None, {}, {}).file is None


def test_the_usual_file_is_read_where_the_server_starts() -> None:
    Path("sessiontools.json5").write_text("{session: {mainKey: 'here'}}")

    assert load(None, {}, {}).settings.session.main_key == "here"


def test_the_variable_names_the_file_and_the_argument_wins() -> None:
    for name in ("usual", "variable", "argument"):
        Path("sessiontools.json5" if name == "usual" else name).write_text(f"{{session: {{mainKey: '{name}'}}}}")
    environ = {"SESSIONTOOLS_CONFIG": "variable"}

    assert load(None, environ, {}).settings.session.main_key == "variable"
    assert load(Path("argument"), environ, {}).settings.session.main_key == "argument"


def test_a_file_may_begin_with_a_byte_order_mark() -> None:
    Path("marked").write_bytes(b"\xef\xbb\xbf{}")

    assert load(Path("marked"), {}, {}).file == Path("marked")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"{a: 1,\n b: }", 'is not JSON5: line 2: Unexpected "}" at column 5'),
        (b"", "is not JSON5: Empty strings are not legal JSON5"),
        (b"{log: {}, log: {}}", 'is not JSON5: Duplicate key "log" found in object'),
        (b"[1]", "expected an object, { … }"),
        (b"{a: '\xff'}", "is not UTF-8 text: byte 5"),
        (b"[" * 100_000, "is nested too deeply"),
    ],
)
def test_a_file_that_makes_no_sense_is_one_clear_line(content: bytes, said: str) -> None:
    Path("broken").write_bytes(content)

    with pytest.raises(SettingsError) as caught:
        load(Path("broken"), {}, {})

    assert caught.value.problems == [f"broken: {said}"]


def test_a_missing_file_is_one_clear_line() -> None:
    with pytest.raises(SettingsError) as caught:
        load(None, {"SESSIONTOOLS_CONFIG": "nowhere.json5"}, {})

    assert caught.value.problems == ["nowhere.json5: cannot be read: No such file or directory"]


def test_a_folder_is_not_a_file() -> None:
    Path("folder").mkdir()

    with pytest.raises(SettingsError) as caught:
        load(Path("folder"), {}, {})

    assert caught.value.problems == ["folder: cannot be read: Is a directory"]


def test_the_error_reads_as_its_lines(problems_of: ProblemsOf) -> None:
    assert str(SettingsError(problems_of("{a: 1, b: 2}"))).count("\n") == 1
