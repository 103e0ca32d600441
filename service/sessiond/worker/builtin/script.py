r"""The script language of the echo runtime.

A message whose first line is `#!` alone is a script, one step a line; blank lines count for nothing:

    sleep 0.5                            wait so many seconds
    delta some text                      show waiters a piece of the answer
    tool name {json} -> result text      write a tool call and its result into the transcript
    call sessions_send {json}            call a session tool; its answer is written as the tool's result
    reply some text                      end with this reply, which may be empty
    skip                                 end with the step's skip token
    fail REASON some text                end with this failure
    hang                                 wait until cancelled

Lines after `@reply` are for the reply turns of the exchange which the message begins, lines after `@announce` for its
announce. With several `@reply` the first is for turn 1 and so on; the last serves every turn after it too. What comes
to its end without `reply`, `skip`, `fail` or `hang` replies with an empty text. In the texts of `reply`, `delta`,
`fail` and a tool's result `\n` is a line break and `\\` a backslash. A script is read as a whole before its first step.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from sessiond.model.runs import Failure
from sessiond.worker.builtin.arguments import ArgumentsError, parse_arguments, split_arguments

HEAD = "#!"
MAX_REASON = 256
_ESCAPE = re.compile(r"\\([n\\])")


class ScriptError(ValueError):
    """A line that is no step; the text names it by its number."""


@dataclass(frozen=True)
class Sleep:
    """Wait."""

    seconds: float


@dataclass(frozen=True)
class Show:
    """Show a piece of the answer."""

    text: str


@dataclass(frozen=True)
class UseTool:
    """Pretend to have used a tool."""

    name: str
    arguments: dict[str, Any]
    result: str


@dataclass(frozen=True)
class CallTool:
    """Call a session tool."""

    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Reply:
    """End with this text."""

    text: str


@dataclass(frozen=True)
class Skip:
    """End with the skip token."""


@dataclass(frozen=True)
class Fail:
    """End with this failure."""

    failure: Failure


@dataclass(frozen=True)
class Hang:
    """Wait until cancelled."""


Action = Sleep | Show | UseTool | CallTool | Reply | Skip | Fail | Hang


@dataclass
class Script:
    """What to do in the run that a message begins, and in the later steps of its exchange."""

    main: list[Action] = field(default_factory=list)
    replies: list[list[Action]] = field(default_factory=list)
    announce: list[Action] | None = None

    def reply_at(self, turn: int) -> list[Action] | None:
        """What to do in this reply turn, counted from 1; None when the script says nothing of replies."""
        return self.replies[min(max(turn, 1), len(self.replies)) - 1] if self.replies else None


def is_script(text: str) -> bool:
    """Whether the first line is the mark of a script, and nothing else."""
    return text.startswith(HEAD) and text.partition("\n")[0].rstrip() == HEAD


def parse_script(text: str) -> Script:
    """The script of a message for which `is_script` holds."""
    script = Script()
    section = script.main
    for number, line in _lines(text):
        try:
            if line.startswith("@"):
                section = _open_section(script, line.rstrip())
            else:
                section.append(_action(line))
        except ValueError as problem:
            raise ScriptError(f"line {number}: {problem}") from None
    return script


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines after the mark that say something, with their numbers in the message."""
    for number, line in enumerate(text.split("\n")[1:], 2):
        if line.strip():
            yield number, line.lstrip().removesuffix("\r")


def _open_section(script: Script, name: str) -> list[Action]:
    section: list[Action] = []
    if name == "@reply":
        script.replies.append(section)
    elif name != "@announce":
        raise ValueError(f"unknown section {name[:40]!r}; there are @reply and @announce")
    elif script.announce is not None:
        raise ValueError("a second @announce; an exchange has one")
    else:
        script.announce = section
    return section


def _action(line: str) -> Action:
    word, _, rest = line.partition(" ")
    read = _READERS.get(word.rstrip())
    if read is None:
        raise ValueError(f"unknown step {word[:40]!r}; there are {', '.join(_READERS)}")
    return read(rest)


def _sleep(rest: str) -> Sleep:
    try:
        seconds = float(rest)
    except ValueError:
        seconds = math.nan
    if not (math.isfinite(seconds) and seconds >= 0):
        raise ValueError(f"sleep needs a number of seconds, not {rest[:40]!r}")
    return Sleep(seconds)


def _tool(rest: str) -> UseTool:
    name, rest = _name(rest)
    arguments, rest = ({}, rest) if rest.startswith("->") else split_arguments(rest)
    if not rest.lstrip().startswith("->"):
        raise ArgumentsError("tool needs `-> result text` after the JSON object")
    return UseTool(name, arguments, _unescaped(rest.lstrip().removeprefix("->").removeprefix(" ")))


def _call(rest: str) -> CallTool:
    name, rest = _name(rest)
    return CallTool(name, parse_arguments(rest))


def _name(rest: str) -> tuple[str, str]:
    name, _, rest = rest.strip().partition(" ")
    if not name or name.startswith(("{", "->")):
        raise ValueError("the name of a tool is missing")
    return name, rest.lstrip()


def _fail(rest: str) -> Fail:
    reason, _, message = rest.strip().partition(" ")
    if not reason or len(reason) > MAX_REASON:
        raise ValueError(f"fail needs a reason of at most {MAX_REASON} characters")
    return Fail(Failure(reason, _unescaped(message.strip()) or reason))


def _alone(action: Action) -> Callable[[str], Action]:
    def read(rest: str) -> Action:
        if rest.strip():
            raise ValueError(f"nothing may stand after {type(action).__name__.lower()}")
        return action

    return read


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda found: "\n" if found[1] == "n" else "\\", text)


_READERS: dict[str, Callable[[str], Action]] = {
    "sleep": _sleep,
    "delta": lambda rest: Show(_unescaped(rest)),
    "tool": _tool,
    "call": _call,
    "reply": lambda rest: Reply(_unescaped(rest)),
    "skip": _alone(Skip()),
    "fail": _fail,
    "hang": _alone(Hang()),
}
