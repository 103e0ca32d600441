"""Every key that exists, read off the schema: one walk, on which errors, environment, `show` and the docs rest."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from pydantic.fields import FieldInfo

from sessiond.settings.annotation import Annotation, read
from sessiond.settings.schema import Settings
from sessiond.settings.section import Section

ENV_PREFIX = "SESSIONTOOLS_"
REQUIRED = object()

# A place in the tree of values: keys of objects, indexes of lists.
Location = tuple[str | int, ...]


@dataclass(frozen=True)
class Key:
    """One key: a value, or something with keys below it. `path` has `[]` and `<id>` for any entry."""

    shape: Literal["value", "section", "list", "map"]
    path: str
    env: str
    annotation: Annotation
    default: Any
    text: str
    fields: Mapping[str, "Key"]
    item: "Key | None"

    def child(self, part: str | int) -> "Key | None":
        """The key one step below, for a name or an index."""
        if self.shape == "section":
            return self.fields.get(str(part))
        return self.item if isinstance(part, int) == (self.shape == "list") else None

    def find(self, location: Location) -> "Key | None":
        """The key at a place below this one."""
        key: Key | None = self
        for part in location:
            key = key and key.child(part)
        return key

    def below(self) -> Iterator["Key"]:
        """This key and all below it, in the order of the schema."""
        yield self
        for child in (*self.fields.values(), *([self.item] if self.item else [])):
            yield from child.below()

    @property
    def holds_secrets(self) -> bool:
        return any(key.annotation.secret for key in self.below())

    @property
    def is_leaf(self) -> bool:
        """Whether it is given as one value: no section in it, nor a list of them."""
        return self.shape == "value" or (self.item is not None and self.item.shape == "value")


def place(location: Location) -> str:
    """A place as people write it: `agents.list[0].id`, `models["gpt 4"].provider`."""
    return "".join(_step(part) for part in location).removeprefix(".")


def _step(part: str | int) -> str:
    if isinstance(part, int):
        return f"[{part}]"
    return f".{part}" if re.fullmatch(r"[A-Za-z0-9_-]+", part) else f"[{_quoted(part)}]"


def _quoted(part: str) -> str:
    return '"' + part.encode("unicode_escape").decode().replace('"', '\\"') + '"'


@cache
def catalogue() -> Key:
    """The root of all keys."""
    return _section(Settings, "", ENV_PREFIX.removesuffix("_"), Annotation(bare=Settings), REQUIRED, "")


def _section(model: type[Section], path: str, env: str, annotation: Annotation, default: Any, text: str) -> Key:
    fields = {}
    for name, field in model.model_fields.items():
        alias = field.alias or name
        between = "__" if path else "_"
        fields[alias] = _key(
            f"{path}.{alias}".removeprefix("."),
            f"{env}{between}{name.upper()}",
            _of(field),
            _default(field),
            field.description,
        )
    return Key("section", path, env, annotation, default, text, fields, None)


def _key(path: str, env: str, annotation: Annotation, default: Any, text: str | None) -> Key:
    if isinstance(annotation.bare, type) and issubclass(annotation.bare, Section):
        return _section(annotation.bare, path, env, annotation, default, text or "")
    if annotation.entry is None:
        return Key("value", path, env, annotation, default, text or "", {}, None)
    shape: Literal["list", "map"] = "map" if annotation.is_map else "list"
    item_path, item_env = (f"{path}.<id>", f"{env}__<ID>") if shape == "map" else (f"{path}[]", f"{env}__<N>")
    item = _key(item_path, item_env, annotation.entry, REQUIRED, None)
    return Key(shape, path, env, annotation, default, text or "", {}, item)


def _of(field: FieldInfo) -> Annotation:
    return read(field.annotation, tuple(field.metadata))


def _default(field: FieldInfo) -> Any:
    return REQUIRED if field.is_required() else field.get_default(call_default_factory=True)
