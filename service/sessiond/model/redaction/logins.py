"""Passwords that stand beside a user's name: in addresses, and as arguments of commands."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sessiond.model.redaction.plausible import is_real
from sessiond.model.redaction.spans import Span

# Only the password: up to the last @ before a path, since people forget to escape theirs.
_IN_URL = re.compile(
    r"://(?<=[A-Za-z0-9+.-]{3}://)(?:"
    r"[^\s/:@\"'`<>\\]{0,128}+:(?P<password>[^\s/\"'`<>\\]{2,256})@"
    r"|(?P<token>[A-Za-z0-9_-]{20,256}+)@)"
)
_NOT_GIVEN = re.compile(r"\$|\{|%[a-z]\Z|%\(|\*+\Z|x{3,}\Z|\.{3}|\[", re.IGNORECASE)
_OF_CURL = re.compile(r"-(?:u|-user)[ =]{1,2}+[\"']?[^\s:\"'@/]{1,64}+:(?P<password>[^\s\"']{2,}+)")
_OF_SSHPASS = re.compile(r"sshpass -p[ =]?[\"']?(?P<password>[^\s\"']{2,}+)")
# How far before its flag a command's name is looked for.
_COMMAND = 200


def logins_in(text: str) -> Iterator[Span]:
    """Every password of a login."""
    for found in _IN_URL.finditer(text):
        group = "password" if found["password"] else "token"
        if not _NOT_GIVEN.match(found[group]):
            yield Span(*found.span(group), group)
    if "curl" in text:
        for found in _OF_CURL.finditer(text):
            if is_real(found["password"]) and "curl" in text[max(0, found.start() - _COMMAND) : found.start()]:
                yield Span(*found.span("password"), "password")
    for found in _OF_SSHPASS.finditer(text):
        if not _NOT_GIVEN.match(found["password"]):
            yield Span(*found.span("password"), "password")
