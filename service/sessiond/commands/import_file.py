"""One file of an import: whose transcript it is, how far it is there already, and the rest of it."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from urllib.parse import unquote

from google.protobuf.message import DecodeError

from sessiond.access import make
from sessiond.commands.import_report import Report
from sessiond.model.errors import InvalidKey
from sessiond.model.keys import SessionKey, canonical
from sessiond.model.messages import MAX_MESSAGE_BYTES, Draft
from sessiond.model.rules import Rules
from sessiond.store import codec, imports, sessions
from sessiond.store.database import Database
from sessiond.store.imports import Target, TimedDraft
from sessiond.store.transaction import Tx
from sessiond.transcripts.files import lines_of, opened
from sessiond.transcripts.folder import SUFFIX
from sessiond.transcripts.reading import Entry, Header, Unreadable, parse_line

# What one transaction writes at most: a running server is never kept waiting for long.
BATCH_MESSAGES = 500
BATCH_BYTES = 2 * 1024 * 1024
_ESCAPED_COLON = "%3a"
_IDS = uuid.UUID("5f1a4a3e-8f0a-4b7c-9d0e-6f2f6c1f2a10")  # of transcripts that bring no id of their own

Advance = Callable[[int], object]
Sized = tuple[TimedDraft, int]


@dataclass(frozen=True)
class Imported:
    """What became of a file."""

    target: Target
    session_key: str
    added: int
    is_current: bool


class FileImport:
    """The import of one file into a store."""

    def __init__(self, db: Database, rules: Rules, path: Path, name: str, report: Report, advance: Advance) -> None:
        self._db = db
        self._rules = rules
        self._path = path
        self._name = name
        self._report = report
        self._advance = advance

    async def run(self) -> Imported | None:
        """Import what is not there yet; None when the file has no message that can be imported."""
        with opened(self._path) as file:
            header = self._header(file)
            key = self._key(header.session_key)
            file.seek(0)
            return await self._fill(key, self._session_id(header, key), self._drafts(file))

    async def _fill(self, key: SessionKey, session_id: str, drafts: Iterator[Sized]) -> Imported | None:
        target = await self._db.read(lambda tx: imports.find(tx, session_id))
        first = next(drafts, None)
        if first is None:
            return None
        if target is None:
            target = await self._db.write(lambda tx: self._begin(tx, key, session_id, first[0][1]))
        rest = await self._after(target, first, drafts)
        added = 0
        for batch in _batches(rest):
            target = await self._append(target, batch)
            added += len(batch)
        is_news = added > 0 or not target.is_finished
        is_current = await self._finish(target) if is_news else target.is_current
        return Imported(target, str(key), added, is_current)

    def _begin(self, tx: Tx, key: SessionKey, session_id: str, began_ms: int) -> Target:
        session = sessions.find_by_key(tx, str(key), lock=True) or make(tx, self._rules, key, is_history=True)
        return imports.begin(tx, session, session_id, min(began_ms, tx.now_ms))

    async def _append(self, target: Target, batch: list[TimedDraft]) -> Target:
        return await self._db.write(lambda tx: imports.append(tx, target, batch))

    async def _finish(self, target: Target) -> bool:
        return await self._db.write(lambda tx: imports.finish(tx, target))

    async def _after(self, target: Target, first: Sized, drafts: Iterator[Sized]) -> Iterator[Sized]:
        """What the store does not have yet, if what it has is the beginning of this file."""
        everything = _with(first, drafts)
        if not target.last_sequence:
            return everything
        last = None
        for _ in range(target.last_sequence):
            last = next(everything, None)
        stored = await self._db.read(lambda tx: imports.last_message(tx, target))
        if last is None or stored is None or stored.draft != _as_stored(last[0][0]):
            return iter(())  # it has gone on by itself since
        return everything

    def _header(self, file: BinaryIO) -> Header:
        """What the first readable line says of the session."""
        for _, line, _ in lines_of(file):
            try:
                first = parse_line(line) if line else None
            except Unreadable:
                continue
            if first is not None:
                return first.header if isinstance(first, Entry) else first
        return Header()

    def _key(self, told: str) -> SessionKey:
        """The key that the file says, or its name; any other name becomes part of a key."""
        stem = self._name.removesuffix(SUFFIX)
        if not told and _ESCAPED_COLON in stem.lower():
            told = unquote(stem.rpartition("/")[2])
        key = canonical(told or f"agent:{self._rules.keys.default_agent}:imported:{stem}", self._rules.keys)
        if key.is_reserved:
            raise InvalidKey(f"{key.rest!r} is reserved; no session can have this key")
        return key

    def _session_id(self, header: Header, key: SessionKey) -> str:
        """The id that the file says, if it is one that this store could have given; else always the same."""
        try:
            return str(uuid.UUID(header.session_id))
        except ValueError:
            return str(uuid.uuid5(_IDS, f"{key}\n{header.session_id or self._name}"))

    def _drafts(self, file: BinaryIO) -> Iterator[Sized]:
        """The messages of the file with their times and sizes; what is none is told in the report."""
        at_ms = int(self._path.stat().st_mtime * 1000)
        for number, line, size in lines_of(file):
            self._advance(size)
            try:
                entry = parse_line(line) if line else None
                if not line:
                    _refuse_long(size)
                if isinstance(entry, Entry):
                    at_ms = entry.created_ms if entry.created_ms is not None else at_ms
                    yield (entry.draft, at_ms), _size(entry.draft)
            except Unreadable as problem:
                self._report.skip_line(self._name, number, str(problem))


def _refuse_long(size: int) -> None:
    if size > MAX_MESSAGE_BYTES:
        raise Unreadable("is too long")


def _size(draft: Draft) -> int:
    """How large the message is when stored; one that could not be read back is refused."""
    try:
        body = imports.encode("", 0, draft, 0)
        codec.decode(body)
    except (ValueError, TypeError, RecursionError, DecodeError):
        raise Unreadable("has content that can't be stored, such as arguments nested too deeply") from None
    if len(body) > MAX_MESSAGE_BYTES - 1024:  # which leaves room for its id and place
        raise Unreadable(f"is larger than {MAX_MESSAGE_BYTES:,} bytes when stored")
    return len(body)


def _as_stored(draft: Draft) -> Draft:
    """The draft after a round through the store, in which numbers become floating."""
    return codec.decode(imports.encode("", 0, draft, 0)).draft


def _with(first: Sized, rest: Iterator[Sized]) -> Iterator[Sized]:
    yield first
    yield from rest


def _batches(drafts: Iterator[Sized]) -> Iterator[list[TimedDraft]]:
    """The drafts in lots that fit a small transaction."""
    batch: list[TimedDraft] = []
    total = 0
    for timed, size in drafts:
        if batch and (len(batch) == BATCH_MESSAGES or total + size > BATCH_BYTES):
            yield batch
            batch, total = [], 0
        batch.append(timed)
        total += size
    if batch:
        yield batch
