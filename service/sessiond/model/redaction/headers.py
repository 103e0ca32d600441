"""Credentials in HTTP headers, wherever they are written: Authorization, bearer tokens, cookies."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sessiond.model.redaction.plausible import is_code, is_real, looks_random
from sessiond.model.redaction.spans import Span

_QUOTE = r"""\\{0,3}+["'`]"""
_GAP = r"[ \t]{0,8}+"
_SIGN = rf"(?:{_QUOTE}\]?{_GAP}[:=,]|\*{{0,2}}+{_GAP}[:=])\*{{0,2}}+{_GAP}(?:[bfru]{{0,2}}+{_QUOTE})?+"
_SCHEME = r"(?P<scheme>bearer|basic|digest|token|apikey|key|negotiate|ntlm|hmac|aws4-hmac-sha256)"
_AUTHORIZATION = re.compile(rf"authorization{_SIGN}(?:{_SCHEME}[ \t]{{1,4}}+)?")
# Only what looks like a token: one long run with a digit in it.
_BEARER = re.compile(r"bearer[ \t]{1,4}+(?=[a-z._~+/=-]{0,200}+[0-9])(?P<hidden>[a-z0-9._~+/=-]{16,}+)")
_COOKIE = re.compile(rf"cookie{_SIGN}(?P<first>[a-z0-9_.$-]{{1,64}}+=)(?P<quote>[\"']?)")
_RUN = re.compile(r"[^\s\"'`,;<>\\)\]}”’»]++")
_LINE = re.compile(r"[^\n\\'`]++")
_COOKIE_VALUE = re.compile(r"[^\s\"'`;,\\]++")
_COOKIES = re.compile(r"[^\n\"'`\\]++")
_KINDS = {"bearer": "bearer token", "basic": "basic credentials", "digest": "digest credentials"}
_WITH_FIELDS = frozenset({"digest", "hmac", "aws4-hmac-sha256"})


def headers_in(text: str, lowered: str) -> Iterator[Span]:
    """Every credential that a header carries."""
    yield from _authorizations(text, lowered)
    yield from (Span(*found.span("hidden"), "bearer token") for found in _BEARER.finditer(lowered))
    yield from _cookies(text, lowered)


def _authorizations(text: str, lowered: str) -> Iterator[Span]:
    at = 0
    while found := _AUTHORIZATION.search(lowered, at):
        scheme, at = found["scheme"], found.end()
        value = (_LINE if scheme in _WITH_FIELDS else _RUN).match(text, at)
        if value is None:
            continue
        at = value.end()
        is_hidden = "=" in value[0] if scheme in _WITH_FIELDS else is_real(value[0])
        if is_hidden and (scheme or (looks_random(value[0]) and not is_code(value[0]))):
            yield Span(*value.span(), _KINDS.get(scheme, "credentials"))


def _cookies(text: str, lowered: str) -> Iterator[Span]:
    """All that a client sends; of what a server sets, the value but not the attributes."""
    at = 0
    while found := _COOKIE.search(lowered, at):
        at = found.end()
        is_set = lowered.startswith("set-", max(0, found.start() - len("set-")))
        value = (_COOKIE_VALUE if is_set else _COOKIES).match(text, at if is_set else found.start("first"))
        if value and is_real(value[0]):
            at = value.end()
            yield Span(*value.span(), "cookie")
