"""The smallest question to the store."""

from __future__ import annotations

import sqlalchemy as sa

from sessiond.store.statement import Statement
from sessiond.store.transaction import Tx


def probe(tx: Tx) -> None:
    """Succeeds when the store answers."""
    tx.row(_PROBE)


_PROBE = Statement("is anybody there", sa.select(sa.literal_column("1")))
