"""Pieces of an answer, gathered a little before they are shown: each showing is a row in the store."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from typing import TypeVar

from sessiond.model.exchanges import is_skip, may_become_skip

ENOUGH_CHARACTERS = 40
PAUSE_S = 0.05

Item = TypeVar("Item")


class Deltas:
    """What was written but not yet shown."""

    def __init__(self, show: Callable[[str], Awaitable[None]]) -> None:
        self._show = show
        self._held = ""
        self._shown_at = -PAUSE_S
        self.is_shown = False

    @property
    def due_in_s(self) -> float | None:
        """How long what is held may wait; None when nothing is held, or nothing that may be shown yet."""
        return max(0.0, self._shown_at + PAUSE_S - _now()) if self._held and not self._may_be_silence else None

    @property
    def _may_be_silence(self) -> bool:
        """Whether the answer can still turn out to be a skip token, which is shown to nobody (S11)."""
        return not self.is_shown and may_become_skip(self._held)

    async def add(self, text: str) -> None:
        """Take a piece, and show what is held when it is enough or has waited long enough."""
        self._held += text
        due_in_s = self.due_in_s
        if due_in_s is not None and (len(self._held) >= ENOUGH_CHARACTERS or due_in_s == 0):
            await self.show_whole()

    async def show_whole(self) -> None:
        """Show what is held but for half a character, whose other half is on its way."""
        half = self._held[-1:] if "\ud800" <= self._held[-1:] <= "\udbff" else ""
        await self._show_all(self._held.removesuffix(half))
        self._held = half

    async def end(self) -> None:
        """Show the rest, unless the whole answer is silence."""
        is_silence = not self.is_shown and is_skip(self._held)
        await self._show_all("" if is_silence else self._held)
        self._held = ""

    async def _show_all(self, text: str) -> None:
        self._shown_at = _now()
        if text:
            self.is_shown = True
            await self._show(well_formed(text))


def well_formed(text: str) -> str:
    """The text with its surrogate pairs joined: endpoints cut characters in two, and no store takes the halves."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


async def with_pauses(
    items: AsyncIterator[Item], due_in_s: Callable[[], float | None]
) -> AsyncGenerator[Item | None, None]:
    """The items as they come, and None when the next one is not there by the time that is due; use with `aclosing`."""
    coming: asyncio.Future[Item] | None = None
    try:
        while True:
            coming = coming or asyncio.ensure_future(anext(items))
            await asyncio.wait({coming}, timeout=due_in_s())
            if not coming.done():
                yield None
                continue
            try:
                item = coming.result()
            except StopAsyncIteration:
                return
            coming = None
            yield item
    finally:
        if coming is not None:
            coming.cancel()
            await asyncio.gather(coming, return_exceptions=True)


def _now() -> float:
    return asyncio.get_running_loop().time()
