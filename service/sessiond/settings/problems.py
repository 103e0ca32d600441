"""What is wrong with a configuration, one line each: place, value, what was expected, and where it came from."""

import difflib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from sessiond.settings.catalogue import Key, Location, catalogue, place

_SHOWN = 60
_SECRET_NAME = re.compile(r"token|secret|passw|hash|credential|auth|api_?key|^key$", re.IGNORECASE)


class SettingsError(Exception):
    """The configuration can't be used. `problems` holds one line for each thing that is wrong."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong at one place."""

    location: Location
    text: str

    def line(self, sources: Mapping[str, str]) -> str:
        source = sources.get(place(self.location), "file")
        origin = "" if source == "file" else f" (from {source})"
        return f"{place(self.location) or 'the configuration'}: {self.text}{origin}"


def refused(location: Location, value: Any, expected: str) -> Problem:
    """A value that is not what was expected."""
    return Problem(location, f"{shown(value, catalogue().find(location))} is not valid: expected {expected}")


def problems_of(error: ValidationError) -> list[Problem]:
    """What pydantic found, in our words."""
    return [_problem(each["type"], each["loc"], each["input"]) for each in error.errors(include_url=False)]


def _problem(kind: str, location: Location, value: Any) -> Problem:
    if kind == "extra_forbidden":
        return _unknown(location, value)
    if location[-1:] == ("[key]",):
        return Problem(location[:-1], f"the id is not valid: expected {_id_expected(location[:-2])}")
    key = catalogue().find(location)
    expected = key.annotation.expected if key else "something else"
    if kind == "missing":
        return Problem(location, f"missing: expected {expected}")
    return refused(location, value, expected)


def _id_expected(location: Location) -> str:
    return f"the ids in {place(location)} to be a letter or digit, then up to 127 letters, digits or . _ : / @ -"


def _unknown(location: Location, value: Any) -> Problem:
    *above, name = location
    parent = catalogue().find(tuple(above)) or catalogue()
    hides = _SECRET_NAME.search(str(name)) is not None
    seen = _kind(value) if hides else shown(value, parent)
    near = _nearest(tuple(above), str(name), parent)
    hint = f"; did you mean {near}?" if near else ""
    return Problem(location, f"unknown key (value {seen}): expected one of {', '.join(parent.fields)}{hint}")


def _nearest(above: Location, name: str, parent: Key) -> str | None:
    """A key of nearly that name: here, or failing that the one of that very name elsewhere."""
    close = difflib.get_close_matches(name, parent.fields, n=1)
    if close:
        return place((*above, close[0]))
    return next((key.path for key in catalogue().below() if key.path.endswith(f".{name}")), None)


def shown(value: Any, key: Key | None) -> str:
    """A value as an error may show it: short, on one line, and never a secret."""
    if isinstance(value, dict | list | tuple):
        return _kind(value)
    if key is None or key.holds_secrets:
        return f"{_kind(value)} (not shown)"
    text = json.dumps(value, ensure_ascii=False, default=str).encode(errors="backslashreplace").decode()
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", tuple: "a list", str: "a string", bool: "a boolean", type(None): "null"}
    return names.get(type(value), "a number")
