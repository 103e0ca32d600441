"""Keys that sign run tokens: shared by all replicas, since a token of one is shown to any other (X5)."""

from __future__ import annotations

from dataclasses import dataclass, field

import sqlalchemy as sa

from sessiond.store.schema import signing_keys
from sessiond.store.statement import Statement, insert
from sessiond.store.transaction import Tx


@dataclass(frozen=True)
class SigningKey:
    """One key; its secret stays out of logs."""

    id: str
    secret: bytes = field(repr=False)
    created_ms: int


def newest_first(tx: Tx) -> list[SigningKey]:
    """All keys that tokens may be signed with; new ones are signed with the first."""
    return [SigningKey(key_id, bytes(secret), created) for key_id, secret, created in tx.rows(_ALL)]


def add(tx: Tx, key_id: str, secret: bytes) -> None:
    """Add a key, from now on the newest."""
    tx.run(_ADD, id=key_id, secret=secret, created_ms=tx.now_ms)


def forget(tx: Tx, before_ms: int) -> int:
    """Remove the keys whose successor is older than this, so that no living token can have their signature."""
    return tx.changed(_FORGET, before=before_ms)


_ALL = Statement(
    "the signing keys",
    sa.select(signing_keys.c.id, signing_keys.c.secret, signing_keys.c.created_ms).order_by(
        signing_keys.c.created_ms.desc(), signing_keys.c.id
    ),
)
_ADD = Statement("add a signing key", insert(signing_keys, ["id", "secret", "created_ms"]))
_successor = signing_keys.alias("successor")
_FORGET = Statement(
    "forget signing keys that were succeeded long ago",
    sa.delete(signing_keys).where(
        sa.exists().where(
            _successor.c.created_ms > signing_keys.c.created_ms,
            _successor.c.created_ms < sa.bindparam("before", type_=sa.BigInteger),
        )
    ),
)
