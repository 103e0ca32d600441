"""Page tokens: opaque, and only good for the request that gave them (L2)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from functools import lru_cache
from typing import Any

from sessiond.model.errors import PageTokenInvalid

_JSON = json.JSONEncoder(separators=(",", ":"))
_BINDING_BYTES = 9
_SHORT = 256  # what may be kept in memory of somebody else's texts


def page_token(position: list[Any], *request: Any) -> str:
    """A token for the page after this position of this request."""
    text = _JSON.encode([_binding(request), *position])
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def position_of(token: str, shape: tuple[type, ...], *request: Any) -> list[Any] | None:
    """Where the page goes on; None without a token, PageTokenInvalid when it is another request's."""
    if not token:
        return None
    try:
        parts = json.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
    except (binascii.Error, ValueError, RecursionError):
        raise PageTokenInvalid from None
    if not isinstance(parts, list) or [type(part) for part in parts] != [str, *shape] or parts[0] != _binding(request):
        raise PageTokenInvalid
    if any(isinstance(part, int) and not 0 <= part < 1 << 63 for part in parts):
        raise PageTokenInvalid
    return parts[1:]


def _binding(request: tuple[Any, ...]) -> str:
    """What tells a request from others; most callers ask for the same over and over."""
    is_short = all(len(part) <= _SHORT for part in request if isinstance(part, str))
    return _usual_digest(request) if is_short else _digest(request)


def _digest(request: tuple[Any, ...]) -> str:
    digest = hashlib.sha256(json.dumps(request, default=str).encode()).digest()
    return base64.urlsafe_b64encode(digest[:_BINDING_BYTES]).decode()


_usual_digest = lru_cache(maxsize=1024)(_digest)
