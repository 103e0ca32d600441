"""The schema: migrated equals made new, once only, under a lock, and never backwards."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from sessiond.store.database import StoreProblem
from sessiond.store.migrations import current_version, known_versions, migrate
from sessiond.store.opening import engine_of, open_database
from sessiond.store.schema import metadata
from tests.store.spare import spare_database

STARTS_AT_ONCE = 4
_SQLITE_DDL = sa.text("SELECT type, name, tbl_name, sql FROM sqlite_master WHERE tbl_name != 'alembic_version'")
_POSTGRES_DDL = (
    sa.text(
        "SELECT table_name, column_name, data_type, collation_name, column_default, is_nullable, is_identity"
        " FROM information_schema.columns WHERE table_schema = 'public' AND table_name != 'alembic_version'"
    ),
    sa.text(
        "SELECT tablename, indexname, indexdef FROM pg_indexes"
        " WHERE schemaname = 'public' AND tablename != 'alembic_version'"
    ),
    sa.text(
        "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint"
        " WHERE connamespace = 'public'::regnamespace AND conrelid::regclass::text != 'alembic_version'"
    ),
)


@pytest.fixture(params=["sqlite", "postgresql"])
def bare_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A database without a table, on each database in turn."""
    if request.param == "sqlite":
        yield f"sqlite:///{tmp_path / 'bare.db'}"
        return
    with spare_database(request.getfixturevalue("postgres"), "bare") as url:
        yield url


@pytest.fixture
def bare(bare_url: str) -> Iterator[sa.Engine]:
    """An engine on a database without a table."""
    engine = engine_of(bare_url)
    yield engine
    engine.dispose()


def ddl(engine: sa.Engine) -> set[tuple[object, ...]]:
    """All that the database knows of its tables, columns, indexes with their conditions, and constraints.

    SQLite keeps the text of what made a table, and writes a column that was added later on the line of the one before.
    """
    statements = (_SQLITE_DDL,) if engine.dialect.name == "sqlite" else _POSTGRES_DDL
    with engine.connect() as connection:
        rows = [row for statement in statements for row in connection.execute(statement)]
    return {tuple(" ".join(each.split()) if isinstance(each, str) else each for each in row) for row in rows}


def clear(engine: sa.Engine) -> None:
    with engine.begin() as connection:
        metadata.drop_all(connection)
        connection.execute(sa.text("DROP TABLE alembic_version"))


def set_version(engine: sa.Engine, version: str) -> None:
    with engine.begin() as connection:
        connection.execute(sa.text("UPDATE alembic_version SET version_num = :version"), {"version": version})


def version_of(engine: sa.Engine) -> str | None:
    with engine.connect() as connection:
        return current_version(connection)


def test_migrated_equals_made_new(bare: sa.Engine) -> None:
    migrate(bare)
    migrated = ddl(bare)
    clear(bare)

    metadata.create_all(bare)

    assert {row[1] for row in migrated} >= {"sessions_by_kind_idx", "runs_one_active_per_session_idx"}
    assert migrated == ddl(bare)


def test_alembic_finds_nothing_left_to_migrate(bare: sa.Engine) -> None:
    migrate(bare)

    with bare.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []


def test_migrating_twice_changes_nothing(bare: sa.Engine) -> None:
    migrate(bare)
    before = ddl(bare)

    migrate(bare)

    assert ddl(bare) == before
    assert version_of(bare) == known_versions()[-1]


def test_programs_that_start_at_once_all_succeed(bare_url: str) -> None:
    together = Barrier(STARTS_AT_ONCE)

    def start(_: int) -> str | None:
        engine = engine_of(bare_url)
        together.wait(10)
        migrate(engine)
        version = version_of(engine)
        engine.dispose()
        return version

    with ThreadPoolExecutor(STARTS_AT_ONCE) as threads:
        assert list(threads.map(start, range(STARTS_AT_ONCE))) == [known_versions()[-1]] * STARTS_AT_ONCE


def test_rows_of_an_older_program_get_a_version(bare: sa.Engine) -> None:
    migrate(bare, "0002")
    values = {"id": 1, "key": "agent:main:main", "agent_id": "main", "kind": "main", "generation": 1}
    columns = [*values, "session_id", "created_ms", "updated_ms"]
    older = sa.table("sessions", *map(sa.column, columns))
    with bare.begin() as connection:
        connection.execute(sa.insert(older).values(values | {"session_id": "s", "created_ms": 1, "updated_ms": 1}))

    migrate(bare)

    with bare.connect() as connection:
        assert connection.execute(sa.text('SELECT "key", version FROM sessions')).all() == [("agent:main:main", 0)]


async def test_a_schema_of_a_newer_program_is_refused(bare: sa.Engine, bare_url: str) -> None:
    migrate(bare)
    set_version(bare, "9999")

    with pytest.raises(StoreProblem, match=r"schema version 9999, newer than this program's \d{4}; use the newer"):
        await open_database(bare_url, on_commit=lambda topics: None)

    assert version_of(bare) == "9999"


async def test_a_schema_that_is_too_old_to_migrate_is_refused_as_such(bare: sa.Engine, bare_url: str) -> None:
    migrate(bare)
    set_version(bare, "0000")

    with pytest.raises(StoreProblem, match="schema version 0000, older than any that this program can migrate from"):
        await open_database(bare_url, on_commit=lambda topics: None)

    assert version_of(bare) == "0000"


@pytest.mark.parametrize("table", ["sessions", "messages"])
async def test_a_database_of_another_program_is_refused_and_left_as_it_was(
    bare: sa.Engine, bare_url: str, table: str
) -> None:
    with bare.begin() as connection:
        connection.execute(sa.text(f"CREATE TABLE {table} (mine TEXT)"))
    before = ddl(bare)

    with pytest.raises(StoreProblem, match=table):
        await open_database(bare_url, on_commit=lambda topics: None)

    assert ddl(bare) == before
