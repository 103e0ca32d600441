"""What the values in a case may say beside themselves: names of what was saved, and much of the same.

"$sent.run_id"                        what was saved as `sent`, and of that its field
"$sent.messages.0.id"                 a number takes an element of a list
"agent:main:${case}"                  the same within a text
{"$each": [1, 500], "of": …}          a list, in which `$number` goes from the first to the last
{"$text": "x", "times": 1000}         a long text
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_WHOLE = re.compile(r"\$([a-z_]+(?:\.\w+)*)")
_WITHIN = re.compile(r"\$\{([a-z_]+(?:\.\w+)*)\}")
Names = Mapping[str, Any]


def filled(value: Any, names: Names) -> Any:
    """The value with everything in it that stands for something else replaced by that."""
    match value:
        case str():
            return _text(value, names)
        case list():
            return [filled(each, names) for each in value]
        case {"$each": [int(first), int(last)], "of": of}:
            return [filled(of, {**names, "number": number}) for number in range(first, last + 1)]
        case {"$text": str(text), "times": int(times)}:
            return text * times
        case dict():
            return {name: filled(each, names) for name, each in value.items()}
        case _:
            return value


def _text(text: str, names: Names) -> Any:
    if whole := _WHOLE.fullmatch(text):
        return _named(whole[1], names)
    return _WITHIN.sub(lambda found: str(_named(found[1], names)), text)


def _named(path: str, names: Names) -> Any:
    value: Any = names
    for part in path.split("."):
        try:
            value = value[int(part) if isinstance(value, list) else part]
        except (KeyError, IndexError, TypeError, ValueError):
            raise LookupError(f"${path}: nothing of that name was saved") from None
    return value
