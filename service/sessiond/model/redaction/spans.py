"""Where a text holds credentials, and the text with these places masked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_MASK = re.compile(r"\[redacted: (?P<kind>[a-z][a-z ]{0,40}+)\]")


class Span(NamedTuple):
    """One credential: from where to where, and what it is called in its mask."""

    start: int
    end: int
    kind: str


def mask(kind: str) -> str:
    """What stands in a credential's place."""
    return f"[redacted: {kind}]"


def masked(text: str, spans: Iterable[Span]) -> str:
    """The text with every span masked; the same object when that changes nothing."""
    found = [*spans]
    if not found:
        return text
    # Masks that are there already count as found: they stay, or go into a larger one, but are never cut.
    found += [Span(*there.span(), there["kind"]) for there in _MASK.finditer(text)]
    parts: list[str] = []
    at = 0
    for start, end, kind in _merged(found):
        parts += (text[at:start], mask(kind))
        at = end
    shown = "".join((*parts, text[at:]))
    return text if shown == text else shown


def _merged(spans: Iterable[Span]) -> Iterator[Span]:
    """The spans in order, overlapping ones as one: all of it is hidden, under the name of the longest part.

    Of equally long ones the first given names it, so finders go from the exact to the general.
    """
    ordered = iter(sorted(spans, key=lambda span: span.start))
    longest = whole = next(ordered)
    for span in ordered:
        if span.start >= whole.end:
            yield whole
            longest = whole = span
            continue
        if span.end - span.start > longest.end - longest.start:
            longest = span
        whole = Span(whole.start, max(whole.end, span.end), longest.kind)
    yield whole
