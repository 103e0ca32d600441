"""Topic to waiting tasks: only hints, nothing worth saving; whoever wakes looks into the store (W7)."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager


class Listener:
    """One waiting task. Listen first, then look, then wait: nothing falls between."""

    __slots__ = ("_event",)

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def clear(self) -> None:
        """Forget hints; call it before looking."""
        self._event.clear()

    def hint(self) -> None:
        """Something may have happened."""
        self._event.set()

    async def wait_at_most(self, seconds: float) -> bool:
        """Until a hint comes or the time is over; tells whether a hint came."""
        try:
            async with asyncio.timeout(seconds):
                await self._event.wait()
        except TimeoutError:
            return False
        return True


class Wake:
    """Who listens to what, in this process; belongs to its event loop."""

    def __init__(self) -> None:
        self._listeners: dict[str, set[Listener]] = defaultdict(set)

    @contextmanager
    def listen(self, *topics: str) -> Iterator[Listener]:
        """A listener to these topics for the time of the context."""
        listener = Listener()
        for topic in topics:
            self._listeners[topic].add(listener)
        try:
            yield listener
        finally:
            for topic in topics:
                self._listeners[topic].discard(listener)
                if not self._listeners[topic]:
                    del self._listeners[topic]

    def publish(self, topics: Iterable[str]) -> None:
        """Hint everybody who listens to one of these."""
        for topic in topics:
            for listener in self._listeners.get(topic, ()):
                listener.hint()

    def publish_all(self) -> None:
        """Hint everybody: after a time in which hints may have been lost."""
        self.publish(list(self._listeners))
