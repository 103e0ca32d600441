"""Where replicas must take turns, they queue up at a row; a lock that every SQL database has."""

from __future__ import annotations

import sqlalchemy as sa

from sessiond.store.schema import turnstiles
from sessiond.store.statement import Statement, insert
from sessiond.store.transaction import Tx


def take_turn(tx: Tx, name: str) -> None:
    """Wait until nobody else is past this turnstile; it is free again at the end of the transaction."""
    if tx.database == "sqlite":  # one writer at a time already
        return
    tx.run(_MAKE, name=name)
    tx.run(_ENTER, name=name)


_ENTER = Statement(
    "lock a turnstile", sa.select(turnstiles.c.name).where(turnstiles.c.name == sa.bindparam("name")).with_for_update()
)
_MAKE = Statement("make a turnstile", insert(turnstiles, ["name"], ignore_conflicts=True))
