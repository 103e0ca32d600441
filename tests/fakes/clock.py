"""A clock that only moves when told."""

from __future__ import annotations

START_MS = 1_750_000_000_000


class ManualClock:
    """Stands in for the database's clock."""

    def __init__(self, now_ms: int = START_MS) -> None:
        self.now_ms = now_ms

    def __call__(self) -> int:
        return self.now_ms

    def advance(self, *, seconds: float = 0, minutes: float = 0) -> None:
        """Let time pass."""
        self.now_ms += int((seconds + 60 * minutes) * 1000)
