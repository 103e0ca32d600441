"""Everything that is stored, as bytes to search in."""

from __future__ import annotations

import sqlalchemy as sa

from sessiond.store.database import Database
from sessiond.store.schema import metadata
from sessiond.store.statement import Statement


async def places_of(db: Database, words: bytes) -> list[str]:
    """Every column of text or bytes, of every table, that holds these words anywhere."""
    columns = [
        column
        for table in metadata.sorted_tables
        for column in table.columns
        if isinstance(column.type, sa.Text | sa.LargeBinary)
    ]
    return [str(column) for column in columns if await _holds(db, column, words)]


async def _holds(db: Database, column: sa.Column[str | bytes], words: bytes) -> bool:
    values = await db.read(lambda tx: tx.rows(Statement(f"every {column}", sa.select(column))))
    return any(words in _as_bytes(value) for (value,) in values if value is not None)


def _as_bytes(value: str | bytes) -> bytes:
    return value.encode() if isinstance(value, str) else bytes(value)
