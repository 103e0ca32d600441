"""What the mirror asks of a large store is answered along indexes, on either database (property 9)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa

from sessiond.store import imports, transcripts
from sessiond.store.migrations import migrate
from sessiond.store.opening import engine_of
from sessiond.store.session_pages import Position
from sessiond.store.transaction import Tx
from tests.fakes.clock import START_MS
from tests.store import crowd
from tests.store.plans import faults
from tests.store.spare import spare_database

ASKED: dict[str, Callable[[Tx], object]] = {
    "what changed lately": lambda tx: transcripts.changed_after(tx, Position(START_MS + 99_000, ""), 20),
    "what changed since long ago": lambda tx: transcripts.changed_after(tx, Position(START_MS, "agent:a0:1"), 20),
    "all transcripts": lambda tx: transcripts.all_after(tx, 1_000, 20),
    "a piece of a transcript": lambda tx: transcripts.bodies_after(tx, 1, 1_500, 10_000),
    "which transcripts exist": lambda tx: transcripts.existing(tx, ["session-77", "no such"]),
    "removed transcripts": lambda tx: transcripts.note_removed(tx, [77]),
    "an import's target": lambda tx: imports.find(tx, "session-77"),
}


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def crowded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[sa.Engine]:
    """A store with enough rows, on each database in turn."""
    if request.param == "sqlite":
        file: Path = tmp_path_factory.mktemp("crowd") / "crowd.db"
        yield from _filled(f"sqlite:///{file}")
        return
    with spare_database(request.getfixturevalue("postgres"), "mirrored") as url:
        yield from _filled(url)


def _filled(url: str) -> Iterator[sa.Engine]:
    engine = engine_of(url)
    migrate(engine)
    crowd.fill(engine)
    yield engine
    engine.dispose()


@pytest.mark.parametrize("asked", ASKED)
def test_it_goes_along_an_index(crowded: sa.Engine, asked: str) -> None:
    assert faults(crowded, ASKED[asked]) == []
