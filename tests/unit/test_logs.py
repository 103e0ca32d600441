"""Log lines, for machines and for people."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from sessiond import logs


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def logging_as_it_was() -> Iterator[None]:
    loggers = [logging.getLogger(name) for name in (None, *logs.NOISY)]
    levels, handlers = [each.level for each in loggers], list(loggers[0].handlers)
    yield
    logging.captureWarnings(capture=False)
    loggers[0].handlers[:] = handlers
    for each, level in zip(loggers, levels, strict=True):
        each.setLevel(level)


@pytest.fixture
def stream() -> io.StringIO:
    return io.StringIO()


def only_line(stream: io.StringIO) -> Any:
    (line,) = stream.getvalue().splitlines()
    return json.loads(line)


def failing(text: str) -> Callable[[], None]:
    def fail() -> None:
        raise ValueError(text)

    return fail


def test_a_line_for_machines_is_one_object_with_its_fields(stream: io.StringIO) -> None:
    logs.setup("json", "info", stream)

    logging.getLogger("sessiond.calls").info("call of %s", "me", extra={"code": "OK", "ms": 1.25})

    line = only_line(stream)
    assert line.pop("time").endswith("Z")
    assert line == {"level": "info", "logger": "sessiond.calls", "event": "call of me", "code": "OK", "ms": 1.25}


def test_times_are_utc_with_milliseconds() -> None:
    record = logging.makeLogRecord({"msg": "x", "created": 1_750_000_000.0625})

    assert json.loads(logs.JsonLines().format(record))["time"] == "2025-06-15T15:06:40.062Z"


def test_an_exception_is_text_in_the_same_line(stream: io.StringIO) -> None:
    logs.setup("json", "info", stream)

    try:
        failing("two\nlines")()
    except ValueError:
        logging.getLogger("x").exception("it broke")

    assert "ValueError: two\nlines" in only_line(stream)["exception"]


@pytest.mark.parametrize("text", ["a\nb", "会话 🦀", "half \ud83e", "\x1b[31m"])
def test_no_text_breaks_a_line_for_machines(stream: io.StringIO, text: str) -> None:
    logs.setup("json", "info", stream)

    logging.getLogger("x").info(text, extra={"label": text, "odd": object})

    line = only_line(stream)
    assert (line["event"], line["label"], line["odd"]) == (text, text, "<class 'object'>")


def test_a_field_cannot_replace_what_every_line_has(stream: io.StringIO) -> None:
    logs.setup("json", "info", stream)

    logging.getLogger("x").info("said", extra={"event": "other", "level": "none", "time": "never"})

    assert (only_line(stream)["event"], only_line(stream)["level"]) == ("said", "info")


def test_a_pipe_gets_lines_for_machines_and_a_terminal_lines_for_people(stream: io.StringIO) -> None:
    terminal = Terminal()

    logs.setup("auto", "info", stream)
    logging.getLogger("x").info("one")
    logs.setup("auto", "info", terminal)
    logging.getLogger("x").info("two")

    assert only_line(stream)["event"] == "one"
    assert "two" in terminal.getvalue()
    assert not terminal.getvalue().startswith("{")


def test_a_line_for_people_shows_the_fields_that_have_a_value(stream: io.StringIO) -> None:
    logs.setup("human", "info", stream)

    logging.getLogger("x").warning("call", extra={"code": "OK", "caller": "", "text": 'with "space"', "ms": 1.5})

    assert stream.getvalue().split(" ", 1)[1] == 'warning call code=OK text="with \\"space\\"" ms=1.5\n'


def test_a_line_for_people_lets_no_text_steer_the_terminal(stream: io.StringIO) -> None:
    logs.setup("human", "info", stream)

    logging.getLogger("x").info("key \x1b[2J\nerror forged ключ", extra={"label": "a\nb"})

    assert stream.getvalue().split(" ", 1)[1] == 'info    key \\x1b[2J\\nerror forged ключ label="a\\nb"\n'


def test_a_line_for_people_is_followed_by_its_traceback(stream: io.StringIO) -> None:
    logs.setup("human", "info", stream)

    try:
        failing("seen")()
    except ValueError:
        logging.getLogger("x").exception("it broke")

    assert stream.getvalue().rstrip().endswith("ValueError: seen")


@pytest.mark.parametrize(("no_colour", "has_colour"), [(False, True), (True, False)])
def test_colours_are_for_terminals_that_want_them(
    monkeypatch: pytest.MonkeyPatch, no_colour: bool, has_colour: bool
) -> None:
    monkeypatch.setenv("NO_COLOR", "1") if no_colour else monkeypatch.delenv("NO_COLOR", raising=False)
    terminal = Terminal()
    logs.setup("human", "info", terminal)

    logging.getLogger("x").error("red")

    assert ("\x1b[31m" in terminal.getvalue()) is has_colour


def test_the_level_decides_what_is_written(stream: io.StringIO) -> None:
    logs.setup("json", "warning", stream)

    logging.getLogger("x").info("not this")
    logging.getLogger("x").warning("this")

    assert only_line(stream)["event"] == "this"


def test_the_inner_life_of_libraries_is_not_debug_output_of_ours(stream: io.StringIO) -> None:
    logs.setup("json", "debug", stream)

    logging.getLogger("grpc._cython.cygrpc").debug("loaded running loop")
    logging.getLogger("sessiond.x").debug("ours")

    assert only_line(stream)["event"] == "ours"


def test_setting_up_again_replaces_and_keeps_what_others_added(stream: io.StringIO) -> None:
    others = logging.NullHandler()
    logging.getLogger().addHandler(others)

    logs.setup("json", "info", io.StringIO())
    logs.setup("json", "info", stream)
    logging.getLogger("x").info("once")

    assert only_line(stream)["event"] == "once"
    assert others in logging.getLogger().handlers


async def test_what_asyncio_and_warnings_say_goes_the_same_way(stream: io.StringIO) -> None:
    logs.setup("json", "info", stream)

    asyncio.get_running_loop().call_exception_handler({"message": "Task exception was never retrieved"})
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        logging.captureWarnings(capture=False)
        logging.captureWarnings(capture=True)
        warnings.warn("old way", DeprecationWarning, stacklevel=1)

    told = [json.loads(each) for each in stream.getvalue().splitlines()]
    assert [each["logger"] for each in told] == ["asyncio", "py.warnings"]
    assert told[0]["event"] == "Task exception was never retrieved"
    assert "old way" in told[1]["event"]
