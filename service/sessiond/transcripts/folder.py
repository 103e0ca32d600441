"""The folder of the mirror: one file a generation, appended to, repaired after a crash, replaced as a whole (L9).

Several processes may write here at once (servers, an import, a rebuild). A lock is held for each single step, and
each step looks at the file itself: what another process wrote in between is seen, never written twice.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeVar

SUFFIX = ".jsonl"
_SESSION_ID = re.compile(r"[0-9A-Za-z][0-9A-Za-z_-]{0,127}")
_LOCK = ".lock"
_MARK = ".mirrored"
_BLOCK = 64 * 1024
# Private, never through a symbolic link, and not inherited by programs that runs start.
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC


Failure = OSError | ValueError
_Item = TypeVar("_Item")


class Piece(NamedTuple):
    """Lines that follow a sequence in a file."""

    session_id: str
    lines: Sequence[bytes]
    after: int


class Folder:
    """The mirror's files; everything here blocks, so that servers call it in a thread."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def make(self) -> None:
        """Make the folder, for its owner alone."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.mkdir(mode=0o700, exist_ok=True)

    def file_of(self, session_id: str) -> Path:
        """The file of a generation; an id that is more than a name is refused."""
        if not _SESSION_ID.fullmatch(session_id):
            raise ValueError(f"{session_id[:64]!r} can't be the name of a file")
        return self.path / f"{session_id}{SUFFIX}"

    def last_sequences(self, session_ids: Sequence[str]) -> list[int | Failure]:
        """For each the last message that its file holds whole; 0 when there is none, or what is there can't be read."""
        return _of_each(self._last_sequence, session_ids)

    def append(self, pieces: Sequence[Piece]) -> list[int | Failure]:
        """Add each piece to its file, unless that stands elsewhere; tells where each stands now.

        A line that a crash tore is cut off first.
        """
        with self.locked():
            return _of_each(self._append, pieces)

    def _last_sequence(self, session_id: str) -> int:
        try:
            with self.file_of(session_id).open("rb", buffering=0) as file:
                return _tail(file.fileno(), os.fstat(file.fileno()).st_size)[0]
        except FileNotFoundError:
            return 0

    def _append(self, piece: Piece) -> int:
        # System calls by themselves, and few of them: each lets go of the interpreter's lock and has to wait for it.
        with _numbered(self.file_of(piece.session_id)) as number:
            size = os.fstat(number).st_size
            sequence, end = _tail(number, size)
            if sequence != piece.after:
                return sequence
            if end < size:
                os.ftruncate(number, end)
            _write(number, b"".join(piece.lines), end)
            return piece.after + len(piece.lines)

    def remove(self, session_id: str) -> None:
        """Remove the file, if there is one."""
        self.file_of(session_id).unlink(missing_ok=True)

    def session_ids(self) -> Iterator[str]:
        """The generations that have a file."""
        with os.scandir(self.path) as entries:
            names = (entry.name for entry in entries if entry.is_file(follow_symlinks=False))
            found = (name.removesuffix(SUFFIX) for name in names if name.endswith(SUFFIX))
            yield from (each for each in found if _SESSION_ID.fullmatch(each))

    @contextmanager
    def rewriting(self, session_id: str) -> Iterator[BinaryIO]:
        """A file to write anew; what is written goes when the context ends, unless it took the old one's place."""
        fresh = self._fresh(session_id)
        try:
            with _opened(fresh) as file:
                file.truncate(0)
                yield file
        finally:
            fresh.unlink(missing_ok=True)

    def take_place(self, session_id: str) -> None:
        """Let the file that was written anew take the old one's place."""
        self._fresh(session_id).replace(self.file_of(session_id))

    def _fresh(self, session_id: str) -> Path:
        return self.path / f".{self.file_of(session_id).name}.new"

    @contextmanager
    def locked(self, name: str = _LOCK, wait: bool = True) -> Iterator[None]:
        """Keep other writers out; BlockingIOError when it is not to be waited for them."""
        with _numbered(self.path / name) as number:
            fcntl.flock(number, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield

    def mark(self) -> int | None:
        """Up to when everything is mirrored, as far as is known."""
        with suppress(FileNotFoundError, ValueError):
            return int((self.path / _MARK).read_text())
        return None

    def set_mark(self, until_ms: int) -> None:
        """Remember up to when everything is mirrored."""
        fresh = self.path / f"{_MARK}.new"
        with _opened(fresh) as file:
            file.truncate(0)
            file.write(f"{until_ms}\n".encode())
        fresh.replace(self.path / _MARK)


def _of_each(do: Callable[[_Item], int], items: Sequence[_Item]) -> list[int | Failure]:
    """What comes of each; one that fails does not keep the others waiting."""
    found: list[int | Failure] = []
    for item in items:
        try:
            found.append(do(item))
        except (OSError, ValueError) as failure:
            found.append(failure)
    return found


@contextmanager
def _numbered(path: Path) -> Iterator[int]:
    number = os.open(path, _FLAGS, 0o600)
    try:
        yield number
    finally:
        os.close(number)


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    with os.fdopen(os.open(path, _FLAGS, 0o600), "r+b") as file:
        yield file


def _write(number: int, text: bytes, at: int) -> None:
    """All of it, also when the system takes only a part at once."""
    rest = memoryview(text)
    while rest:
        written = os.pwrite(number, rest, at)
        rest, at = rest[written:], at + written


def _tail(number: int, size: int) -> tuple[int, int]:
    """The sequence of the last whole line, and where it ends; both 0 when it is none of ours: begin anew."""
    line, end = _last_line(number, size)
    try:
        sequence = json.loads(line)["sequence"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return 0, 0
    return (sequence, end) if type(sequence) is int and sequence > 0 else (0, 0)


def _last_line(number: int, size: int) -> tuple[bytes, int]:
    """The last whole line, and where it ends; looked for in ever more of the file's end."""
    length = _BLOCK
    while True:
        start = max(0, size - length)
        text = os.pread(number, size - start, start)
        end = text.rfind(b"\n") + 1
        begin = text.rfind(b"\n", 0, end - 1) + 1 if end else 0
        if begin or not start:
            return text[begin:end], start + end
        length *= 4
