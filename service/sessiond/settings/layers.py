"""The tree of values that file, environment and flags build up, and who set what."""

from collections.abc import Iterator
from typing import Any

from sessiond.settings.catalogue import Location, place


class Layers:
    """Later layers win. Objects are merged key by key; lists and plain values are replaced."""

    def __init__(self) -> None:
        self.tree: dict[str, Any] = {}
        self.sources: dict[str, str] = {}

    def put(self, location: Location, value: Any, source: str) -> None:
        """Lay a value over the tree. IndexError when a list has no such entry and it isn't the next one."""
        for where, leaf in _leaves(location, value):
            self.tree = _placed(self.tree, where, leaf)
            self._note(where, leaf, source)

    def names_at(self, location: Location) -> list[str]:
        """The keys that the object at a place has so far."""
        here: Any = self.tree
        for part in location:
            here = here.get(part) if isinstance(here, dict) else None
        return list(here) if isinstance(here, dict) else []

    def _note(self, location: Location, value: Any, source: str) -> None:
        above = place(location)
        gone = [path for path in self.sources if path.startswith((f"{above}.", f"{above}["))]
        for path in gone if value != {} else []:
            del self.sources[path]
        for where in _within(location, value):
            self.sources[place(where)] = source


def _leaves(location: Location, value: Any) -> Iterator[tuple[Location, Any]]:
    if isinstance(value, dict) and value:
        for name, inner in value.items():
            yield from _leaves((*location, name), inner)
    else:
        yield location, value


def _within(location: Location, value: Any) -> Iterator[Location]:
    yield location
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for part, each in inner:
        yield from _within((*location, part), each)


def _placed(node: Any, location: Location, value: Any) -> Any:
    """The node with the value at a place. A node of the wrong shape stays, for validation to name it."""
    if not location:
        return node if value == {} and isinstance(node, dict) else value
    part, rest = location[0], location[1:]
    if isinstance(part, int):
        return _with_entry([] if node is None else node, part, rest, value)
    if node is not None and not isinstance(node, dict):
        return node
    known = node or {}
    return {**known, part: _placed(known.get(part), rest, value)}


def _with_entry(entries: Any, index: int, rest: Location, value: Any) -> Any:
    if not isinstance(entries, list):
        return entries
    if index > len(entries):
        raise IndexError(index)
    old = entries[index] if index < len(entries) else None
    return [*entries[:index], _placed(old, rest, value), *entries[index + 1 :]]
