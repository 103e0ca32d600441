"""How fast one caller may call: a bucket of requests for each, refilled as time goes by (X6)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from sessiond.model.callers import Caller
from sessiond.model.errors import RateLimited

# More callers than this at once, and those that have been quiet for long are forgotten: their buckets are full anyway.
_KEPT = 10_000


@dataclass(slots=True)
class _Bucket:
    left: float
    at_s: float


class RateLimit:
    """Counts calls by caller; a rate of 0 counts nothing."""

    def __init__(self, per_second: float, burst: int, now: Callable[[], float]) -> None:
        self._per_second = per_second
        self._burst = float(burst)
        self._now = now
        self._buckets: dict[str, _Bucket] = {}

    def take(self, caller: Caller) -> None:
        """Take one request out of the caller's bucket, or refuse and say when there will be one."""
        if not self._per_second:
            return
        bucket = self._filled(caller.scope)
        if bucket.left < 1:
            raise RateLimited(self._per_second, math.ceil((1 - bucket.left) / self._per_second * 1000))
        bucket.left -= 1

    def _filled(self, caller: str) -> _Bucket:
        now = self._now()
        bucket = self._buckets.get(caller)
        if bucket is None:
            if len(self._buckets) >= _KEPT:
                self._forget(now)
            bucket = self._buckets[caller] = _Bucket(self._burst, now)
        bucket.left = min(self._burst, bucket.left + (now - bucket.at_s) * self._per_second)
        bucket.at_s = now
        return bucket

    def _forget(self, now: float) -> None:
        full_after = self._burst / self._per_second
        self._buckets = {name: each for name, each in self._buckets.items() if now - each.at_s < full_after}
