"""Tokens that change while the server runs (V1)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from sessiond import reloading
from sessiond.configured import tokens_of
from sessiond.reloading import reload_for_ever
from sessiond.rpc.credentials import Credentials, Token
from sessiond.settings import load
from tests.logs import until_logged
from tests.rpc.keys import ring

OLD = "{auth: {tokens: [{name: 'gw', role: 'gateway', token: 'old-token-0123456789'}]}}"
BOTH = (
    "{auth: {tokens: [{name: 'gw', role: 'gateway', token: 'old-token-0123456789'},"
    " {name: 'gw', role: 'gateway', token: 'new-token-0123456789'}]}}"
)
NEW = "{auth: {tokens: [{name: 'gw', role: 'gateway', token: 'new-token-0123456789'}]}}"


class Watched(Credentials):
    """Tells when its tokens are replaced."""

    changed: asyncio.Event

    def replace(self, tokens: Any) -> None:
        """As always, and say so."""
        super().replace(tokens)
        self.changed.set()


@asynccontextmanager
async def reloads(file: Path, asked: asyncio.Event) -> AsyncIterator[Watched]:
    """A server's tokens, followed from the file as it is now."""
    settings = load(file, {}, {}).settings
    credentials = Watched(tokens_of(settings), await ring())
    credentials.changed = asyncio.Event()
    work = asyncio.create_task(reload_for_ever(file, lambda: load(file, {}, {}).settings, settings, credentials, asked))
    yield credentials
    work.cancel()
    await asyncio.wait([work])


@pytest.fixture(autouse=True)
def looks_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reloading, "LOOK_EVERY_S", 0.01)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "sessiontools.json5"
    file.write_text(OLD)
    return file


def put(file: Path, text: str) -> None:
    """Replace the file in one step, as editors and configuration tools do."""
    new = file.with_suffix(".new")
    new.write_text(text)
    new.replace(file)


async def test_a_changed_file_changes_the_tokens(file: Path) -> None:
    async with reloads(file, asyncio.Event()) as credentials:
        put(file, BOTH)
        await credentials.changed.wait()
        assert len(credentials.tokens) == 2

        credentials.changed.clear()
        put(file, NEW)
        await credentials.changed.wait()
        assert len(credentials.tokens) == 1


async def test_a_signal_has_the_file_read_at_once(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reloading, "LOOK_EVERY_S", 3600)
    asked = asyncio.Event()
    async with reloads(file, asked) as credentials:
        put(file, BOTH)
        asked.set()

        await credentials.changed.wait()


@pytest.mark.parametrize(
    ("text", "words"),
    [("{auth: ", "can't be used"), ("{auth: {tokens: [{}]}}", "can't be used"), ("{}", "no auth.tokens")],
)
async def test_a_file_that_would_leave_the_door_open_or_can_not_be_read_changes_nothing(
    file: Path, caplog: pytest.LogCaptureFixture, text: str, words: str
) -> None:  # V2
    async with reloads(file, asyncio.Event()) as credentials:
        before: tuple[Token, ...] = credentials.tokens
        put(file, text)

        assert words in await until_logged(caplog, lambda each: each.levelno == logging.ERROR)
        assert credentials.tokens == before
        put(file, NEW)
        await credentials.changed.wait()


async def test_other_changes_are_said_to_need_a_restart(file: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with reloads(file, asyncio.Event()):
        put(file, OLD.replace("{auth", "{session: {mainKey: 'home'}, auth"))

        assert "restart" in await until_logged(caplog, lambda each: each.levelno == logging.WARNING)
