"""Where replicas must take turns, they queue up at a row; a lock that every SQL database has."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from sessiond.store.schema import turnstiles
from sessiond.store.statement import Statement, insert
from sessiond.store.transaction import Later, Tx


def take_turn(tx: Tx, name: str) -> None:
    """Wait until nobody else is past this turnstile; it is free again at the end of the transaction."""
    if tx.database == "sqlite":  # one writer at a time already
        return
    tx.run(_MAKE, name=name)
    tx.run(_ENTER, name=name)


class Turn:
    """A turn at a turnstile that is only taken if there is something to take it for."""

    def __init__(self, name: str, reason: sa.Exists) -> None:
        self._name = name
        self._look = Statement(f"whether to take a turn at {name}", sa.select(sa.literal_column("1")).where(reason))
        self._enter = Statement(f"lock the turnstile {name} if there is a reason", _locked.where(reason))

    def ask(self, tx: Tx, **params: Any) -> Later:
        """Take it, which waits as `take_turn` does; a row if there was a reason."""
        if tx.database == "sqlite":
            return tx.ask(self._look, **params)
        tx.run(_MAKE, name=self._name)
        return tx.ask(self._enter, name=self._name, **params)


_locked = sa.select(turnstiles.c.name).where(turnstiles.c.name == sa.bindparam("name")).with_for_update(of=turnstiles)
_ENTER = Statement("lock a turnstile", _locked)
_MAKE = Statement("make a turnstile", insert(turnstiles, ["name"], ignore_conflicts=True))
