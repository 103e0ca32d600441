"""JSON5 text to values: the one way in, for the file and for variables."""

from typing import Any

import json5


def parse(text: str) -> Any:
    """The value of a JSON5 text. ValueError or RecursionError when it is none; a key given twice is none."""
    return _paired(json5.loads(text, allow_duplicate_keys=False))


def _paired(value: Any) -> Any:
    """The parser leaves `\\ud83d\\ude00` as two halves; join them. A half alone stays, for validation to refuse."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    if isinstance(value, list):
        return [_paired(each) for each in value]
    return {_paired(name): _paired(each) for name, each in value.items()} if isinstance(value, dict) else value
