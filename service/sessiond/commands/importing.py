"""`sessiontools import DIR`: bring transcripts from elsewhere, as JSON lines, into the store."""

from __future__ import annotations

import argparse
import asyncio
import os
from pathlib import Path
from typing import Any

from tqdm import tqdm

from sessiond.commands.import_file import FileImport, Imported
from sessiond.commands.import_report import Report
from sessiond.configured import rules_of
from sessiond.model.errors import InvalidKey, StoreUnavailable
from sessiond.model.problems import Problem
from sessiond.model.rules import Rules
from sessiond.settings import load
from sessiond.store.database import Database
from sessiond.store.imports import Moved
from sessiond.store.opening import open_database
from sessiond.store.session_pages import Position
from sessiond.store.transcripts import Transcript
from sessiond.transcripts.files import transcripts_in
from sessiond.transcripts.folder import Folder
from sessiond.worker.copying import copy_one

_ABOUT = """Import every *.jsonl file in DIR and the folders in it. Each becomes a transcript of the session that its
first line or its name gives: KEY.jsonl, with : written as %3A. Any other file becomes agent:<default>:imported:NAME.
A session that has messages of its own keeps them; what is imported is then an earlier transcript of it, readable by
its session id. Running it again imports only what is new. A server may be running."""


def add_parser(subparsers: Any, parents: list[argparse.ArgumentParser]) -> None:
    """Register `import`."""
    parser = subparsers.add_parser("import", parents=parents, help="import JSONL transcripts", description=_ABOUT)
    parser.add_argument("folder", type=Path, metavar="DIR", help="the folder with the transcripts")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Import, and report what was imported and what was skipped, with the reasons."""
    if not args.folder.is_dir():
        raise Problem(f"{args.folder} is not a folder")
    settings = load(args.config, os.environ, {}).settings
    report = asyncio.run(_import(settings.store.url, rules_of(settings), args.folder))
    for line in report.told():
        print(line)
    return 0


async def _import(url: str, rules: Rules, root: Path) -> Report:
    db = await open_database(url, lambda topics: None, pool_size=2)
    try:
        return await import_folder(db, rules, root)
    except StoreUnavailable as problem:
        raise Problem("the store is away or too busy; run the import again to go on where it stopped") from problem
    finally:
        await db.close()


async def import_folder(db: Database, rules: Rules, root: Path) -> Report:
    """Import what lies in a folder."""
    found = transcripts_in(root)
    report = Report()
    for path, reason in found.left:
        report.skip_file(path.relative_to(root).as_posix(), reason)
    with tqdm(total=found.size, unit="B", unit_scale=True, disable=None) as bar:  # None = off where no terminal is
        for path in found.files:
            name = path.relative_to(root).as_posix()
            try:
                imported = await FileImport(db, rules, path, name, report, bar.update).run()
            except InvalidKey as refusal:
                report.skip_file(name, refusal.text)
            except OSError as problem:
                report.skip_file(name, f"can't be read: {problem.strerror or problem}")
            except Moved:
                report.skip_file(name, "its session was written to in the meantime; run the import again")
            else:
                await _count(db, rules, name, imported, report)
    return report


async def _count(db: Database, rules: Rules, name: str, imported: Imported | None, report: Report) -> None:
    if imported is None:
        report.skip_file(name, "has no message")
    elif not imported.added:
        report.known += 1
    else:
        report.sessions += 1
        report.messages += imported.added
        if not imported.is_current:
            kept = f"{imported.session_key} has messages of its own"
            report.notes.append(f"{name}: {kept}; this is its earlier transcript {imported.target.session_id}")
        await _mirror(db, rules, imported, report)


async def _mirror(db: Database, rules: Rules, imported: Imported, report: Report) -> None:
    """Write the JSONL copy too: a server's mirror looks for what is new, and these messages are old."""
    if not rules.transcripts_dir:
        return
    folder, target = Folder(Path(rules.transcripts_dir)), imported.target
    position = Position(0, imported.session_key)
    try:
        folder.make()
        await copy_one(db, folder, Transcript(target.id, target.session_id, target.last_sequence, position))
    except OSError as problem:
        report.notes.append(f"{imported.session_key}: its JSONL copy can't be written: {problem}")
