"""Log lines that come when they come."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

import pytest


async def until_logged(caplog: pytest.LogCaptureFixture, is_it: Callable[[logging.LogRecord], bool]) -> str:
    """The text of the first such line, as soon as it is there."""
    said = asyncio.Event()

    def notice(record: logging.LogRecord) -> bool:
        if is_it(record):
            said.set()
        return True

    caplog.handler.addFilter(notice)
    try:
        if not any(map(is_it, caplog.records)):
            await said.wait()
    finally:
        caplog.handler.removeFilter(notice)
    return next(each.message for each in caplog.records if is_it(each))
