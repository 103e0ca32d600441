"""Private keys in PEM and PGP armour: whole blocks, and those that a text breaks off."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from sessiond.model.redaction.spans import Span

_KIND = "private key"
# More than the largest key in use; an end that is farther away belongs to something else.
_MAX_KEY = 64 * 1024
_MARKER = re.compile(r"-----(?P<side>BEGIN|END) (?P<label>[A-Z0-9 ]{0,40}+)-----")
_KEY_LINE = re.compile(r"[A-Za-z0-9+/=]{20}")
# Lines of a key that has no end: runs of base64 with at most line ends, quotes, signs and line numbers in between.
_LINES = re.compile(
    r"(?:[^A-Za-z0-9+/=]{0,12}+(?:[0-9]{1,4}+[\t:| ]{1,4}+)?[A-Za-z0-9+/=]{20,}+)++"
    r"(?:[\s\\]{1,8}+(?=[A-Za-z]{0,20}+(?:[0-9+/=]|\Z))[A-Za-z0-9+/=]++)?"  # the last one; no word after it
)
_HEADERS = re.compile(r"(?:(?:\s|\\[nr])*+[A-Z][A-Za-z-]{2,20}+: [^\n\\]{0,200}+){0,6}+")


def private_keys_in(text: str) -> Iterator[Span]:
    """Every private key, with the lines around it."""
    if "-----BEGIN " not in text:
        return
    markers = [*_MARKER.finditer(text), None]
    for marker, following in pairwise(markers):
        if marker is None or marker["side"] == "END" or "PRIVATE KEY" not in marker["label"]:
            continue
        end = _end_of(text, marker.end(), following)
        if end is not None:
            yield Span(marker.start(), end, _KIND)


def _end_of(text: str, start: int, following: re.Match[str] | None) -> int | None:
    """Where the key that begins here ends; None when only the line itself is spoken of."""
    limit = following.start() if following else len(text)
    if following and following["side"] == "END" and limit - start <= _MAX_KEY:
        return following.end() if _KEY_LINE.search(text, start, limit) else None
    headers = _HEADERS.match(text, start, limit)
    found = _LINES.match(text, headers.end() if headers else start, limit)
    return found.end() if found else None
