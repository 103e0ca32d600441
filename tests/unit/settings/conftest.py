"""Loading from text, so that a test shows the file it is about."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from sessiond.settings import Loaded, SettingsError, load

LoadText = Callable[..., Loaded]
ProblemsOf = Callable[..., list[str]]


@pytest.fixture
def load_text(tmp_path: Path) -> LoadText:
    """Load a file with this text, and perhaps variables and flags."""

    def loaded(text: str, environ: Mapping[str, str] | None = None, flags: Mapping[str, Any] | None = None) -> Loaded:
        file = tmp_path / "sessiontools.json5"
        file.write_text(text, encoding="utf-8")
        return load(file, environ or {}, flags or {})

    return loaded


@pytest.fixture
def problems_of(load_text: LoadText) -> ProblemsOf:
    """What is wrong with a file of this text."""

    def problems(
        text: str, environ: Mapping[str, str] | None = None, flags: Mapping[str, Any] | None = None
    ) -> list[str]:
        with pytest.raises(SettingsError) as caught:
            load_text(text, environ, flags)
        return caught.value.problems

    return problems
