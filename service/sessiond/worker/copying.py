"""Transcripts copied from the store to the mirror's files: rendered in slices on the event loop, appended on a thread.

What is rendered of several transcripts goes to their files together, in one hop to the thread.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sessiond.store import transcripts
from sessiond.store.codec import parse
from sessiond.store.database import Database
from sessiond.store.transcripts import Transcript
from sessiond.transcripts.folder import Failure, Folder, Piece
from sessiond.transcripts.lines import line_of
from sessiond.worker.pace import Pace

PAGE_BYTES = 256 * 1024
BATCH_BYTES = 256 * 1024
# Rendered on a thread: of text this much takes 50 µs, but of a tool call's arguments 2 ms.
LARGE_BYTES = 16 * 1024
MAX_ENDS = 10_000


class Copies:
    """The files of a folder, brought up to date with a store."""

    def __init__(self, db: Database, folder: Folder, pace: Pace) -> None:
        self._db = db
        self._folder = folder
        self._pace = pace
        self._ends: dict[str, int] = {}  # how far files went when we last saw them; they themselves have the last word

    async def update(self, wanted: Iterable[Transcript]) -> dict[Transcript, Failure]:
        """Append what these transcripts' files do not hold yet; tells which can't be, while the others are."""
        behind = [each for each in wanted if each.last_sequence]
        failures = await self._look(behind)
        while behind := [each for each in behind if each not in failures and self._is_behind(each)]:
            pieces = await self._pieces(behind, failures)
            reached = await self._pace.in_thread(self._folder.append, list(pieces.values()))
            failures |= self._note(dict(zip(pieces, reached, strict=True)))
        return failures

    async def _look(self, wanted: Sequence[Transcript]) -> dict[Transcript, Failure]:
        """Find out where those files end that are not known."""
        if len(self._ends) > MAX_ENDS:
            self._ends.clear()
        unknown = [each for each in wanted if each.session_id not in self._ends]
        if not unknown:
            return {}
        found = await self._pace.in_thread(self._folder.last_sequences, [each.session_id for each in unknown])
        return self._note(dict(zip(unknown, found, strict=True)))

    def _note(self, found: Mapping[Transcript, int | Failure]) -> dict[Transcript, Failure]:
        """Remember where files end; what remains is what failed."""
        self._ends |= {each.session_id: end for each, end in found.items() if isinstance(end, int)}
        return {each: failure for each, failure in found.items() if not isinstance(failure, int)}

    def _is_behind(self, transcript: Transcript) -> bool:
        return self._ends[transcript.session_id] < transcript.last_sequence

    async def _pieces(
        self, behind: Sequence[Transcript], failures: dict[Transcript, Failure]
    ) -> dict[Transcript, Piece]:
        """What comes next in these transcripts, of as many as make a batch."""
        pieces: dict[Transcript, Piece] = {}
        room = BATCH_BYTES
        for each in behind:
            try:
                lines = await self._lines(each, room)
            except ValueError as failure:
                failures[each] = failure
                continue
            if lines:
                pieces[each] = Piece(each.session_id, lines, self._ends[each.session_id])
            else:  # it is being removed, from its oldest message on: there is no more to copy
                self._ends[each.session_id] = each.last_sequence
            room -= sum(map(len, lines))
            if room <= 0:
                break
        return pieces

    async def _lines(self, transcript: Transcript, room: int) -> list[bytes]:
        """The lines that follow the end of a file, as far as there is room and no message is missing."""
        lines: list[bytes] = []
        after = self._ends[transcript.session_id]
        while after < transcript.last_sequence and room > 0:
            bodies = await bodies_after(self._db, transcript, after)
            if not bodies:
                break
            for body in bodies:
                sequence, line = await self._rendered(body, transcript.position.key)
                if sequence != after + 1:
                    return lines
                lines.append(line)
                room -= len(line)
                after = sequence
                await self._pace.breathe()
        return lines

    async def _rendered(self, body: bytes, session_key: str) -> tuple[int, bytes]:
        if len(body) > LARGE_BYTES:
            return await self._pace.in_thread(_render, body, session_key)
        return _render(body, session_key)


def _render(body: bytes, session_key: str) -> tuple[int, bytes]:
    """A message's sequence and its line."""
    message = parse(body)
    return message.sequence, line_of(message, session_key)


async def copy_one(db: Database, folder: Folder, transcript: Transcript) -> None:
    """Bring one file up to date at once."""
    for failure in (await Copies(db, folder, Pace()).update([transcript])).values():
        raise failure


async def bodies_after(db: Database, transcript: Transcript, sequence: int) -> list[bytes]:
    """The next piece of a transcript."""
    return await db.read(lambda tx: transcripts.bodies_after(tx, transcript.generation, sequence, PAGE_BYTES))
