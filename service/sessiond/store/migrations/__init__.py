"""Numbered migrations, applied in order, under a lock, in one transaction."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa

from sessiond.store.database import StoreProblem

_HERE = Path(__file__).parent
_LOCK_NUMBER = 7_305_807_193  # any number that nothing else on the server takes as an advisory lock


def known_versions() -> list[str]:
    """Every version this program can bring a database to, oldest first."""
    return sorted(path.name.split("_", 1)[0] for path in (_HERE / "versions").glob("[0-9]*_*.py"))


def current_version(connection: sa.Connection) -> str | None:
    """The schema version of a database; None when it is empty."""
    tables = sa.inspect(connection).get_table_names()
    if "alembic_version" in tables:
        found = connection.scalar(sa.text("SELECT version_num FROM alembic_version"))
        return str(found) if found is not None else None
    if "sessions" in tables:
        raise StoreProblem("the database has a table 'sessions' that is not ours; give store.url a database of its own")
    return None


def migrate(engine: sa.Engine, to: str | None = None) -> None:
    """Bring the schema to this program's version; refuse one that a newer program made."""
    wanted = to or known_versions()[-1]
    with engine.connect() as connection:
        if current_version(connection) == wanted:
            return
    with engine.begin() as connection:
        _lock(connection)
        _upgrade(connection, wanted)


def _lock(connection: sa.Connection) -> None:
    """SQLite's BEGIN IMMEDIATE is the lock already; on PostgreSQL a second start waits here, without limit."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.text("SET LOCAL statement_timeout = 0"))
        connection.execute(sa.text("SET LOCAL lock_timeout = 0"))
        connection.execute(sa.text("SELECT pg_advisory_xact_lock(:number)"), {"number": _LOCK_NUMBER})


def _upgrade(connection: sa.Connection, wanted: str) -> None:
    found = current_version(connection)  # again, now that nobody else can change it
    if found is not None and found not in known_versions():
        newest = known_versions()[-1]
        if found > newest:
            raise StoreProblem(
                f"the database has schema version {found}, newer than this program's {newest}; use the newer program"
            )
        raise StoreProblem(
            f"the database has schema version {found}, older than any that this program can migrate from"
        )
    # Imported here because most starts find nothing to do and alembic is slow to load.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_HERE))
    config.attributes["connection"] = connection
    command.upgrade(config, wanted)
