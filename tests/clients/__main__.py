"""`python -m tests.clients [LANGUAGE…]`: play every case, print the table, and write docs/clients.md."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from pathlib import Path

# As in tests/conftest.py: read when gRPC is first imported.
os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "0"

from tests.clients.case import Case, load, names
from tests.clients.languages import LANGUAGES, Language, here, left_out, must_be_complete
from tests.clients.matrix import Matrix, Outcome
from tests.clients.results import DOC, page, printed


async def main(wanted: list[str]) -> int:
    """Play; the exit code."""
    languages = [language for language in here() if not wanted or language.name in wanted]
    cases = [load(name) for name in names()]
    results = await _results(cases, languages)
    print(printed(cases, results))
    if len(languages) == len(LANGUAGES):
        DOC.write_text(page(cases, results), encoding="utf-8")
        print(f"written: {DOC.name}")
    for line in left_out():
        print(line)
    is_ok = all(all(row.values()) for row in results.values())
    return int(not is_ok or (must_be_complete() and bool(left_out())))


async def _results(cases: list[Case], languages: list[Language]) -> dict[str, dict[str, bool]]:
    with tempfile.TemporaryDirectory() as folder:
        matrix = Matrix(languages, Path(folder))
        try:
            await matrix.build()
            return {case.name: _judged(case, await matrix.outcomes(case)) for case in cases}
        finally:
            await matrix.close()


def _judged(case: Case, outcomes: dict[str, Outcome]) -> dict[str, bool]:
    """Whether each language saw what the case says, and what the first one that did saw."""
    first = next((outcome.transcript for outcome in outcomes.values() if not outcome.problem), [])
    for name, outcome in outcomes.items():
        if outcome.problem:
            print(f"{case.name} in {name}: {outcome.problem}", file=sys.stderr)
        elif outcome.transcript != first:
            print(f"{case.name} in {name}: it saw something else than another language did", file=sys.stderr)
    return {name: not outcome.problem and outcome.transcript == first for name, outcome in outcomes.items()}


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1:])))
