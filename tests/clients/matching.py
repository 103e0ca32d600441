"""How what a client saw is compared with what a case expects of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

SOME = "*"  # stands for anything that is there and not empty


def differences(expected: Any, seen: Any, place: str = "") -> Iterator[str]:
    """What is not as expected: of an object only the fields named, of a list every element; null means not set."""
    match expected:
        case str() if expected == SOME:
            if not seen:
                yield f"{place} is {_short(seen)}, but something is expected"
        case dict() if isinstance(seen, dict):
            for name, each in expected.items():
                yield from _field(each, seen, name, f"{place}.{name}" if place else name)
        case list() if isinstance(seen, list):
            if len(expected) != len(seen):
                yield f"{place} has {len(seen)} elements, expected are {len(expected)}: {_short(seen)}"
            for number, (each, found) in enumerate(zip(expected, seen, strict=False)):
                yield from differences(each, found, f"{place}[{number}]")
        case _ if expected != seen or isinstance(expected, bool) != isinstance(seen, bool):
            yield f"{place} is {_short(seen)}, expected is {_short(expected)}"


def _field(expected: Any, seen: dict[str, Any], name: str, place: str) -> Iterator[str]:
    if expected is None:
        if name in seen:
            yield f"{place} is set, to {_short(seen[name])}"
    elif name not in seen:
        yield f"{place} is not set, expected is {_short(expected)}"
    else:
        yield from differences(expected, seen[name], place)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 400 else f"{text[:400]}…"
