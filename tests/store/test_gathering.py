"""How long a group waits for more: while they come, and never for long."""

from __future__ import annotations

import pytest

from sessiond.store.gathering import AT_MOST_S, ENOUGH, TURNS, Gathering


def turns(gathering: Gathering, waiting: int) -> int:
    """How many turns it goes on for with so many."""
    count = 0
    while gathering.goes_on(waiting):
        count += 1
    return count


@pytest.mark.parametrize("waiting", [0, 1, ENOUGH - 1])
def test_it_ends_when_nobody_has_come_for_some_turns(waiting: int) -> None:
    assert turns(Gathering(lambda: 0.0), waiting) == TURNS


def test_whoever_comes_makes_it_go_on() -> None:
    gathering = Gathering(lambda: 0.0)

    went_on = [gathering.goes_on(1) for _ in range(TURNS)]

    assert all(went_on)
    assert turns(gathering, 2) == TURNS


def test_it_ends_at_once_when_there_are_enough() -> None:
    gathering = Gathering(lambda: 0.0)

    assert [gathering.goes_on(count) for count in (0, ENOUGH - 1, ENOUGH)] == [True, True, False]


def test_it_ends_in_time_however_many_trickle_in() -> None:
    now_s = [5.0]
    gathering = Gathering(lambda: now_s[0])

    assert gathering.goes_on(1)
    now_s[0] += AT_MOST_S * 0.9
    assert gathering.goes_on(2)
    now_s[0] += AT_MOST_S * 0.2
    assert not gathering.goes_on(3)
