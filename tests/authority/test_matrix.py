"""Every rpc, every class of callers, every target, under every setting: the server answers as the rules say (V1-V6)."""

from __future__ import annotations

import pytest

from sessiond.rpc.authority import REQUIRED
from tests.authority.acts import ACTS, METHODS, PLAIN
from tests.authority.cast import ACTING, CALLERS, SETTINGS, Setting
from tests.authority.conftest import Open
from tests.authority.walking import Walk, cases_of_visibility, every_case, number_of_cases

AS_IT_COMES, *OTHERS = SETTINGS
# The forms that the predicate has in a query: some agents, or none but what was spawned.
ON_POSTGRES = ("agentToAgent among some", "visibility tree")
CASES = [("sqlite", each) for each in OTHERS] + [("postgresql", each) for each in SETTINGS if each.name in ON_POSTGRES]


def test_every_rpc_of_the_contract_has_a_row() -> None:  # V5
    assert {act.rpc for act in ACTS} | set(PLAIN) == set(METHODS)
    assert set(REQUIRED) == {f"{each.containing_service.full_name}/{name}" for name, each in METHODS.items()}


async def test_as_it_comes_every_caller_is_answered_as_the_rules_say(open_house: Open) -> None:  # V5
    async with open_house(AS_IT_COMES, "sqlite") as (server, house):
        walk = Walk(server, house, AS_IT_COMES)
        await walk.plain(CALLERS)
        await walk.targets(every_case(CALLERS))
        await walk.spawns(CALLERS)

    assert walk.wrong == []
    assert walk.cases == number_of_cases(CALLERS)


@pytest.mark.parametrize(("database", "setting"), CASES, ids=lambda each: getattr(each, "name", each))
async def test_a_setting_shows_and_hides_what_it_says(
    open_house: Open, database: str, setting: Setting
) -> None:  # V3, V4
    cases = cases_of_visibility(setting, ACTING)
    async with open_house(setting, database) as (server, house):
        walk = Walk(server, house, setting)
        await walk.targets(cases)

    assert walk.wrong == []
    assert walk.cases == len(cases) > 400
