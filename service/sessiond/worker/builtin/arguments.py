"""A tool's arguments as JSON text: only what can be stored with the call and read back."""

from __future__ import annotations

import json
import math
from typing import Any

# The stored form nests about three times as deep as the JSON, and its reader stops at a hundred.
MAX_DEPTH = 16

_DECODER = json.JSONDecoder()


class ArgumentsError(ValueError):
    """The text is no JSON object that a tool could be called with."""


def parse_arguments(text: str) -> dict[str, Any]:
    """The arguments; no text at all means none."""
    if not text.strip():
        return {}
    arguments, rest = split_arguments(text.strip())
    if rest:
        raise ArgumentsError(f"there is more after the JSON object: {rest[:40]!r}")
    return arguments


def split_arguments(text: str) -> tuple[dict[str, Any], str]:
    """The arguments that the text begins with, and what stands after them."""
    try:
        value, end = _DECODER.raw_decode(text)
    except json.JSONDecodeError as problem:
        raise ArgumentsError(f"not JSON: {problem.msg} at character {problem.pos + 1}") from None
    except (ValueError, RecursionError):  # numbers of thousands of digits, brackets without end
        raise ArgumentsError("not JSON: too large or too deep") from None
    if not isinstance(value, dict):
        raise ArgumentsError("not a JSON object")
    _require_storable(value, MAX_DEPTH)
    return value, text[end:]


def _require_storable(value: object, depth: int) -> None:
    if depth < 0:
        raise ArgumentsError(f"nested deeper than {MAX_DEPTH} levels")
    match value:
        case str():
            _require_text(value)
        case int() | float():
            _require_number(value)
        case list():
            for item in value:
                _require_storable(item, depth - 1)
        case dict():
            for name, item in value.items():
                _require_text(name)
                _require_storable(item, depth - 1)


def _require_text(text: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ArgumentsError("half of a surrogate pair in a text") from None


def _require_number(number: float) -> None:
    try:
        is_finite = math.isfinite(float(number))
    except OverflowError:
        is_finite = False
    if not is_finite:
        raise ArgumentsError("a number that is not finite")
