"""A text with its credentials masked."""

from __future__ import annotations

from collections.abc import Iterator

from sessiond.model.redaction.assignments import assigned_in, flags_in
from sessiond.model.redaction.headers import headers_in
from sessiond.model.redaction.logins import logins_in
from sessiond.model.redaction.private_keys import private_keys_in
from sessiond.model.redaction.shapes import tokens_in
from sessiond.model.redaction.spans import Span, mask, masked

# Two do for texts that people write; one that was made to need ever more is hidden as a whole.
_MAX_LOOKS = 8


def redact(text: str) -> str:
    """The text with every credential replaced by a mask that names its kind; the same object when there is none."""
    for _ in range(_MAX_LOOKS):
        shown = masked(text, _credentials_in(text))
        if shown is text:
            return text
        text = shown  # what stood right beside a credential is looked at again, now that it stands alone
    return mask("credentials")


def _credentials_in(text: str) -> Iterator[Span]:
    """From the exact to the general: the first to find a credential names it."""
    lowered = _lowered(text)
    yield from private_keys_in(text)
    yield from tokens_in(text)
    yield from headers_in(text, lowered)
    yield from logins_in(text)
    yield from assigned_in(text, lowered)
    yield from flags_in(text, lowered)


def _lowered(text: str) -> str:
    """The text in lower case with every character in its place; lower() alone makes some letters two."""
    return (text if text.isascii() else text.encode("ascii", "replace").decode("ascii")).lower()
