"""Chance in the tests' hands: one printed seed, and how long to go on."""

from __future__ import annotations

import os
import secrets

import pytest


@pytest.fixture
def seed() -> str:
    """A seed, printed so that FUZZ_SEED can repeat what it made."""
    chosen = os.environ.get("FUZZ_SEED") or secrets.token_hex(4)
    print(f"FUZZ_SEED={chosen}", flush=True)
    return chosen


@pytest.fixture
def seconds() -> float:
    """How long a storm lasts on each database: FUZZ_SECONDS, or about as long as CI has."""
    return float(os.environ.get("FUZZ_SECONDS", "15"))
