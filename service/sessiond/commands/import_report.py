"""What an import did, as it is told at the end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

SHOWN = 20


@dataclass
class Report:
    """Counts, and the first of what was skipped, each with its place and reason."""

    sessions: int = 0
    messages: int = 0
    known: int = 0
    lines: int = 0
    files: int = 0
    notes: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    def skip_line(self, file: str, number: int, reason: str) -> None:
        """A line that was not imported."""
        self.lines += 1
        self._note(f"{file}:{number}: {reason}")

    def skip_file(self, file: str, reason: str) -> None:
        """A file that was not imported."""
        self.files += 1
        self._note(f"{file}: {reason}")

    def told(self) -> Iterator[str]:
        """The report, line by line."""
        yield f"imported {_count(self.sessions, 'session')} and {_count(self.messages, 'message')}"
        if self.known:
            yield f"{_count(self.known, 'transcript')} had been imported before and had nothing new"
        yield from self.notes[:SHOWN]
        if self.lines or self.files:
            yield f"skipped {_count(self.lines, 'line')} and {_count(self.files, 'file')}:"
        yield from (f"  {each}" for each in self.skipped)
        if (more := self.lines + self.files - len(self.skipped)) > 0:
            yield f"  and {more:,} more"

    def _note(self, text: str) -> None:
        if len(self.skipped) < SHOWN:
            self.skipped.append(_printable(text))


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _printable(text: str) -> str:
    """Without what could move a terminal's cursor: names of files are anybody's."""
    return "".join(each if each.isprintable() else each.encode("unicode_escape", "replace").decode() for each in text)
