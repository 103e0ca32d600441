"""`sessiontools backup`: a copy of the SQLite database while servers use it (docs/reliability.md: how to restore)."""

from __future__ import annotations

import argparse
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from sessiond.model.problems import Problem
from sessiond.settings import load
from sessiond.store.opening import sqlite_file

PAGES_AT_ONCE = 2_000  # between two pieces others may write


def add_parser(subparsers: Any, parents: list[argparse.ArgumentParser]) -> None:
    """Register the command."""
    about = "copy the SQLite database, consistent and checked, while servers use it"
    parser = subparsers.add_parser("backup", parents=parents, help=about, description=about)
    parser.add_argument("file", type=Path, help="the copy; must not exist yet")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Copy, check, and only then give the copy its name."""
    source = sqlite_file(load(args.config, os.environ, {}).settings.store.url)
    if source is None:
        raise Problem("backup is for SQLite; for PostgreSQL use pg_dump, or the backups of whoever runs it")
    if not source.exists():
        raise Problem(f"there is no database at {source}")
    if args.file.exists():
        raise Problem(f"{args.file} exists; name a file that does not")
    size = back_up(source, args.file)
    print(f"copied {size:,} bytes to {args.file}")
    return 0


def back_up(source: Path, target: Path) -> int:
    """The size of the copy."""
    unfinished = target.with_name(target.name + ".unfinished")
    try:
        unfinished.unlink(missing_ok=True)
        # The copy holds the keys of run tokens, as the database does.
        os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        with closing(sqlite3.connect(source)) as live, closing(sqlite3.connect(unfinished)) as copy:
            live.backup(copy, pages=PAGES_AT_ONCE)
            _require_whole(copy)
        with unfinished.open("rb+") as file:
            os.fsync(file.fileno())
        unfinished.rename(target)
    except (OSError, sqlite3.Error) as problem:
        unfinished.unlink(missing_ok=True)
        raise Problem(f"{source} could not be copied to {target}: {problem}") from problem
    return target.stat().st_size


def _require_whole(copy: sqlite3.Connection) -> None:
    copy.execute("PRAGMA journal_mode=DELETE")  # one file, with nothing beside it
    found = copy.execute("PRAGMA integrity_check").fetchone()[0]
    if found != "ok":
        raise sqlite3.DatabaseError(f"the copy is damaged: {found}")
