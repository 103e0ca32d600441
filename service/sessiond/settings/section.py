"""What every part of the settings is made of: the strict model, and marks that the walker reads off its fields."""

from dataclasses import dataclass
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Strict
from pydantic.alias_generators import to_camel

Entry = TypeVar("Entry")

# JSON5 knows lists only; a strict tuple would refuse them. What is inside stays strict.
Many = Annotated[tuple[Entry, ...], Strict(False)]


class Section(BaseModel):
    """One object of the file: camelCase there, snake_case here; nothing unknown, nothing changed later."""

    model_config = ConfigDict(
        strict=True,
        extra="forbid",
        frozen=True,
        alias_generator=to_camel,
        # Code may build a section by attribute name; load() validates by alias alone, so the file may not.
        validate_by_name=True,
        validate_by_alias=True,
        allow_inf_nan=False,
        hide_input_in_errors=True,
    )


@dataclass(frozen=True)
class Expected:
    """Mark: what a person should have written, where the type alone can't say it."""

    text: str


@dataclass(frozen=True)
class Secret:
    """Mark: errors never show it. `show` masks all of it, or only a password in it when not `whole`."""

    whole: bool = True
