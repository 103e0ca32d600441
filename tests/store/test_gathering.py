"""How long a group waits for more: while they come, and never for long."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sessiond.store.gathering import AT_MOST_S, ENOUGH, TURNS, Gathering


class Round:
    """An event loop that goes round when it is told to, and a group that gathers there."""

    def __init__(self, waiting: int = 0) -> None:
        self.now_s = 5.0
        self.waiting = [None] * waiting
        self.has_gathered = False
        self._next: list[Callable[[], Any]] = []
        loop: Any = self
        Gathering(loop, self.waiting, self._end, lambda: self.now_s)

    def call_soon(self, callback: Callable[[], Any]) -> None:
        self._next.append(callback)

    def turn(self, coming: int = 0) -> bool:
        """One turn, in which so many come; tells whether it goes on."""
        self.waiting.extend([None] * coming)
        (callback,), self._next = self._next, []
        callback()
        return not self.has_gathered

    def turns(self) -> int:
        """How many turns it goes on for if nobody comes."""
        count = 0
        while self.turn():
            count += 1
        return count

    def _end(self) -> None:
        self.has_gathered = True


@pytest.mark.parametrize("waiting", [0, 1, ENOUGH - 1])
def test_it_ends_when_nobody_has_come_for_some_turns(waiting: int) -> None:
    assert Round(waiting).turns() == TURNS


def test_whoever_comes_makes_it_go_on() -> None:
    loop = Round(1)

    went_on = [loop.turn() for _ in range(TURNS)]

    assert all(went_on)
    assert loop.turn(coming=1)
    assert loop.turns() == TURNS - 1


def test_it_ends_at_once_when_there_are_enough() -> None:
    loop = Round()

    assert [loop.turn(coming) for coming in (0, ENOUGH - 1, 1)] == [True, True, False]


def test_it_ends_in_time_however_many_trickle_in() -> None:
    loop = Round()

    assert loop.turn(coming=1)
    loop.now_s += AT_MOST_S * 0.9
    assert loop.turn(coming=1)
    loop.now_s += AT_MOST_S * 0.2
    assert not loop.turn(coming=1)
