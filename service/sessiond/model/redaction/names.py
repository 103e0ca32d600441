"""Names that say their value is a credential: `DB_PASSWORD`, `apiKey`, `x-auth-token`."""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import NamedTuple


class Proof(Enum):
    """What a value must show, beside its name, to count as a credential."""

    NONE = auto()  # people choose passwords: any word may be one
    SOME = auto()  # made by machines, though a careless one may be a word in quotes
    RANDOM = auto()  # the name means other things too: only what looks random


class Name(NamedTuple):
    """One way to name a credential, in lower case; `pattern` begins with a literal, which makes its search fast."""

    pattern: str
    kind: str
    proof: Proof


_KEYS = (
    *("api", "access", "secret", "private", "account", "signing", "encryption", "master", "auth"),
    *("consumer", "subscription", "deploy", "hmac", "role", "app"),
)
_ANY_KEY = "|".join(f"(?<={each}key)|(?<={each}[_ -]key)" for each in _KEYS)
# Tokens that open nothing: places in a list, signs in a text, names of assemblies.
_NO_TOKENS = ("page", "next", "continuation", "cancellation", "publickey", "sync", "eos", "bos", "pad", "unk", "max")
_NOT_THESE = "".join(f"(?<!{each}token)(?<!{each}[_-]token)" for each in _NO_TOKENS)
NAMES = (
    Name(r"pass(?:w(?:or)?d|phrase|code|(?<=[_?&-]pass))", "password", Proof.NONE),
    Name(r"pwd", "password", Proof.NONE),
    Name(r"pw(?<![a-z0-9]pw)", "pw", Proof.NONE),  # a longer mask would make a text of these grow threefold
    Name(r"secret(?![_ -]?(?:access[_ -]?)?key)(?:[_-]?token)?", "secret", Proof.SOME),
    Name(rf"key(?:{_ANY_KEY})(?:[_-]?base)?", "key", Proof.SOME),
    Name(rf"token{_NOT_THESE}", "token", Proof.RANDOM),
    Name(r"credentials?", "credentials", Proof.RANDOM),
    Name(r"_auth", "credentials", Proof.RANDOM),
)
# What may stand behind the word and leaves it a name of the same thing.
_STAGES = "prod(?:uction)?|dev(?:elopment)?|test|stag(?:e|ing)|live|sandbox|local|old|new|v?[0-9]{1,2}|value|b64|base64"
SUFFIX = rf"(?:[_-]?(?:{_STAGES}))?(?![a-z0-9_-])"
_FULL = [(re.compile(rf"{name.pattern}{SUFFIX}\Z"), name) for name in NAMES]
_MAX_NAME = 100


def credential_named(name: str) -> Name | None:
    """What a value under this key is, if the key names a credential."""
    lowered = name.strip().lower()
    if len(lowered) > _MAX_NAME:
        return None
    return next((known for pattern, known in _FULL if pattern.search(lowered)), None)
