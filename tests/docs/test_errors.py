"""docs/errors.md says what the contract says."""

from __future__ import annotations

from pathlib import Path

from tests.docs.errors import page

DOC = Path(__file__).parents[2] / "docs" / "errors.md"


def test_every_reason_is_documented_as_in_the_contract() -> None:
    assert DOC.read_text() == page(), "run: .venv/bin/python -m tests.docs.errors > docs/errors.md"
