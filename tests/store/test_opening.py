"""From a store URL to a store, or to one line that says why not."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa

from sessiond.store.database import StoreProblem
from sessiond.store.opening import open_database


async def opened(url: str) -> str:
    """Open and close; which database it was."""
    database = await open_database(url, on_commit=lambda topics: None)
    await database.close()
    return database.name


async def problem_with(url: str) -> str:
    """Why this URL can't be opened; it must be one line."""
    with pytest.raises(StoreProblem) as caught:
        await opened(url)
    text = str(caught.value)
    assert text.splitlines() == [text]
    return text


@pytest.mark.parametrize("url", ["", "nonsense", "sqlite:/x", "postgresql://localhost:port/x"])
async def test_what_is_no_url_is_refused(url: str) -> None:
    assert "expected sqlite:///FILE or postgresql+psycopg://" in await problem_with(url)


@pytest.mark.parametrize("url", ["mysql://localhost/x", "sqlite+aiosqlite:///x", "postgresql+asyncpg://h/x"])
async def test_another_driver_is_refused_by_its_name(url: str) -> None:
    assert url.partition(":")[0] in await problem_with(url)


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///", "sqlite:///:memory:"])
async def test_sqlite_without_a_file_is_refused(url: str) -> None:
    assert "sqlite needs a file" in await problem_with(url)


async def test_a_missing_folder_is_made(tmp_path: Path) -> None:
    file = tmp_path / "not" / "yet" / "there" / "test.db"

    assert await opened(f"sqlite:///{file}") == "sqlite"

    assert file.exists()


async def test_a_folder_that_cannot_be_made_is_refused_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")

    text = await problem_with(f"sqlite:///{tmp_path / 'file' / 'folder' / 'test.db'}")

    assert f"the folder {tmp_path / 'file' / 'folder'} can't be made" in text


async def test_a_folder_in_place_of_the_file_is_refused(tmp_path: Path) -> None:
    assert str(tmp_path) in await problem_with(f"sqlite:///{tmp_path}")


async def test_a_tilde_is_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))

    await opened("sqlite:///~/data/test.db")

    assert (tmp_path / "data" / "test.db").exists()


@pytest.mark.parametrize("content", [b"this is no database" * 100, b"SQLite format 3\0" + b"\xff" * 4096])
async def test_a_corrupt_file_is_refused_and_left_as_it_was(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "test.db"
    file.write_bytes(content)

    assert "is not a usable SQLite database" in await problem_with(f"sqlite:///{file}")

    assert file.read_bytes() == content


async def test_a_server_that_does_not_answer_is_told_without_the_password() -> None:
    text = await problem_with("postgresql+psycopg://me:secret@127.0.0.1:1/x")

    assert "127.0.0.1" in text
    assert "secret" not in text


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg"])
async def test_postgresql_may_be_named_in_short(postgres: sa.Engine, scheme: str) -> None:
    url = postgres.url.set(drivername=scheme)

    assert await opened(url.render_as_string(hide_password=False)) == "postgresql"
