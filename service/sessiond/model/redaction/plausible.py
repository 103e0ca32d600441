"""Whether a value can be a credential: not a placeholder, not a word of a sentence, not a piece of code."""

from __future__ import annotations

import re

from sessiond.model.redaction.names import Proof

MIN_LENGTH = 4
_MIN_RANDOM = 8
# Longer than any placeholder; only the beginning of a longer value is looked at.
_LOOKED_AT = 200
# Looked for in lower case: a variable, a template, a file, a tag, dots and stars, an address, a request to fill it in.
_PLACEHOLDER = re.compile(
    r"""\[redacted:\ | \{ | \$[{(] | \$[\w.]++\Z | %\( | %\w*+%?\Z | <[^>]*+>?\Z | \[[^\]]*+\]?\Z | ![a-z]++\Z
      | [*x.\u2022\u2026#?_=-]++\Z | your(?![a-z]) | my[_-](?=[a-z_-]++\Z) | insert[_-] | example | placeholder | dummy
      | [a-z][a-z0-9+.-]{1,20}+://""",
    re.VERBOSE | re.ASCII,
)
_PATH = re.compile(r"(?:~|\.{1,2}|[A-Za-z]:)?+(?=[/\\])(?:[/\\]++(?:[A-Za-z._-]++(?=[/\\]|\Z)|[a-z0-9._-]++))++\Z")
_NO_VALUES = """
    none null nil undefined empty true false unset blank default unknown anonymous required optional mandatory
    string text number integer boolean bool float bytes char varchar dict list object array final self secretstr
"""
_SAID_OF_THEM = """
    hidden masked redacted removed omitted invalid valid incorrect correct wrong missing expired revoked reset changed
    updated weak strong needed stored saved encrypted hashed generated plain plaintext disabled enabled
    prompt stdin input field value flag option options argument parameter
"""
_THEIR_NAMES = """
    password passwd passphrase passcode secret secrets token tokens key keys credential credentials bearer
    basic digest auth authentication authorization scheme header oauth oauth2 apikey changeme change-me change_me
"""
_WORDS = frozenset((_NO_VALUES + _SAID_OF_THEM + _THEIR_NAMES).split())
_WORDY = re.compile(r"[a-z_-]++\Z")
_NAMES_ONE = re.compile(r"pass|pwd|secret|token|key|credential|auth|_here|-here")
_CODE = re.compile(
    r"[A-Za-z_$][\w$]*+(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*+)*+[(\[]"  # a call, a member by its name
    r"|[A-Za-z_$]++(?:(?:\.|->|::|\?\.)[A-Za-z_$]++)++\Z"  # a chain of names
    r"|[a-z]++(?:[A-Z][a-z]++)++\Z|(?:[A-Z][a-z]++){2,}+\Z",  # a variable, a type
    re.ASCII,
)
_MIXED = re.compile(r"(?=[^0-9]*+[0-9])(?=[^A-Za-z]*+[A-Za-z])")
_LONG_RUN = re.compile(r"[A-Za-z0-9+/]{20,}+=*+\Z")
_SPACE = re.compile(r"\s")


def is_real(value: str) -> bool:
    """Whether the value is there at all: long enough, and nothing that only stands for one."""
    if len(value) < MIN_LENGTH:
        return False
    start = value[:_LOOKED_AT]
    lowered = start.lower()
    return not (lowered in _WORDS or _PLACEHOLDER.match(lowered) or _PATH.match(start))


def looks_random(value: str) -> bool:
    """Whether no person would write this in a sentence."""
    if len(value) < _MIN_RANDOM or _SPACE.search(value):
        return False
    start = value[:_LOOKED_AT]
    return bool(_MIXED.match(start) or _LONG_RUN.match(start))


def is_code(value: str) -> bool:
    """Whether a bare value is an expression of a program: `get_token()`, `self.token`, `os.environ[`, `LeaseToken`."""
    return bool(_CODE.match(value))


def is_credential(value: str, proof: Proof, *, is_quoted: bool, is_in_a_sentence: bool = False) -> bool:
    """Whether this value of something that is named as a credential is one."""
    start = value[:_LOOKED_AT]
    if not is_real(value) or _is_name(start):
        return False
    if _SPACE.search(start):
        return proof is not Proof.RANDOM and any(looks_random(word) for word in start.split())
    if not is_quoted and is_code(start):
        return False
    if proof is Proof.RANDOM:
        return looks_random(value)
    return is_quoted or _is_bare_credential(start, proof, is_in_a_sentence)


def _is_bare_credential(value: str, proof: Proof, is_in_a_sentence: bool) -> bool:
    """Of bare words, those alone can be credentials that people choose, and only outside of sentences."""
    if value.replace("-", "").replace("_", "").isalpha():
        return proof is Proof.NONE and not is_in_a_sentence
    return proof is Proof.NONE or bool(_MIXED.match(value))


def _is_name(value: str) -> bool:
    """Whether the value is itself what credentials are called, as in `password=user_password`."""
    lowered = value.lower()
    return bool(_WORDY.match(lowered) and _NAMES_ONE.search(lowered))
