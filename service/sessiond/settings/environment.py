"""Settings from environment variables: `SESSIONTOOLS_SESSION__MAIN_KEY` is `session.mainKey`."""

import difflib
import re
from collections.abc import Mapping
from typing import Any

from sessiond.settings.catalogue import ENV_PREFIX, Key, Location, catalogue, place
from sessiond.settings.layers import Layers
from sessiond.settings.text import parse

CONFIG_FILE = "SESSIONTOOLS_CONFIG"

# Kubernetes sets these by itself in every pod beside a Service called `sessiontools`; they are nobody's mistake.
_SERVICE_LINK = re.compile(r"SESSIONTOOLS_(SERVICE_(HOST|PORT\w*)|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)")


def put_environment(layers: Layers, environ: Mapping[str, str]) -> list[str]:
    """Lay the variables over the tree; what can't be placed comes back as lines."""
    problems: list[str] = []
    taken: dict[Location, str] = {}
    for name in sorted(filter(_is_setting, environ), key=_parents_first):
        found = _resolved(name, layers)
        if found is None:
            problems.append(_unknown(name))
        elif found[0] in taken:
            problems.append(
                f"{name}: sets {place(found[0])}, which {taken[found[0]]} sets already: expected one of them"
            )
        else:
            taken[found[0]] = name
            problems += _put(layers, name, *found, environ[name])
    return problems


def _is_setting(name: str) -> bool:
    return name.startswith(ENV_PREFIX) and name != CONFIG_FILE and not _SERVICE_LINK.fullmatch(name)


def _parents_first(name: str) -> list[str]:
    """A list before its entries, entry 2 before entry 10."""
    return [part.zfill(9) if part.isdecimal() else part for part in name.split("__")]


def _resolved(name: str, layers: Layers) -> tuple[Location, Key] | None:
    location: Location = ()
    key = catalogue()
    for segment in name.removeprefix(ENV_PREFIX).split("__"):
        part = _part(segment, key, layers.names_at(location))
        child = None if part is None else key.child(part)
        if part is None or child is None:
            return None
        location, key = (*location, part), child
    return location, key


def _part(segment: str, key: Key, ids: list[str]) -> str | int | None:
    """The key, index or id that a part of a name means."""
    if key.shape == "list":
        return int(segment) if segment.isascii() and segment.isdecimal() else None
    names = list(key.fields) if key.shape == "section" else ids
    same = [name for name in names if _folded(name) == _folded(segment)]
    if not same and key.shape == "map" and segment:
        return segment.lower()
    return same[0] if len(same) == 1 else None


def _folded(name: str) -> str:
    """Variables have no hyphens, dots or case to tell names apart by."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _put(layers: Layers, name: str, location: Location, key: Key, text: str) -> list[str]:
    try:
        layers.put(location, _value(text, key), f"env {name}")
    except IndexError:
        return [f"{name}: {place(location)} is not there: expected an entry of the list, or the next one"]
    return []


def _value(text: str, key: Key) -> Any:
    if key.annotation.optional and not text:
        return None
    if key.annotation.is_text:
        return text
    try:
        return parse(text)
    except (ValueError, RecursionError):
        return text  # not JSON5: validation says what the key expects instead


def _unknown(name: str) -> str:
    known = {key.env: key.path for key in catalogue().below() if key.path}
    nearest = difflib.get_close_matches(name.upper(), known, n=1, cutoff=0)[0]
    return f"{name}: unknown variable: the nearest known is {nearest} ({known[nearest]})"
