"""Databases of their own on the test server, for tests that break or remake one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import sqlalchemy as sa


@contextmanager
def spare_database(server: sa.Engine, name: str, options: str = "") -> Iterator[str]:
    """Make an empty database; its URL, for the time of the context."""
    admin = server.execution_options(isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(sa.text(f"CREATE DATABASE {name} {options}"))
    try:
        yield server.url.set(database=name).render_as_string(hide_password=False)
    finally:
        with admin.connect() as connection:
            connection.execute(sa.text(f"DROP DATABASE {name} WITH (FORCE)"))
