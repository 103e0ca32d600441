"""What a field's type says to people: whether it is text, a secret, and what is expected of its value."""

import types
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from sessiond.settings.section import Expected, Secret, Section


@dataclass(frozen=True)
class Annotation:
    """A type, taken apart. `entry` is the type of the entries of a list or map."""

    bare: Any
    marks: tuple[Any, ...] = ()
    optional: bool = False
    entry: "Annotation | None" = None

    @property
    def is_map(self) -> bool:
        return get_origin(self.bare) is Mapping

    @property
    def choices(self) -> tuple[str, ...]:
        return get_args(self.bare) if get_origin(self.bare) is Literal else ()

    @property
    def is_text(self) -> bool:
        """Whether a value is text as it stands, so that a variable needs no quotes."""
        return self.bare in (str, SecretStr) or bool(self.choices)

    @property
    def secret(self) -> Secret | None:
        return next((mark for mark in self.marks if isinstance(mark, Secret)), None)

    def bound(self, name: Literal["ge", "le"]) -> float | None:
        return next((getattr(mark, name) for mark in self.marks if hasattr(mark, name)), None)

    @property
    def expected(self) -> str:
        """What should have been written, to go after "expected"."""
        return self._expected() + (" or null" if self.optional else "")

    def _expected(self) -> str:
        for mark in self.marks:
            if isinstance(mark, Expected):
                return mark.text
        if self.choices:
            return _either([f'"{choice}"' for choice in self.choices])
        if self.entry is not None:
            return f"{'an object' if self.is_map else 'a list'}, each entry {self.entry.expected}"
        if isinstance(self.bare, type) and issubclass(self.bare, Section):
            return "an object"
        return "true or false" if self.bare is bool else self._number()

    def _number(self) -> str:
        noun = "an integer" if self.bare is int else "a number"
        low, high = self.bound("ge"), self.bound("le")
        if low is None:
            return noun
        return f"{noun} of at least {low}" if high is None else f"{noun} from {low} to {high}"


def read(annotation: Any, marks: tuple[Any, ...] = ()) -> Annotation:
    """Take a type apart: `Annotated`, `| None`, lists, maps."""
    origin = get_origin(annotation)
    if origin is Annotated:
        bare, *more = get_args(annotation)
        return read(bare, (*marks, *_flat(more)))
    if origin in (Union, types.UnionType):
        (one,) = (each for each in get_args(annotation) if each is not type(None))
        inner = read(one, marks)
        return Annotation(inner.bare, inner.marks, True, inner.entry)
    entry = {tuple: 0, Mapping: 1}.get(origin) if origin is not None else None
    return Annotation(annotation, marks, False, None if entry is None else read(get_args(annotation)[entry]))


def _flat(marks: list[Any]) -> list[Any]:
    """Marks, with those that a Field() holds in its place."""
    return [inner for mark in marks for inner in (mark.metadata if isinstance(mark, FieldInfo) else [mark])]


def _either(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
