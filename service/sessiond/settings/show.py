"""The effective settings for people and programs: every value with its source, no secret."""

import json
import re
from collections.abc import Iterator
from typing import Any

from pydantic import SecretStr

from sessiond.settings.catalogue import Key, Location, catalogue, place
from sessiond.settings.load import Loaded
from sessiond.settings.values import MASK


def as_json5(loaded: Loaded) -> str:
    """A file that gives these settings again (but for secrets), with the source of each value beside it."""
    return "\n".join(_lines("", catalogue(), _values(loaded), (), loaded)).removesuffix(",") + "\n"


def as_json(loaded: Loaded) -> str:
    """`settings` as a file would have them, and `sources` by path."""
    values = _values(loaded)
    sources = {place(location): loaded.source_of(place(location)) for location in _places(catalogue(), values, ())}
    return json.dumps({"settings": values, "sources": sources}, indent=2, ensure_ascii=False) + "\n"


def masked_url(url: str) -> str:
    """A URL without the passwords in it."""
    without = re.sub(r"(://[^:/@]*):.*@", rf"\1:{MASK}@", url)
    return re.sub(r"([?&]\w*password=)[^&]*", rf"\1{MASK}", without, flags=re.IGNORECASE)


def _values(loaded: Loaded) -> Any:
    return _safe(catalogue(), loaded.settings.model_dump(by_alias=True))


def _safe(key: Key, value: Any) -> Any:
    """The value as plain JSON, secrets masked."""
    if isinstance(value, dict):
        return {name: _safe(_under(key, name), inner) for name, inner in value.items()}
    if isinstance(value, tuple):
        return [_safe(_under(key, index), inner) for index, inner in enumerate(value)]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    secret = key.annotation.secret
    if secret is None or value is None:
        return value
    return MASK if secret.whole or isinstance(value, SecretStr) else masked_url(value)


def _under(key: Key, part: str | int) -> Key:
    child = key.child(part)
    if child is None:
        raise LookupError(f"{key.path} has no {part}")
    return child


def _places(key: Key, value: Any, location: Location) -> Iterator[Location]:
    if key.is_leaf or not value:
        yield location
        return
    for part, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield from _places(_under(key, part), inner, (*location, part))


def _lines(name: str, key: Key, value: Any, location: Location, loaded: Loaded) -> Iterator[str]:
    indent = "  " * len(location)
    if key.is_leaf or not value:
        text = json.dumps(value, ensure_ascii=False)
        yield f"{indent}{name}{text},  // {loaded.source_of(place(location))}"
        return
    opening, closing = "[]" if isinstance(value, list) else "{}"
    yield f"{indent}{name}{opening}"
    for part, inner in value.items() if isinstance(value, dict) else enumerate(value):
        label = "" if isinstance(part, int) else f"{_name(part)}: "
        yield from _lines(label, _under(key, part), inner, (*location, part), loaded)
    yield f"{indent}{closing},"


def _name(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) else json.dumps(name)
