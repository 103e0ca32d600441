"""Replicas, runtimes, gateways and waiters through every kind of fault: nothing lost, nothing doubled (X2-X5)."""

from __future__ import annotations

import os
import random
import secrets
from itertools import chain
from pathlib import Path

from tests.system.breaches import missed
from tests.system.faults import ON_POSTGRESQL, each_once, for_seconds, schedule
from tests.system.torture import Cast, Verdict, tortured

CAST = Cast(shifts_s=(0, 5 * 60), outsiders=1)
# The others have tests of their own on SQLite.
ON_SQLITE = {"disk full": 1, "connections cut": 1, "gateway killed (kill -9)": 1}


async def torture(store: str, folder: Path, kinds: dict[str, int]) -> Verdict:
    """Each kind once, the same every time; then by chance, for as long as TORTURE_SECONDS says."""
    seconds = float(os.environ.get("TORTURE_SECONDS", "0"))
    seed = os.environ.get("TORTURE_SEED") or (secrets.token_hex(4) if seconds else "the same every time")
    print(f"TORTURE_SEED={seed}", flush=True)
    rng, asking = (random.Random(f"{seed} {store} {what}") for what in ("faults", "requests"))  # noqa: S311
    plan = chain(each_once(rng, kinds), for_seconds(seconds, schedule(rng, kinds)))
    return await tortured(store, folder, CAST, asking, plan, print)


async def test_replicas_on_postgresql_survive_each_kind_of_fault(tmp_path: Path) -> None:  # X2, X3, X4, X5
    verdict = await torture("PostgreSQL", tmp_path, ON_POSTGRESQL)

    assert not verdict.problems, "\n".join(verdict.problems)
    assert verdict.faults.keys() == ON_POSTGRESQL.keys()
    assert all(check.examined for check in verdict.checks)


async def test_a_server_on_sqlite_survives_and_every_breach_would_be_found(tmp_path: Path) -> None:  # X2, X3
    verdict = await torture("SQLite", tmp_path, ON_SQLITE)

    assert not verdict.problems, "\n".join(verdict.problems)
    assert missed(verdict.seen) == []
