"""Every case in every language: each is played once, when it is first asked for, in all languages side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.json_format import ParseError

from tests.clients.case import Case
from tests.clients.driver import DriverEnded
from tests.clients.languages import Language, build
from tests.clients.playing import Playing
from tests.clients.servers import warm_up
from tests.clients.stage import Stage
from tests.clients.transcript import normalised

CASE_S = 60  # far more than any takes


@dataclass(frozen=True)
class Outcome:
    """What came of a case in one language."""

    problem: str  # empty when all was as expected
    transcript: list[Any]


class Matrix:
    """Languages × cases; to be closed."""

    def __init__(self, languages: Sequence[Language], folder: Path) -> None:
        self._folder = folder
        self._languages = languages
        self._stages: dict[str, Stage] = {}
        self._unbuilt: dict[str, str] = {}
        self._outcomes: dict[str, dict[str, Outcome]] = {}

    async def build(self) -> None:
        """Build every driver; a language that can't be built fails in every case."""
        warm_up()
        for language in self._languages:
            folder = self._folder / language.name
            folder.mkdir()
            self._stages[language.name] = Stage(language, folder)
            try:
                await build(language)
            except (AssertionError, OSError) as problem:
                self._unbuilt[language.name] = str(problem)

    async def close(self) -> None:
        """End every driver and server."""
        await asyncio.gather(*(stage.close() for stage in self._stages.values()))

    async def outcomes(self, case: Case) -> dict[str, Outcome]:
        """What came of a case, by language."""
        if case.name not in self._outcomes:
            names = [language.name for language in self._languages]
            found = await asyncio.gather(*(self._outcome(name, case) for name in names))
            self._outcomes[case.name] = dict(zip(names, found, strict=True))
        return self._outcomes[case.name]

    async def _outcome(self, name: str, case: Case) -> Outcome:
        if problem := self._unbuilt.get(name):
            return Outcome(problem, [])
        return await played(case, self._stages[name])


async def played(case: Case, stage: Stage) -> Outcome:
    """Play a case on a stage, and clear up after it."""
    place = await stage.place(case)
    playing = Playing(case, place, await stage.driver())
    problem = ""
    try:
        async with asyncio.timeout(CASE_S):
            await playing.play()
            await place.tidy()
    except TimeoutError:
        problem = f"{playing.at}: nothing more came within {CASE_S} s"
    except (AssertionError, LookupError, ParseError, DriverEnded, grpc.aio.AioRpcError) as found:
        problem = f"{playing.at}: {found}"
    if problem:
        await stage.begin_anew(case)
    return Outcome(problem, normalised(playing.transcript))
