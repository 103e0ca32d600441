"""The JSONL mirror: every transcript once more as a file, written after the commit and never in its way (L9).

What is to be written is found in the store, not told to us: sessions in the order of their last change, from a mark on
that lies in the folder. So a hint that is lost, a restart or a crash costs nothing but time. Each file itself says how
far it goes. A mirror that can't keep up or can't write falls behind; the server does not notice.
"""

from __future__ import annotations

import asyncio
import errno
import logging
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from sessiond.model.errors import StoreUnavailable
from sessiond.store import transcripts
from sessiond.store.database import Database
from sessiond.store.session_pages import Position
from sessiond.store.transcripts import Transcript, removed_in
from sessiond.transcripts.folder import Failure, Folder
from sessiond.wake import Listener
from sessiond.worker.copying import Copies
from sessiond.worker.pace import Pace

log = logging.getLogger("sessiond.mirror")

PAGE_SESSIONS = 200
NET_S = 30.0  # how long to sleep without a hint
REST_S = 0.1  # what comes in this time is written together
# And for a second of work so many of rest: a twentieth of the server's time, a fiftieth when it has none to spare.
REST_SHARE, BUSY_REST_SHARE = 19, 49
LAST_S = 5.0  # for what is left when the server ends
MAX_FAILED = 1_000
# A change may be committed so much later than the time it bears. SQLite has one writer at a time, so there it is
# only what a clock that is set back may take.
OVERLAP_MS = {"sqlite": 1_000, "postgresql": 10_000}


class MirrorHints(Listener):
    """What commits tell the mirror: that something changed, and which transcripts were removed."""

    __slots__ = ("_removed",)

    def __init__(self) -> None:
        super().__init__()
        self._removed: set[str] = set()

    def publish(self, topics: Iterable[str]) -> None:
        """Look at the topics of a commit."""
        for topic in topics:
            self.removed(removed_in(topic))
            self.hint()

    def removed(self, session_ids: Iterable[str]) -> None:
        """These are to be removed."""
        self._removed.update(session_ids)

    def taken(self) -> set[str]:
        """What was removed since this was last asked."""
        removed, self._removed = self._removed, set()
        return removed


class Mirror:
    """Keeps a folder up to date with a store, for as long as `run` goes on."""

    def __init__(self, db: Database, folder: Folder, hints: MirrorHints, pace: Pace | None = None) -> None:
        self._db = db
        self._folder = folder
        self._hints = hints
        self._pace = pace or Pace()
        self._copies = Copies(db, folder, self._pace)
        self._overlap_ms = OVERLAP_MS[db.name]
        self._until_ms: int | None = None
        self._marked_ms: int | None = None
        self._done: set[Transcript] = set()  # written, and so new that it will be seen again
        self._failed: dict[int, Transcript] = {}
        self._told: set[str] = set()

    async def run(self) -> None:
        """Mirror for ever; whatever goes wrong is told once and tried again."""
        while True:
            self._hints.clear()
            await self.catch_up()
            await self._hints.wait_at_most(NET_S)
            await self._pace.rest(REST_S)

    async def catch_up(self) -> None:
        """Write what is not written yet; afterwards the folder is as new as the store, unless something failed."""
        try:
            await self._pace.keep(self._catch_up())
        except StoreUnavailable:
            self._tell("store", "the store is away; transcripts are mirrored when it is back")
        except OSError as problem:
            self._tell(f"folder {problem.errno}", f"transcripts can't be mirrored: {problem}")
        except Exception as problem:  # noqa: BLE001 - told with its traceback; a mirror never stops the server
            self._tell(type(problem).__name__, f"transcripts can't be mirrored: {problem!r}", problem)

    async def _catch_up(self) -> None:
        await self._begin()
        await self._remove(self._hints.taken())
        await self._write(list(self._failed.values()))
        await self._write_changed()

    async def _begin(self) -> None:
        """From the folder's mark, or in a new folder from now on: older transcripts are rebuilt on request."""
        if self._until_ms is not None:
            return
        await asyncio.to_thread(self._folder.make)
        self._marked_ms = await asyncio.to_thread(self._folder.mark)
        now_ms = await self._db.read(lambda tx: tx.now_ms)
        if self._marked_ms is None:
            await asyncio.to_thread(self._folder.set_mark, now_ms)
        self._until_ms = now_ms if self._marked_ms is None else self._marked_ms

    async def _remove(self, session_ids: set[str]) -> None:
        while session_ids:
            each = session_ids.pop()
            try:
                await asyncio.to_thread(self._folder.remove, each)
            except OSError:
                self._hints.removed(session_ids | {each})
                raise

    async def _write_changed(self) -> None:
        now_ms = await self._db.read(lambda tx: tx.now_ms)
        began = min(self._until_ms or now_ms, now_ms)  # a clock that was set back takes the mark with it
        position = Position(began - self._overlap_ms, "")
        while page := await self._changed_after(position):
            await self._write([each for each in page if each not in self._done])
            position = page[-1].position
            self._done = {each for each in self._done if each.position > (position.updated_ms - self._overlap_ms,)}
            if position.updated_ms > now_ms:  # what goes on changing is for the next time, after a rest
                break
            await self._pace.breathe()
            await self._remove(self._hints.taken())  # with much to write, what was removed does not wait for the end
        await self._reached(max(began, position.updated_ms))

    async def _reached(self, until_ms: int) -> None:
        """Everything up to here is written; the mark stays behind as long as there are exceptions."""
        self._until_ms = until_ms
        if self._failed:
            return
        self._told.clear()
        if self._marked_ms != until_ms:
            await asyncio.to_thread(self._folder.set_mark, until_ms)
            self._marked_ms = until_ms

    async def _changed_after(self, position: Position) -> list[Transcript]:
        return await self._db.read(lambda tx: transcripts.changed_after(tx, position, PAGE_SESSIONS))

    async def _write(self, wanted: Sequence[Transcript]) -> None:
        """Bring their files up to date; one that can't be written does not keep the others waiting."""
        failures = await self._copies.update(wanted)
        for transcript in wanted:
            if transcript in failures:
                self._fail(transcript, failures[transcript])
            else:
                self._done.add(transcript)
                self._failed.pop(transcript.generation, None)

    def _fail(self, transcript: Transcript, problem: Failure) -> None:
        """Tell it, and try again the next time."""
        kind = errno.errorcode.get(getattr(problem, "errno", None) or 0, type(problem).__name__)
        self._tell(f"file {kind}", f"a transcript can't be mirrored: {problem}")
        if len(self._failed) < MAX_FAILED:
            self._failed[transcript.generation] = transcript

    def _tell(self, kind: str, text: str, problem: BaseException | None = None) -> None:
        """Log the first of each kind; the next once things have been well in between."""
        if kind not in self._told:
            self._told.add(kind)
            log.warning(text, exc_info=problem)


async def mirror_for_ever(db: Database, path: str, hints: MirrorHints) -> None:
    """Mirror into this folder until cancelled, and then once more; nothing to do where there is none."""
    if not path:
        return
    pace = Pace(REST_SHARE, busy_rest_share=BUSY_REST_SHARE)
    mirror = Mirror(db, Folder(Path(path)), hints, pace)
    try:
        await mirror.run()
    finally:
        pace.hurry()
        with suppress(TimeoutError):  # what is left is written after the next start
            async with asyncio.timeout(LAST_S):
                await mirror.catch_up()
