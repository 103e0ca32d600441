"""The same cases, the same results, in every language."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.clients.case import load, names
from tests.clients.languages import here, left_out, must_be_complete
from tests.clients.matrix import Matrix

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def matrix(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Matrix]:
    """Drivers and servers of the languages that are asked for, such as with `-k rust`."""
    specs = [getattr(item, "callspec", None) for item in request.session.items]
    wanted = {spec.params["language"] for spec in specs if spec and {"case", "language"} <= set(spec.params)}
    languages = [each for each in here() if each.name in wanted or not wanted]
    matrix = Matrix(languages, tmp_path_factory.mktemp("clients"))
    await matrix.build()
    yield matrix
    await matrix.close()


@pytest.mark.parametrize("language", [each.name for each in here()])
@pytest.mark.parametrize("case", names())
async def test_a_case_goes_as_it_says(matrix: Matrix, case: str, language: str) -> None:
    outcomes = await matrix.outcomes(load(case))

    assert not outcomes[language].problem, outcomes[language].problem


@pytest.mark.parametrize("case", names())
async def test_every_language_sees_the_same(matrix: Matrix, case: str) -> None:
    outcomes = await matrix.outcomes(load(case))

    seen = {name: outcome.transcript for name, outcome in outcomes.items() if not outcome.problem}
    first = next(iter(seen), "")
    for name, transcript in seen.items():
        assert transcript == seen[first], f"{name} and {first} differ"


async def test_no_language_is_left_out_in_ci() -> None:
    assert not (must_be_complete() and left_out()), left_out()
