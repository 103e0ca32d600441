"""Topic to waiting tasks: hints, upon which who wakes looks into the store (W7), and news that spare it the look."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager
from typing import Any


class Listener:
    """One waiting task. Listen first, then look, then wait: nothing falls between."""

    # Thousands sleep at once, so a sleeper is one future and one timer; an asyncio.Event and a timeout are far more.
    __slots__ = ("_sleep", "is_hinted", "news")

    def __init__(self) -> None:
        self.is_hinted = False
        self.news: Any = None  # the latest that came with a hint, which is never outdated
        self._sleep: asyncio.Future[None] | None = None

    def clear(self) -> None:
        """Forget hints; call it before looking."""
        self.is_hinted = False

    def hint(self, news: Any = None) -> None:
        """Something may have happened; with news, it is known what."""
        self.is_hinted = True
        self.news = news or self.news
        self._end_sleep()

    async def wait_at_most(self, seconds: float) -> bool:
        """Until a hint comes or the time is over; tells whether a hint came."""
        if not self.is_hinted:
            loop = asyncio.get_running_loop()
            self._sleep = loop.create_future()
            timer = loop.call_later(seconds, self._end_sleep)
            try:
                await self._sleep
            finally:
                timer.cancel()
                self._sleep = None
        return self.is_hinted

    def _end_sleep(self) -> None:
        if self._sleep is not None and not self._sleep.done():
            self._sleep.set_result(None)


class Listening:
    """A listener to some topics, for the time of the context."""

    __slots__ = ("_listener", "_topics", "_wake")

    def __init__(self, wake: Wake, topics: tuple[str, ...], listener: Listener) -> None:
        self._wake = wake
        self._topics = topics
        self._listener = listener

    def __enter__(self) -> Listener:
        self._wake.add(self._listener, self._topics)
        return self._listener

    def __exit__(self, *raised: object) -> None:
        self._wake.remove(self._listener, self._topics)


class Wake:
    """Who listens to what, in this process; belongs to its event loop."""

    def __init__(self) -> None:
        self._listeners: dict[str, set[Listener]] = defaultdict(set)

    def listen(self, *topics: str) -> AbstractContextManager[Listener]:
        """A listener to these topics for the time of the context."""
        return Listening(self, topics, Listener())

    def add(self, listener: Listener, topics: Iterable[str]) -> None:
        """It is hinted of these from now on."""
        for topic in topics:
            self._listeners[topic].add(listener)

    def remove(self, listener: Listener, topics: Iterable[str]) -> None:
        """It is not hinted of these any more."""
        for topic in topics:
            self._listeners[topic].discard(listener)
            if not self._listeners[topic]:
                del self._listeners[topic]

    def is_awaited(self, topic: str) -> bool:
        """Whether anybody listens to it."""
        return topic in self._listeners

    def publish(self, news: Mapping[str, Any]) -> None:
        """Tell everybody who listens to one of these topics what is known of it, if anything is."""
        for topic, what in news.items():
            for listener in self._listeners.get(topic, ()):
                listener.hint(what)

    def hint(self, *topics: str) -> None:
        """Have everybody look who listens to one of these."""
        self.publish(dict.fromkeys(topics))

    def hint_all(self) -> None:
        """Have everybody look: after a time in which hints may have been lost."""
        self.hint(*self._listeners)
