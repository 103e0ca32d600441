"""Log lines: one JSON object each for machines, one readable line each on a terminal."""

from __future__ import annotations

import json
import logging
import os
import sys
from datetime import UTC, datetime
from typing import Any, Literal, TextIO

Format = Literal["auto", "human", "json"]

HANDLER = "sessiond"
# Below these levels, only their makers learn from them.
NOISY = {"grpc": logging.INFO, "asyncio": logging.INFO, "alembic": logging.WARNING}
# What every record has; all else on it was given as `extra` and is shown as a field.
STANDARD = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime"}
COLOURS = {logging.WARNING: "\x1b[33m", logging.ERROR: "\x1b[31m", logging.CRITICAL: "\x1b[31m"}
DIM, PLAIN = "\x1b[2m", "\x1b[0m"


def setup(format: Format = "auto", level: str = "info", stream: TextIO | None = None) -> None:  # noqa: A002
    """Send all logs of the process to the stream (standard error), those of grpc, asyncio and `warnings` among them."""
    target = sys.stderr if stream is None else stream
    handler = logging.StreamHandler(target)
    handler.set_name(HANDLER)
    handler.setFormatter(_formatter(format, target))
    root = logging.getLogger()
    for old in [each for each in root.handlers if each.get_name() == HANDLER]:
        root.removeHandler(old)
    root.addHandler(handler)
    least = logging.getLevelNamesMapping()[level.upper()]
    root.setLevel(least)
    for name, floor in NOISY.items():
        logging.getLogger(name).setLevel(max(least, floor))
    logging.getLogger("grpc._cython.cygrpc").addFilter(_is_ours_to_tell)
    logging.captureWarnings(capture=True)


def _is_ours_to_tell(record: logging.LogRecord) -> bool:
    """Whether a line of gRPC's belongs in the log: not one that quotes metadata it can't decode, a token perhaps."""
    return not str(record.msg).startswith("Invalid encoding")


def _formatter(format: Format, target: TextIO) -> logging.Formatter:  # noqa: A002
    is_terminal = target.isatty()
    if format == "json" or (format == "auto" and not is_terminal):
        return JsonLines()
    return HumanLines(has_colour=is_terminal and "NO_COLOR" not in os.environ)


class JsonLines(logging.Formatter):
    """time, level, logger, event, then the fields; pure ASCII, so that no stream and no text can break a line."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as one JSON object."""
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        line = {"time": time, "level": record.levelname.lower(), "logger": record.name, "event": record.getMessage()}
        for name, value in fields_of(record).items():
            line.setdefault(name, value)
        if problem := problem_of(self, record):
            line["exception"] = problem
        return json.dumps(line, default=str)


class HumanLines(logging.Formatter):
    """Local time, level, what happened, then the fields as name=value; a traceback follows on lines of its own."""

    def __init__(self, *, has_colour: bool) -> None:
        super().__init__()
        self._has_colour = has_colour

    def format(self, record: logging.LogRecord) -> str:
        """The record as one line, and its traceback."""
        time = datetime.fromtimestamp(record.created).astimezone().strftime("%H:%M:%S.%f")[:-3]
        level = self._coloured(COLOURS.get(record.levelno, ""), f"{record.levelname.lower():7}")
        fields = "".join(f" {name}={_shown(value)}" for name, value in fields_of(record).items() if value != "")
        line = f"{self._coloured(DIM, time)} {level} {_escaped(record.getMessage())}{self._coloured(DIM, fields)}"
        problem = problem_of(self, record)
        return f"{line}\n{problem}" if problem else line

    def _coloured(self, colour: str, text: str) -> str:
        return f"{colour}{text}{PLAIN}" if self._has_colour and colour and text else text


def fields_of(record: logging.LogRecord) -> dict[str, Any]:
    """What was given as `extra`."""
    return {name: value for name, value in record.__dict__.items() if name not in STANDARD}


def problem_of(formatter: logging.Formatter, record: logging.LogRecord) -> str:
    """The traceback of a record, if it has one."""
    return formatter.formatException(record.exc_info) if record.exc_info and record.exc_info[0] else ""


def _shown(value: object) -> str:
    text = str(value)
    return text if text.isprintable() and not set(text) & {" ", '"', "="} else json.dumps(text)


def _escaped(text: str) -> str:
    """Without control characters: no text of a caller may write lines of its own or steer the terminal."""
    return text if text.isprintable() else "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)
