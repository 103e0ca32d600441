"""SQLite's write-ahead log: when its pages go to the file, which takes a while, so that no commit does it by itself."""

from __future__ import annotations

import logging
import os
import sqlite3

log = logging.getLogger("sessiond.sqlite")

# How many pages the log may grow by, about, before they go to the file. The same ones change again and again, so the
# longer they rest the less there is to do; beyond this, readers would have a second index to look at.
MAX_PAGES = 4_000
GROUP_PAGES, WORK_PAGES = 8, 2  # what a group writes, and each of its works
KEPT_BYTES = MAX_PAGES * 4096  # of its file, once it was emptied
MAX_BYTES = 2 * KEPT_BYTES  # where works write more than that, such as large messages


class SqliteLog:
    """The log of the connection that writes, which leaves it to us."""

    def __init__(self, writing: sqlite3.Connection, database: str) -> None:
        self._writing = writing
        self._file = f"{database}-wal"
        self._pages = 0
        writing.execute("PRAGMA wal_autocheckpoint=0")  # else a commit might do it, on the event loop
        writing.execute(f"PRAGMA journal_size_limit={KEPT_BYTES}")

    @property
    def is_long(self) -> bool:
        """Whether it is to be emptied with the next commit."""
        return self._pages >= MAX_PAGES or self._bytes > MAX_BYTES

    def note_group(self, works: int) -> None:
        """So many works are about to be committed."""
        self._pages += GROUP_PAGES + WORK_PAGES * works

    def empty(self) -> None:
        """Bring its pages into the file; if that fails, what was committed is safe where it is."""
        self._pages = 0
        try:
            self._writing.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        except sqlite3.Error as problem:
            log.warning("SQLite's log could not be brought into the file", extra={"problem": str(problem)})

    @property
    def _bytes(self) -> int:
        try:
            return os.stat(self._file).st_size  # noqa: PTH116 - for every commit, and three times as quick as a Path's
        except FileNotFoundError:  # SQLite makes it when it first needs it
            return 0
