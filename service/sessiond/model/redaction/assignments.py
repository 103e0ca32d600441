"""Credentials that are known by the name in front of them: assignments, fields, query parameters, flags."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sessiond.model.redaction.names import NAMES, SUFFIX, Name, Proof
from sessiond.model.redaction.plausible import is_credential, is_real, looks_random
from sessiond.model.redaction.spans import Span
from sessiond.model.redaction.values import Value, is_in_a_sentence, value_at

# A quoted or bold name, then what sets it apart from its value; `str =` as in `password: str = "..."`.
_SIGN = r"""(?:\\{0,3}+["'`]\]?)?+\*{0,2}+(?P<sign>
    [ \t]{0,8}+(?::[ \t]{0,4}+[a-z_][a-z0-9_.|\[\] ]{0,30}+=(?=[ \t]{0,4}+["'])|:=|:(?!:)|={1,3}+>?|\||>)
    \*{0,2}+[ \t]{0,8}+)"""
_ASSIGNED = [(re.compile(rf"(?P<name>{each.pattern}{SUFFIX}){_SIGN}", re.VERBOSE), each) for each in NAMES]
_FLAG_ENDS = (
    *("token", "password", "passwd", "passphrase", "pwd", "-pass", "secret", "api-key", "apikey", "access-key"),
    *("secret-key", "private-key", "account-key", "auth-key", "cookie"),
)
_ENDS_SO = "|".join(f"(?<={each})" for each in _FLAG_ENDS)
_FLAG = re.compile(rf"--(?<![\w-]--)[a-z0-9][a-z0-9_-]{{1,48}}+(?:{_ENDS_SO})[ \t]{{1,4}}+(?!-)")


def assigned_in(text: str, lowered: str) -> Iterator[Span]:
    """Every value whose name says that it is a credential; `lowered` is the text in lower case, place by place."""
    for pattern, name in _ASSIGNED:
        at = 0
        while found := pattern.search(lowered, at):
            at = found.end()
            value = value_at(text, at)
            if value is None:
                continue
            is_hidden = _is_assigned(text, found, value, name)
            if is_hidden:
                yield Span(value.start, value.end, name.kind)
            if is_hidden or not value.is_quoted:  # a quoted text that is no credential may hold one
                at = value.end


def _is_assigned(text: str, found: re.Match[str], value: Value, name: Name) -> bool:
    given = text[value.start : value.end]
    sign = found["sign"].strip("* \t")
    if sign == ">":  # an element: <password>...</password>
        return text.startswith("</", value.end) and is_real(given)
    if sign == "|":  # a cell of a table
        return found["sign"] == " | " and is_real(given) and looks_random(given)
    if found["sign"] == "=" and text[found.start("name") : found.end("name")].isupper():
        return is_real(given)  # as in a shell or an .env file, where values are no code
    in_sentence = is_in_a_sentence(text, value)
    return is_credential(given, name.proof, is_quoted=value.is_quoted, is_in_a_sentence=in_sentence)


def flags_in(text: str, lowered: str) -> Iterator[Span]:
    """Every value behind a command's flag, as in `--token x`; with `=` it is an assignment like others."""
    for found in _FLAG.finditer(lowered):
        value = value_at(text, found.end())
        if value is None:
            continue
        given = text[value.start : value.end]
        in_sentence = is_in_a_sentence(text, value)
        if is_credential(given, Proof.NONE, is_quoted=value.is_quoted, is_in_a_sentence=in_sentence):
            yield Span(value.start, value.end, "password" if "pass" in found[0] else "token")
