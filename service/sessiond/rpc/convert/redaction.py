"""What a caller is shown of texts that are not its own: credentials masked, the stored words untouched (H7)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from sessiond.access import View
from sessiond.model.messages import Message, Text
from sessiond.model.redaction import redact, redacted_message
from sessiond.model.rules import Rules
from sessiond.model.visibility import RedactSetting, masks, masks_words
from sessiond.store.codec import decode, encode
from sessiond.store.runs import PlacedRun
from sessiontools.v1 import message_pb2

# Marks are longer than short credentials. Pages leave room for twice the text, and this holds every message to it, but
# for so little that it does not count.
GROWTH = 2
SLACK_BYTES = 1024
# Looking for credentials in more than this is done apart from the event loop, which serves everybody.
INLINE_BYTES = 32 * 1024

Made = TypeVar("Made")
_TOO_MANY = "[redacted: more credentials than there is room to mark]"


def is_masked(rules: Rules, view: View | None, session: int) -> bool:
    """Whether the messages of a session are shown to this caller with credentials masked."""
    return view is not None and masks(rules.redact, view.acting, session)


def is_run_masked(rules: Rules, view: View | None, placed: PlacedRun) -> bool:
    """Whether what a run said is shown to this caller with credentials masked."""
    return view is not None and masks_words(rules.redact, view.acting, placed.run.session, placed.parties)


async def apart(rules: Rules, view: View | None, size: int, make: Callable[[], Made]) -> Made:
    """What `make` makes of so many bytes: here and now, or on a thread when there may be much to mask."""
    if size <= INLINE_BYTES or view is None or view.acting is None or rules.redact is RedactSetting.OFF:
        return make()
    return await asyncio.to_thread(make)


def message(body: bytes, *, masked: bool) -> message_pb2.Message:
    """A stored message as it is shown."""
    return message_pb2.Message.FromString(message_body(body, masked=masked))


def message_body(body: bytes, *, masked: bool) -> bytes:
    """The same in its serialised form: the stored bytes themselves when nothing in them is masked."""
    if masked:
        stored = decode(body)
        shown = redacted_message(stored)
        if shown is not stored:
            return _marked(shown, len(body)).SerializeToString()
    return body


def text(stored: str, *, masked: bool) -> str:
    """A stored text as it is shown; the same object when nothing in it is masked."""
    if not masked:
        return stored
    shown = redact(stored)
    return shown if len(shown) <= GROWTH * len(stored) + SLACK_BYTES else _TOO_MANY


def _marked(shown: Message, stored_bytes: int) -> message_pb2.Message:
    body = encode(shown)
    if len(body) > GROWTH * stored_bytes + SLACK_BYTES:
        body = encode(shown._replace(draft=shown.draft._replace(content=(Text(_TOO_MANY),))))
    marked = message_pb2.Message.FromString(body)
    marked.redacted = True
    return marked
