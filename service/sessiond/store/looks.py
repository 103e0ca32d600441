"""Looks into the store that are made together: a commit wakes many, and each of them asks the same of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from sessiond.store.database import Batch, Item, Result, Work, settle


class Looks:
    """What is asked in one turn of the event loop is answered by one look for each kind of question, up to a bound."""

    def __init__(self, look: Callable[[Work[Any]], Awaitable[Any]], most: int) -> None:
        self._look = look
        self._most = most
        self._asked: dict[Batch[Any, Any], list[tuple[Any, asyncio.Future[Any]]]] = {}
        self._looking: set[asyncio.Task[None]] = set()

    async def ask(self, batch: Batch[Item, Result], item: Item) -> Result:
        """The answer for this item."""
        answer: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        if batch not in self._asked:
            self._asked[batch] = []
            looking = asyncio.create_task(self._answer(batch))  # begins when everybody who is awake has asked
            self._looking.add(looking)
            looking.add_done_callback(self._looking.discard)
        self._asked[batch].append((item, answer))
        return await answer

    async def _answer(self, batch: Batch[Any, Any]) -> None:
        asked = self._asked.pop(batch)
        for first in range(0, len(asked), self._most):
            await self._answer_some(batch, asked[first : first + self._most])
            await asyncio.sleep(0)  # a look into SQLite never waits, so that nobody else would have a turn in between

    async def _answer_some(self, batch: Batch[Any, Any], asked: list[tuple[Any, asyncio.Future[Any]]]) -> None:
        results: list[Any]
        try:
            results = await self._look(lambda tx: batch(tx, [item for item, _ in asked]))
        except Exception as problem:  # noqa: BLE001 - handed to everybody who asked
            results = [problem] * len(asked)
        for (_, answer), result in zip(asked, results, strict=True):
            settle(answer, result)
