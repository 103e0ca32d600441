"""docs/authority.md says what the rules say."""

from __future__ import annotations

from pathlib import Path

from tests.authority.page import page

DOC = Path(__file__).parents[2] / "docs" / "authority.md"


def test_the_page_is_the_rules() -> None:
    assert DOC.read_text(encoding="utf-8") == page(), "run: .venv/bin/python -m tests.authority > docs/authority.md"
