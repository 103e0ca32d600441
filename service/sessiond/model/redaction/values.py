"""Where a value behind a name begins and ends."""

from __future__ import annotations

import re
from typing import NamedTuple


class Value(NamedTuple):
    """A value in a text, without its quotes."""

    start: int
    end: int
    is_quoted: bool


# In quotes, or bare. Signs that close what a bare value stands in belong to it only where more of it follows:
# `a,b;c` is one value, `a, b` and `a;c=d` begin with `a`.
_VALUE = re.compile(
    r"""[bfruBFRU]{0,2}+(?:
        "(?P<double>(?:[^"\\\n]++|\\.)*+)"
      | '(?P<single>(?:[^'\\\n]++|\\.)*+)'
      | `(?P<back>[^`\n]*+)`
      | \\{1,3}+["'](?P<escaped>(?:[^"'\\\n]++|\\++(?!["']))*+)\\{1,3}+["'] )
    | \\{0,3}+["'`“„‘«]?+(?P<bare>(?:
        [^\s"'`\\,;&<>)\]}|.:”’»]++
      | [,;>)\]}|.:”’»]++(?=[^\s"'`\\&<])(?!(?<=[,;])[A-Za-z_][\w.-]{0,32}+(?:[ ][\w.-]{1,32}+)?[=:])
      | &(?!&|amp;|[\w.-]{1,40}+=|\s|\Z)
      | <(?![A-Za-z/!])
      | '(?=[A-Za-z0-9])
      | \\(?![nrtu"'`\\]|\Z) )++)""",
    re.VERBOSE | re.ASCII,
)
_WORD_FOLLOWS = re.compile(r"[ \t]{1,8}+(?:[A-Za-z]|\[redacted: )")  # a word, also one that is masked by now


def value_at(text: str, at: int) -> Value | None:
    """The value that begins here, up to its quote or to where a bare one ends."""
    found = _VALUE.match(text, at)
    if found is None or found.lastgroup is None:
        return None
    return Value(*found.span(found.lastgroup), found.lastgroup != "bare")


def is_in_a_sentence(text: str, value: Value) -> bool:
    """Whether a bare value is followed by a word, as words in a sentence are."""
    return not value.is_quoted and bool(_WORD_FOLLOWS.match(text, value.end))
