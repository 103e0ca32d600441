"""Every server of the comparison, each on an empty store of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.peers.install import FOLDER
from bench.peers.ours import ours
from bench.peers.side import Side
from bench.peers.theirs import theirs
from bench.stores import POSTGRESQL, SQLITE, Bench


@dataclass(frozen=True)
class Pair:
    """Ours and the peer on one kind of store."""

    name: str
    ours: Side
    peer: Side


@asynccontextmanager
async def running_pairs(python: Path, bench: Bench) -> AsyncIterator[list[Pair]]:
    """On PostgreSQL, both use one PostgreSQL server."""
    logs = [FOLDER / f"{name}.log" for name in ("plain", "tuned", "postgresql")]
    async with (
        ours(bench.empty(SQLITE)) as here,
        theirs(python, logs[0], bench.empty(SQLITE)) as plain,
        theirs(python, logs[1], bench.empty(SQLITE), is_tuned=True) as tuned,
        ours(bench.empty(POSTGRESQL)) as there,
        theirs(python, logs[2], bench.empty(POSTGRESQL)) as beside,
    ):
        yield [Pair(SQLITE, here, plain), Pair(f"{SQLITE}, tuned", here, tuned), Pair(POSTGRESQL, there, beside)]
