"""Chance in the tests' hands: one printed seed, and how long to go on."""

from __future__ import annotations

import os
import random
import secrets
import time
from collections.abc import Callable, Iterator

import pytest

Rounds = Callable[[], Iterator[random.Random]]


@pytest.fixture
def rounds() -> Rounds:
    """Rounds with a source of chance each: one, or as many as fit into TORTURE_SECONDS; TORTURE_SEED repeats them."""
    seed = os.environ.get("TORTURE_SEED") or secrets.token_hex(4)
    until = time.monotonic() + float(os.environ.get("TORTURE_SECONDS", "0"))

    def begin() -> Iterator[random.Random]:
        number = 0
        while not number or time.monotonic() < until:
            print(f"TORTURE_SEED={seed} round {number}", flush=True)
            yield random.Random(f"{seed} {number}")  # noqa: S311 - not for secrets
            number += 1

    return begin


@pytest.fixture
def rng(rounds: Rounds) -> random.Random:
    """One source of chance, with its seed printed."""
    return next(rounds())
