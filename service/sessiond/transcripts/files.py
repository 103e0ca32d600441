"""The files of an import: what lies in a folder, and the lines of one file. Links are never followed."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from sessiond.transcripts.folder import SUFFIX

MAX_LINE = 16 * 1024 * 1024  # a message of the largest size, with its pictures in base64 and every character escaped


@dataclass
class Found:
    """The transcripts of a folder, newest first, and what looks like one but is left alone, each with the reason."""

    files: list[Path] = field(default_factory=list)
    left: list[tuple[Path, str]] = field(default_factory=list)
    size: int = 0


def transcripts_in(root: Path) -> Found:
    """Look through a folder and those in it."""
    found = Found()
    dated: list[tuple[int, Path]] = []
    for place, folders, names in os.walk(root):
        links = [name for name in folders if (Path(place) / name).is_symlink()]
        found.left += [(Path(place) / name, "is a link to a folder; links are not followed") for name in links]
        for path in (Path(place) / name for name in names if name.endswith(SUFFIX)):
            about = path.lstat()
            if not stat.S_ISREG(about.st_mode):
                found.left.append((path, "is no plain file; links are not followed"))
                continue
            found.size += about.st_size
            dated.append((-about.st_mtime_ns, path))
    found.files = [path for _, path in sorted(dated)]
    return found


def opened(path: Path) -> BinaryIO:
    """The file for reading; OSError when it has become a link or something else that is no file."""
    number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    file = os.fdopen(number, "rb")
    if not stat.S_ISREG(os.fstat(number).st_mode):
        file.close()
        raise OSError("is no plain file")
    return file


def lines_of(file: BinaryIO) -> Iterator[tuple[int, bytes, int]]:
    """Number, text and size of each line; one that is too long has no text."""
    number = 0
    while line := file.readline(MAX_LINE):
        number += 1
        size, is_whole = len(line), line.endswith(b"\n")
        while not is_whole and (rest := file.readline(MAX_LINE)):
            line, size, is_whole = b"", size + len(rest), rest.endswith(b"\n")
        yield number, line.strip(), size
