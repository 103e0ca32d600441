"""A page of shell recipes with their answers: reading it, and comparing what it shows with what was printed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

LEFT_OUT = "…"
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```\n(?:```(?:json|text)\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
_VARIABLE = re.compile(r"\$([A-Z_]+)")
# How grpcurl tells of a failure: as text, as JSON with -format-error, and where it never came to the call.
_REFUSED = re.compile(r'^(ERROR:$|  "code": |Failed to )', re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """One fenced block of the page; a `sh` block with the answer that follows it."""

    heading: str
    line: int
    kind: str
    text: str
    shown: str

    def __str__(self) -> str:
        return f"line {self.line}, {self.heading}"

    @property
    def variables(self) -> set[str]:
        """The shell variables whose values stand in the answer."""
        return set(_VARIABLE.findall(self.shown))

    @property
    def is_refused(self) -> bool:
        """Whether the answer shown is a failure, with which the commands may end."""
        return _REFUSED.search(self.shown) is not None


def read_blocks(page: str) -> list[Block]:
    """The blocks in their order."""
    return list(_blocks(page))


def _blocks(page: str) -> Iterator[Block]:
    for found in _FENCE.finditer(page):
        before = page[: found.start()]
        yield Block(
            heading=_HEADING.findall(before)[-1],
            line=before.count("\n") + 1,
            kind=found[1],
            text=found[2],
            shown=found[3] or "",
        )


def disagreement(shown: str, printed: str, values: Mapping[str, str]) -> str | None:
    """The first line shown that was not printed in its place; None when all of the output is as shown."""
    wanted = _VARIABLE.sub(lambda found: values[found[1]], shown).splitlines()
    lines = printed.expandtabs().splitlines()
    places = {0}  # how many printed lines the lines so far may account for
    for line in wanted:
        if line.strip() == LEFT_OUT:
            places = set(range(min(places) + 1, len(lines) + 1))
        else:
            places = {place + 1 for place in places if place < len(lines) and _fits(line, lines[place])}
        if not places:
            return line
    return None if len(lines) in places else "(the end)"


def _fits(shown: str, printed: str) -> bool:
    """Whether they are the same; what is left out within a string does not reach beyond it."""
    pattern = '[^"]+'.join(re.escape(part) for part in shown.split(LEFT_OUT))
    return re.fullmatch(pattern, printed) is not None
