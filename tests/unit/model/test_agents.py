"""Which agents a requester may spawn under, and which sessions run sandboxed (A1, P4)."""

from __future__ import annotations

import pytest

from sessiond.model.agents import Agent, AllowedAgent, AllowedBy, Roster, SandboxMode, allowed_agents, is_sandboxed


def roster_where_main_allows(*allowed: str) -> Roster:
    agents = [Agent("main", "Main", allow_agents=frozenset(allowed)), Agent("writer", "Writer"), Agent("critic")]
    return Roster({each.id: each for each in agents}, default_id="writer")


MAIN = AllowedAgent("main", "Main", is_configured=True, is_default=False, allowed_by=AllowedBy.REQUESTER)
WRITER = AllowedAgent("writer", "Writer", is_configured=True, is_default=True, allowed_by=AllowedBy.LISTED)
CRITIC = AllowedAgent("critic", "", is_configured=True, is_default=False, allowed_by=AllowedBy.LISTED)
GHOST = AllowedAgent("ghost", "", is_configured=False, is_default=False, allowed_by=AllowedBy.LISTED)


def by_wildcard(agent: AllowedAgent) -> AllowedAgent:
    return AllowedAgent(agent.id, agent.name, agent.is_configured, agent.is_default, AllowedBy.WILDCARD)


@pytest.mark.parametrize(
    ("allowed", "allow_any", "others"),
    [
        ((), False, []),
        (("main",), False, []),
        (("writer",), False, [WRITER]),
        (("writer", "critic"), False, [CRITIC, WRITER]),
        (("writer", "ghost"), False, [GHOST, WRITER]),
        (("*",), True, [by_wildcard(CRITIC), by_wildcard(WRITER)]),
        (("*", "writer"), True, [by_wildcard(CRITIC), WRITER]),
        (("*", "main", "ghost"), True, [by_wildcard(CRITIC), GHOST, by_wildcard(WRITER)]),
    ],
)
def test_the_requester_comes_first_then_the_allowed_by_id_each_with_why(
    allowed: tuple[str, ...], allow_any: bool, others: list[AllowedAgent]
) -> None:  # A1
    assert allowed_agents(roster_where_main_allows(*allowed), "main") == (allow_any, [MAIN, *others])


def test_the_wildcard_stands_for_configured_agents_only() -> None:  # P4
    _, agents = allowed_agents(roster_where_main_allows("*"), "main")

    assert all(each.is_configured for each in agents)
    assert "*" not in [each.id for each in agents]


def test_what_one_agent_may_says_nothing_of_another() -> None:  # A1
    allow_any, agents = allowed_agents(roster_where_main_allows("*"), "critic")

    assert not allow_any
    assert [(each.id, each.allowed_by) for each in agents] == [("critic", AllowedBy.REQUESTER)]


def test_a_requester_that_is_not_configured_may_only_itself_and_is_told_so() -> None:  # A1
    allow_any, agents = allowed_agents(roster_where_main_allows("*"), "ghost")

    assert not allow_any
    assert agents == [AllowedAgent("ghost", "", False, False, AllowedBy.REQUESTER)]


def test_without_configuration_there_is_the_agent_main() -> None:  # K2
    _, agents = allowed_agents(Roster(), "main")

    assert agents == [AllowedAgent("main", "", True, True, AllowedBy.REQUESTER)]


@pytest.mark.parametrize(
    ("mode", "main", "others"),
    [(SandboxMode.OFF, False, False), (SandboxMode.NON_MAIN, False, True), (SandboxMode.ALL, True, True)],
)
def test_the_sandbox_mode_says_which_sessions_run_sandboxed(mode: SandboxMode, main: bool, others: bool) -> None:
    agent = Agent("main", sandbox=mode)

    assert is_sandboxed(agent, is_main=True) is main
    assert is_sandboxed(agent, is_main=False) is others


def test_an_agent_that_is_not_configured_has_no_sandbox() -> None:
    assert not is_sandboxed(None, is_main=False)
