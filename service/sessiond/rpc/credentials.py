"""From a call's metadata to its caller; nothing in a request is ever taken for identity (V1, V2, V6)."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from sessiond.model.callers import Caller, CallerRole
from sessiond.model.errors import RoleDenied, Unauthenticated
from sessiond.rpc.run_tokens import RunTokens

Metadata = Iterable[tuple[str, str | bytes]]

_AUTHORIZATION = "authorization"
_ACTING = "acting-session"
_TRACEPARENT = "traceparent"
_TELLING = frozenset({_AUTHORIZATION, _ACTING, _TRACEPARENT})  # what metadata tells of a caller
_BEARER = "bearer "
_LOCAL_OWNER = Caller(CallerRole.OWNER, "local")
_MAY_ACT = frozenset({CallerRole.OWNER, CallerRole.GATEWAY})


@dataclass(frozen=True)
class Token:
    """A configured credential; only its hash is kept."""

    name: str
    role: CallerRole
    sha256: str


def hash_of(token: str) -> str:
    """What is kept of a token."""
    return hashlib.sha256(token.encode()).hexdigest()


class Credentials:
    """Tells who calls; without configured tokens everybody is the owner, since only loopback is served then."""

    def __init__(self, tokens: Iterable[Token], run_tokens: RunTokens) -> None:
        self._tokens = tuple(tokens)
        self._run_tokens = run_tokens

    @property
    def tokens(self) -> tuple[Token, ...]:
        """The tokens that count now."""
        return self._tokens

    def replace(self, tokens: Iterable[Token]) -> None:
        """From the next call on these tokens count, and no others."""
        self._tokens = tuple(tokens)

    async def caller(self, metadata: Metadata) -> Caller:
        """The caller behind this metadata."""
        fields = dict(metadata)
        if not self._tokens and _TELLING.isdisjoint(fields):
            return _LOCAL_OWNER
        authorization = _text(fields, _AUTHORIZATION)
        caller = await self._holder(authorization) if authorization or self._tokens else _LOCAL_OWNER
        acting, traceparent = _text(fields, _ACTING), _text(fields, _TRACEPARENT)
        if acting and caller.role not in _MAY_ACT:
            raise RoleDenied(caller.role, f"with metadata {_ACTING}")
        return replace(caller, acting_reference=acting, traceparent=traceparent) if acting or traceparent else caller

    async def _holder(self, authorization: str) -> Caller:
        is_bearer = authorization[: len(_BEARER)].lower() == _BEARER
        secret = authorization[len(_BEARER) :].strip() if is_bearer else ""
        run_token = await self._run_tokens.read(secret)
        if run_token is not None:  # its holder is the agent, also where everybody else would be the owner
            return Caller(CallerRole.AGENT, f"run {run_token.run_id}", run_token=run_token)
        if not self._tokens:
            return _LOCAL_OWNER
        presented = hash_of(secret)
        # Every token is compared, each in constant time, so that time tells nothing.
        matches = [token for token in self._tokens if hmac.compare_digest(token.sha256, presented)]
        if not is_bearer or not matches:
            raise Unauthenticated
        return Caller(matches[0].role, matches[0].name)


def _text(fields: Mapping[str, str | bytes], name: str) -> str:
    value = fields.get(name, "")
    return value if isinstance(value, str) else ""
