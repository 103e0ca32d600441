"""Texts of a program's own that are to reach the server whatever is in them."""

from __future__ import annotations

import re

LONE_SURROGATES = re.compile("[\ud800-\udfff]")


def valid(text: str) -> str:
    """The text without what has no UTF-8, since an outcome that cannot be sent would be lost as a whole."""
    return LONE_SURROGATES.sub("\ufffd", text)


def told(problem: BaseException) -> str:
    """An exception in one line, for people."""
    return valid(f"{type(problem).__name__}: {problem}" if str(problem) else type(problem).__name__)
