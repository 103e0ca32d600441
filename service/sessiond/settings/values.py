"""The kinds of text that settings hold: each a pattern, and a sentence that says what is expected."""

import ipaddress
import re
from typing import Annotated

from pydantic import AfterValidator, Field, SecretStr

from sessiond.settings.section import Expected, Secret

# What `config show` prints for a secret. Refused as a value, so that its output can't be taken for a working file.
MASK = "********"

_AGENT_ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_MAIN_KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
_MODEL_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@-]{0,127}")
_LISTEN = re.compile(r"(?:\[(?P<six>[^\[\]]+)\]|(?P<host>[A-Za-z0-9.-]+)):(?P<port>[0-9]{1,5})")
_STORE_URL = re.compile(r"(sqlite(\+pysqlite)?|postgresql(\+psycopg)?)://.*", re.DOTALL)
_RESERVED_KEYS = frozenset({"global", "unknown"})


def _agent_id(text: str) -> str:
    return _matching(_AGENT_ID, text.lower())


def _agent_or_any(text: str) -> str:
    return text if text == "*" else _agent_id(text)


def _main_key(text: str) -> str:
    if text.lower() in _RESERVED_KEYS:
        raise ValueError("reserved")
    return _matching(_MAIN_KEY, text)


def _model_id(text: str) -> str:
    return _matching(_MODEL_ID, text)


def is_model_id(text: str) -> bool:
    """Whether a text can be an id in `models`."""
    return _MODEL_ID.fullmatch(text) is not None


def _listen(text: str) -> str:
    found = _LISTEN.fullmatch(text)
    if found is None or int(found["port"]) > 65535:
        raise ValueError("not HOST:PORT")
    if found["six"] is not None:
        ipaddress.IPv6Address(found["six"])
    elif re.fullmatch(r"[0-9.]+", found["host"]):
        ipaddress.IPv4Address(found["host"])
    return text


def _store_url(text: str) -> str:
    _matching(_STORE_URL, _not_blank(text))
    if MASK in text:
        raise ValueError("masked")
    # SQLAlchemy 2.0 would look for psycopg2 here; this project brings psycopg 3.
    return re.sub(r"^postgresql://", "postgresql+psycopg://", text)


def _base_url(text: str) -> str:
    return _matching(re.compile(r"https?://[^\s*]+"), text)


def _variable(text: str) -> str:
    return _matching(re.compile(r"[A-Za-z_][A-Za-z0-9_]*"), text)


def _token_hash(text: str) -> str:
    return _matching(re.compile(r"[0-9a-f]{64}"), text.lower())


def _unmasked(secret: SecretStr) -> SecretStr:
    if _not_blank(secret.get_secret_value()) == MASK:
        raise ValueError("masked")
    return secret


def _not_blank(text: str) -> str:
    text.encode()  # half a surrogate pair can't be written anywhere; its UnicodeError is a ValueError
    if not text.strip():
        raise ValueError("blank")
    return text


def _matching(pattern: re.Pattern[str], text: str) -> str:
    if pattern.fullmatch(text) is None:
        raise ValueError("another pattern")
    return text


_AGENT_ID_TEXT = "an agent id (a letter or digit, then up to 63 letters, digits, _ or -)"

Text = Annotated[str, AfterValidator(_not_blank), Expected("a non-blank string")]
AgentId = Annotated[str, AfterValidator(_agent_id), Expected(_AGENT_ID_TEXT)]
AgentOrAny = Annotated[str, AfterValidator(_agent_or_any), Expected(f'{_AGENT_ID_TEXT} or "*"')]
MainKey = Annotated[
    str,
    AfterValidator(_main_key),
    Expected('a letter or digit, then up to 63 letters, digits, _ or -; not "global" or "unknown"'),
]
ModelId = Annotated[
    str,
    AfterValidator(_model_id),
    Expected("a model id (a letter or digit, then up to 127 letters, digits or . _ : / @ -)"),
]
Listen = Annotated[
    str, AfterValidator(_listen), Expected("HOST:PORT, such as 127.0.0.1:50551 or [::1]:0 (port 0: any free port)")
]
StoreUrl = Annotated[
    str,
    AfterValidator(_store_url),
    Expected("a SQLAlchemy URL that begins with sqlite:// or postgresql+psycopg:// (with its real password)"),
    Secret(whole=False),
]
BaseUrl = Annotated[
    str, AfterValidator(_base_url), Expected("a URL that begins with http:// or https://"), Secret(whole=False)
]
SecretText = Annotated[
    SecretStr,
    AfterValidator(_unmasked),
    Expected("a non-blank secret (and not the mask that `config show` prints)"),
    Secret(),
]
TokenHash = Annotated[
    str, AfterValidator(_token_hash), Expected("the token's SHA-256 as 64 hexadecimal digits"), Secret()
]
# People put the key itself here; an error must not repeat it.
Variable = Annotated[
    str, AfterValidator(_variable), Expected("the name of an environment variable"), Secret(whole=False)
]
Seconds = Annotated[float, Field(ge=0.1, le=86_400)]
GraceSeconds = Annotated[float, Field(ge=0, le=86_400)]
