"""What a mirror holds, as a test asks for it."""

from __future__ import annotations

import json
from typing import Any

from sessiond.store.codec import parse
from sessiond.store.database import Database
from sessiond.store.transaction import Tx
from sessiond.store.transcripts import Transcript, all_after, bodies_after
from sessiond.transcripts.folder import Folder
from sessiond.transcripts.lines import line_of
from sessiontools.v1 import message_pb2 as pb

EVERYTHING_BYTES = 1 << 40


def texts_in(folder: Folder, session_id: str) -> list[str]:
    """The words of each line of a file, in order."""
    return ["".join(block.get("text", "") for block in line["content"]) for line in lines_in(folder, session_id)]


def lines_in(folder: Folder, session_id: str) -> list[dict[str, Any]]:
    """The lines of a file; each is whole."""
    text = folder.file_of(session_id).read_text(encoding="utf-8")
    assert not text or text.endswith("\n")
    return [json.loads(line) for line in text.split("\n")[:-1]]


def has_file(folder: Folder, session_id: str) -> bool:
    """Whether a generation has a file."""
    return folder.file_of(session_id).exists()


async def expected(db: Database) -> dict[str, bytes]:
    """What the mirror of a store has to hold: the text of each file, by its session id."""
    found = await db.read(lambda tx: all_after(tx, 0, 10_000))
    filled = [each for each in found if each.last_sequence]
    return {each.session_id: b"".join(await _lines(db, each)) for each in filled}


def held(folder: Folder) -> dict[str, bytes]:
    """What a folder holds: the text of each file, by its session id."""
    return {each: folder.file_of(each).read_bytes() for each in folder.session_ids()}


async def _lines(db: Database, transcript: Transcript) -> list[bytes]:
    messages = await db.read(lambda tx: _messages(tx, transcript))
    return [line_of(message, transcript.position.key) for message in messages]


def _messages(tx: Tx, transcript: Transcript) -> list[pb.Message]:
    found: list[pb.Message] = []
    while bodies := bodies_after(tx, transcript.generation, len(found), EVERYTHING_BYTES):
        found += [parse(body) for body in bodies]
    return found
