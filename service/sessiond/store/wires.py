"""The pool of connections to PostgreSQL."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any

import psycopg
from greenlet import getcurrent, greenlet

from sessiond.store.attention import Attention
from sessiond.store.switching import is_awaited, put_aside, wait_for
from sessiond.store.wire import Wire

Connect = Callable[[], Coroutine[Any, Any, psycopg.AsyncConnection[Any]]]


class Wires:
    """At most so many; whoever finds all of them taken waits in line. Only for what runs in a greenlet."""

    def __init__(self, connect: Connect, limit: int, attention: Attention) -> None:
        self._connect = connect
        self._limit = limit
        self._attention = attention
        self._loop = asyncio.get_running_loop()
        self._idle: list[Wire] = []
        self._open = 0
        self._line: deque[greenlet] = deque()

    @property
    def in_use(self) -> int:
        """How many are taken."""
        return self._open - len(self._idle)

    def take(self) -> Wire:
        """One that is not known to be lost, a new one if need be."""
        while self._idle:
            wire = self._idle.pop()  # the one used last: what it remembers is in the processor's caches
            if wire.lost is None:
                return wire
            self._open -= 1
        if self._open < self._limit:
            self._open += 1
            return self._new()
        self._line.append(getcurrent())
        handed_over: Wire | None = put_aside()
        if not is_awaited():  # it was given up in the line; what has begun goes on to its end
            self._pass_on(handed_over)
            raise asyncio.CancelledError
        return self._new() if handed_over is None else handed_over

    def give_back(self, wire: Wire) -> None:
        """To the first in line, if there is one."""
        self._pass_on(None if wire.lost else wire)

    def close(self) -> None:
        """Hang up; nobody uses one any more."""
        for wire in self._idle:
            wire.close()
        self._idle.clear()

    def _new(self) -> Wire:
        """One more, where there is room for it."""
        try:
            return Wire(wait_for(self._connect(), self._loop), self._attention)
        except BaseException:
            self._pass_on(None)
            raise

    def _pass_on(self, wire: Wire | None) -> None:
        """A connection, or the room for one, to the first in line."""
        if self._line:
            self._loop.call_soon(self._line.popleft().switch, wire)
        elif wire is None:
            self._open -= 1
        else:
            self._idle.append(wire)
