"""Tokens that change without a restart: the configuration is read again when its file changes, or on SIGHUP (V1)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

from sessiond.configured import tokens_of
from sessiond.rpc.credentials import Credentials
from sessiond.settings import Settings, SettingsError

log = logging.getLogger("sessiond.reloading")

LOOK_EVERY_S = 1.0
_Stamp = tuple[int, int, int]


async def reload_for_ever(
    file: Path | None, read: Callable[[], Settings], settings: Settings, credentials: Credentials, asked: asyncio.Event
) -> None:
    """Take over `auth.tokens` of every good state of the file; whatever else is changed in it needs a restart."""
    seen: _Stamp | None = None  # so that a change since the start, however soon, is found by the first look
    while True:
        try:
            async with asyncio.timeout(LOOK_EVERY_S if file else None):
                await asked.wait()
        except TimeoutError:
            if _stamp(file) == seen:
                continue
        asked.clear()
        seen = _stamp(file)
        settings = _taken_over(read, settings, credentials)


def _taken_over(read: Callable[[], Settings], before: Settings, credentials: Credentials) -> Settings:
    """The settings in effect afterwards: those that were read, or those before when they can't be used."""
    try:
        after = read()
    except SettingsError as problem:
        log.error("the configuration can't be used, so nothing changes: %s", "; ".join(problem.problems))  # noqa: TRY400
        return before
    tokens = tokens_of(after)
    if before.auth.tokens and not tokens:  # everybody would be the owner from now on
        log.error("the configuration has no auth.tokens any more, so nothing changes; restart to serve without tokens")
        return before
    if tokens != tokens_of(before):
        credentials.replace(tokens)
        log.info("auth.tokens has changed; %d tokens count now", len(tokens))
    if _without_tokens(after) != _without_tokens(before):
        log.warning("the configuration has changed in more than auth.tokens; restart to let that count")
    return after


def _without_tokens(settings: Settings) -> dict[str, object]:
    return settings.model_dump(exclude={"auth": {"tokens"}})


def _stamp(file: Path | None) -> _Stamp | None:
    try:
        found = file.stat() if file else None
    except OSError:  # being replaced, or gone: nothing to read for now
        return None
    return (found.st_mtime_ns, found.st_size, found.st_ino) if found else None
