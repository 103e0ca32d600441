"""`sessiontools transcripts rebuild`: the JSONL mirror written anew from the database (L9)."""

from __future__ import annotations

import argparse
import asyncio
import os
from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any, BinaryIO

from tqdm import tqdm

from sessiond.configured import rules_of
from sessiond.model.problems import Problem
from sessiond.settings import Settings, load
from sessiond.store import transcripts
from sessiond.store.codec import parse
from sessiond.store.database import Database
from sessiond.store.opening import open_database
from sessiond.store.transcripts import Transcript
from sessiond.transcripts.folder import Folder
from sessiond.transcripts.lines import line_of
from sessiond.worker.copying import bodies_after

PAGE_TRANSCRIPTS = 200
_ONE_AT_A_TIME = ".rebuild"

Advance = Callable[[int], object]


@dataclass
class Rebuilt:
    """What was done."""

    files: int = 0
    messages: int = 0
    removed: int = 0


def add_parser(subparsers: Any, parents: list[argparse.ArgumentParser]) -> None:
    """Register `transcripts` with its subcommand."""
    group = subparsers.add_parser("transcripts", help="the JSONL copies of transcripts")
    actions = group.add_subparsers(dest="action", required=True, metavar="ACTION")
    about = "write the JSONL copy of every transcript anew from the database; a server may be running"
    rebuild = actions.add_parser("rebuild", parents=parents, help=about, description=about)
    rebuild.add_argument("--prune", action="store_true", help="remove the files of transcripts that are not there")
    rebuild.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Rebuild, and say what was written."""
    settings = load(args.config, os.environ, {}).settings
    path = rules_of(settings).transcripts_dir
    if not path:
        raise Problem("transcripts.enabled is false, so there are no copies to rebuild")
    folder = Folder(Path(path))
    with tqdm(unit=" messages", unit_scale=True, disable=None) as bar:  # None = off where no terminal is
        done = asyncio.run(_rebuild(settings, folder, args.prune, bar.update))
    print(f"wrote {done.messages:,} messages into {done.files:,} files in {path}")
    if args.prune:
        print(f"removed {done.removed:,} files of transcripts that are not in the database")
    return 0


async def _rebuild(settings: Settings, folder: Folder, prune: bool, advance: Advance) -> Rebuilt:
    db = await open_database(settings.store.url, lambda topics: None, pool_size=2)
    try:
        folder.make()
        with folder.locked(_ONE_AT_A_TIME, wait=False):
            return await rebuild_all(db, folder, prune, advance)
    except BlockingIOError:
        raise Problem(f"another rebuild of {folder.path} is under way") from None
    except OSError as problem:
        raise Problem(f"the transcripts can't be rebuilt: {problem}") from problem
    finally:
        await db.close()


async def rebuild_all(
    db: Database, folder: Folder, prune: bool = False, advance: Advance = lambda rows: None
) -> Rebuilt:
    """Write every file anew; `advance` hears how many messages each step wrote."""
    done = Rebuilt()
    page = await _page_after(db, 0)
    while page:
        for transcript in filter(attrgetter("last_sequence"), page):
            done.messages += await _rebuild_one(db, folder, transcript, advance)
            done.files += 1
        page = await _page_after(db, page[-1].generation)
    if prune:
        done.removed = await _prune(db, folder)
    return done


async def _page_after(db: Database, generation: int) -> list[Transcript]:
    return await db.read(lambda tx: transcripts.all_after(tx, generation, PAGE_TRANSCRIPTS))


async def _rebuild_one(db: Database, folder: Folder, transcript: Transcript, advance: Advance) -> int:
    """Write one file anew: most of it beside the server's mirror, only the last piece with that one shut out."""
    with folder.rewriting(transcript.session_id) as file:
        written = await _copy(db, transcript, 0, file, advance)
        with folder.locked():
            written = await _copy(db, transcript, written, file, advance)
            file.flush()
            folder.take_place(transcript.session_id)
    return written


async def _copy(db: Database, transcript: Transcript, after: int, file: BinaryIO, advance: Advance) -> int:
    """Write what comes after a sequence; returns the last one's."""
    while bodies := await bodies_after(db, transcript, after):
        messages = [parse(body) for body in bodies]
        file.writelines(line_of(message, transcript.position.key) for message in messages)
        after = messages[-1].sequence
        advance(len(messages))
    return after


async def _prune(db: Database, folder: Folder) -> int:
    """Remove the files of generations that the database does not have."""
    ids = list(folder.session_ids())
    removed = 0
    for start in range(0, len(ids), PAGE_TRANSCRIPTS):
        for each in await _missing(db, ids[start : start + PAGE_TRANSCRIPTS]):
            folder.remove(each)
            removed += 1
    return removed


async def _missing(db: Database, session_ids: list[str]) -> set[str]:
    return set(session_ids) - await db.read(lambda tx: transcripts.existing(tx, session_ids))
