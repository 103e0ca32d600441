"""How fast one caller may call (X6)."""

from __future__ import annotations

import pytest

from sessiond.model.callers import Caller, CallerRole
from sessiond.model.errors import RateLimited
from sessiond.rpc import rate
from sessiond.rpc.rate import RateLimit


class Clock:
    """Time that a test moves."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def gateway(name: str) -> Caller:
    """A gateway of this name."""
    return Caller(CallerRole.GATEWAY, name)


def refusals(limit: RateLimit, name: str, calls: int) -> list[int | None]:
    """When each refused call may be tried again."""
    found = []
    for _ in range(calls):
        try:
            limit.take(gateway(name))
        except RateLimited as refusal:
            found.append(refusal.retry_after_ms)
    return found


def test_a_burst_passes_and_what_is_beyond_it_is_told_when_to_come_again() -> None:
    limit = RateLimit(10, 5, Clock())

    assert refusals(limit, "a", 7) == [100, 100]


def test_time_fills_the_bucket_up_to_the_burst_and_no_further() -> None:
    clock = Clock()
    limit = RateLimit(10, 5, clock)
    refusals(limit, "a", 6)

    clock.now_s += 0.25
    assert len(refusals(limit, "a", 5)) == 3
    clock.now_s += 3600
    assert len(refusals(limit, "a", 9)) == 4


def test_one_caller_takes_nothing_from_another() -> None:
    limit = RateLimit(1, 1, Clock())
    refusals(limit, "a", 3)

    assert refusals(limit, "b", 1) == []


def test_a_refusal_names_the_limit_and_its_key() -> None:
    limit = RateLimit(0.5, 1, Clock())
    limit.take(gateway("a"))

    with pytest.raises(RateLimited) as refused:
        limit.take(gateway("a"))

    assert refused.value.retry_after_ms == 2000
    assert refused.value.facts == {"subject": "caller", "limit": "0.5", "config_key": "limits.requestsPerSecond"}


def test_without_a_rate_nothing_is_counted() -> None:
    limit = RateLimit(0, 1, Clock())

    assert refusals(limit, "a", 1000) == []


def test_callers_that_are_quiet_are_forgotten_and_lose_nothing_by_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate, "_KEPT", 3)
    clock = Clock()
    limit = RateLimit(1, 2, clock)
    for name in "abc":
        refusals(limit, name, 2)
    clock.now_s += 1
    limit.take(gateway("b"))

    clock.now_s += 1.5
    limit.take(gateway("d"))

    assert set(limit._buckets) == {gateway(name).scope for name in "bd"}
