"""Keys that sign run tokens: made at the first start, and again whenever somebody asks for a new one."""

from __future__ import annotations

import secrets

from sessiond.ids import new_id
from sessiond.store import signing_keys
from sessiond.store.signing_keys import SigningKey
from sessiond.store.transaction import Tx

KEY_BYTES = 32


def new_key(tx: Tx) -> SigningKey:
    """A new key, with which every replica signs as soon as it has seen it; older ones are still read."""
    key = SigningKey(new_id(), secrets.token_bytes(KEY_BYTES), tx.now_ms)
    signing_keys.add(tx, key.id, key.secret)
    return key


def first_key(tx: Tx) -> None:
    """Make the first key of a new database. Two replicas that both do leave two keys, and both are good."""
    if not signing_keys.newest_first(tx):
        new_key(tx)
