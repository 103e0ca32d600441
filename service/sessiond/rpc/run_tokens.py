"""Run tokens on the wire: signed JWTs that any replica can read (V1, X5)."""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import jwt
from jwt.types import Options

from sessiond.model.callers import RunToken
from sessiond.model.errors import StoreUnavailable, Unauthenticated
from sessiond.store.signing_keys import SigningKey

_ALGORITHM = "HS256"
_TYPE = "sessiontools-run+jwt"
_ISSUER = "sessiontools"
_CLAIMS = ("iss", "sub", "ses", "att", "fen", "iat", "exp")
# When it was signed is not asked: a replica whose clock is ahead signs in what others take for the future.
_CHECKS: Options = {"require": list(_CLAIMS), "verify_iat": False}
_LEEWAY_S = 600
# Whoever shows tokens with made-up keys makes us look for the key no more often than this.
_LOOK_EVERY_S = 1.0
_REFRESH_EVERY_S = 30.0

log = logging.getLogger("sessiond.run_tokens")

LoadKeys = Callable[[], Awaitable[Sequence[SigningKey]]]


class RunTokens:
    """Signs with the newest key, and reads what any key signed.

    Whether the lease behind a token still holds is asked of the store at every call; the signature says that the token
    is ours, and its `exp` that it does not stay a secret for ever.
    """

    def __init__(self, load_keys: LoadKeys, life_s: float) -> None:
        self._load_keys = load_keys
        self._life_s = life_s
        self._keys: Mapping[str, SigningKey] = {}
        self._looked_s = -_LOOK_EVERY_S
        self._looking = asyncio.Lock()

    async def refresh(self) -> None:
        """Take in the keys that there are now, added by whichever replica."""
        self._looked_s = time.monotonic()
        self._keys = {key.id: key for key in await self._load_keys()}

    async def refresh_for_ever(self) -> None:
        """Sign with a new key soon after it was added."""
        while True:
            await asyncio.sleep(_REFRESH_EVERY_S)
            try:
                await self.refresh()
            except StoreUnavailable:
                log.warning("the store is away; the signing keys at hand count on")

    def sign(self, token: RunToken) -> str:
        """The token as its holder shows it."""
        key = next(iter(self._keys.values()))
        now = int(time.time())
        claims = {
            "iss": _ISSUER,
            "sub": token.run_id,
            "ses": token.session,
            "att": token.attempt,
            "fen": token.fence,
            "iat": now,
            "exp": now + int(self._life_s),
        }
        return jwt.encode(claims, key.secret, _ALGORITHM, headers={"typ": _TYPE, "kid": key.id})

    async def read(self, text: str) -> RunToken | None:
        """The run token behind this text; None when it is no run token at all, Unauthenticated when it is a bad one."""
        header = _header(text)
        if header.get("typ") != _TYPE:
            return None
        key = await self._key(str(header.get("kid", "")))
        try:
            claims = jwt.decode(text, key.secret, [_ALGORITHM], issuer=_ISSUER, options=_CHECKS, leeway=_LEEWAY_S)
            return RunToken(str(claims["sub"]), int(claims["ses"]), int(claims["att"]), int(claims["fen"]))
        except (jwt.InvalidTokenError, TypeError, ValueError):
            raise Unauthenticated from None

    async def _key(self, key_id: str) -> SigningKey:
        """The key of this name; an unknown one may have been added since we last looked."""
        if key_id not in self._keys:
            await self._look_again(time.monotonic())
        if key_id not in self._keys:
            raise Unauthenticated
        return self._keys[key_id]

    async def _look_again(self, asked_s: float) -> None:
        """Look once after this time, together with all who ask in the meantime, and not at once after another look."""
        async with self._looking:
            if self._looked_s < asked_s:
                await asyncio.sleep(self._looked_s + _LOOK_EVERY_S - asked_s)
                await self.refresh()


def _header(text: str) -> Mapping[str, Any]:
    """What a token says it is. Only its first part is looked at: damaged behind that, it is still a run token."""
    first, dot, _ = text.partition(".")
    if not dot:  # most callers show an ordinary token, or none
        return {}
    try:
        header = json.loads(base64.urlsafe_b64decode(first + "=" * (-len(first) % 4)))
    except ValueError:  # an ordinary token
        return {}
    return header if isinstance(header, dict) else {}
