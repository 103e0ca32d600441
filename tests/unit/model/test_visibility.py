"""What a caller may see and whom it may reach (V3, V4)."""

from __future__ import annotations

import pytest

from sessiond.model.agents import Agent, Roster
from sessiond.model.visibility import (
    EVERYTHING,
    NO_AGENT,
    ActingSession,
    Scope,
    VisibilityRules,
    VisibilitySetting,
    may_reach,
    scope_of,
)

ROSTER = Roster({each: Agent(each) for each in ("main", "ops", "team-a", "team-b")})
OWN = ActingSession(7, "agent:main:main", "main")
SANDBOXED = ActingSession(8, "agent:main:subagent:x", "main", spawn_path="/7/", sandboxed=True)


def agents_seen(*, enabled: bool, allow: tuple[str, ...] = ()) -> frozenset[str] | None:
    rules = VisibilityRules(VisibilitySetting.ALL, agent_to_agent=enabled, agent_to_agent_allow=allow)
    return scope_of(OWN, rules, ROSTER).agents


@pytest.mark.parametrize("setting", list(VisibilitySetting))
def test_without_an_acting_session_nothing_is_hidden(setting: VisibilitySetting) -> None:  # V3
    scope = scope_of(None, VisibilityRules(setting), ROSTER)

    assert scope is EVERYTHING
    assert not scope.is_restricted


@pytest.mark.parametrize(
    ("setting", "scope"),
    [
        (VisibilitySetting.SELF, Scope("self", NO_AGENT, OWN)),
        (VisibilitySetting.TREE, Scope("tree", NO_AGENT, OWN, sees_spawned=True)),
        (VisibilitySetting.AGENT, Scope("agent", frozenset({"main"}), OWN, sees_spawned=True)),
        (VisibilitySetting.ALL, Scope("all", None, OWN, sees_spawned=True, agent_to_agent=True)),
    ],
)
def test_each_setting_gives_its_scope(setting: VisibilitySetting, scope: Scope) -> None:  # V3
    found = scope_of(OWN, VisibilityRules(setting, agent_to_agent=True), ROSTER)

    assert found == scope
    assert found.is_restricted is (setting is not VisibilitySetting.ALL)


def test_all_is_the_default_and_other_agents_are_hidden_by_default() -> None:  # V3
    assert scope_of(OWN, VisibilityRules(), ROSTER) == Scope("all", frozenset({"main"}), OWN, sees_spawned=True)


@pytest.mark.parametrize("setting", [VisibilitySetting.SELF, VisibilitySetting.TREE, VisibilitySetting.AGENT])
def test_agent_to_agent_widens_no_setting_but_all(setting: VisibilitySetting) -> None:  # V3
    closed, opened = VisibilityRules(setting), VisibilityRules(setting, agent_to_agent=True)

    assert scope_of(OWN, opened, ROSTER) == scope_of(OWN, closed, ROSTER)


@pytest.mark.parametrize(
    ("allow", "seen"),
    [
        ((), None),
        (("*",), None),
        (("ops", "*"), None),
        (("main", "ops"), {"main", "ops"}),
        (("MAIN", "Ops"), {"main", "ops"}),
        (("main", "team-*"), {"main", "team-a", "team-b"}),
        (("Main", "TEAM-*"), {"main", "team-a", "team-b"}),
        (("m*", "*-b"), {"main", "team-b"}),
        (("main",), {"main"}),
        (("ops", "team-a"), {"main"}),
        (("mai", "ops"), {"main"}),
        (("main", "Retired"), {"main", "retired"}),
    ],
)
def test_another_agent_is_seen_when_both_ids_are_allowed(allow: tuple[str, ...], seen: set[str] | None) -> None:  # V3
    expected = None if seen is None else frozenset(seen)

    assert agents_seen(enabled=True, allow=allow) == expected
    assert agents_seen(enabled=False, allow=allow) == frozenset({"main"})


@pytest.mark.parametrize(
    ("allow", "reached"),
    [
        ((), True),
        (("*",), True),
        (("main", "ops"), True),
        (("MAIN", "o*"), True),
        (("main",), False),
        (("ops",), False),
        (("op", "main"), False),
        (("*s", "main"), True),
    ],
)
def test_another_agent_is_reached_when_both_ids_are_allowed(allow: tuple[str, ...], reached: bool) -> None:  # V3
    opened = VisibilityRules(agent_to_agent=True, agent_to_agent_allow=allow)
    closed = VisibilityRules(agent_to_agent=False, agent_to_agent_allow=allow)

    assert may_reach("main", "ops", opened) is reached
    assert may_reach("ops", "main", opened) is reached
    assert not may_reach("main", "ops", closed)


@pytest.mark.parametrize("allow", [(), ("*",), ("main", "team-*"), ("ops",), ("TEAM-A", "m*")])
@pytest.mark.parametrize("enabled", [True, False])
def test_a_configured_agent_is_seen_exactly_when_it_is_reached(allow: tuple[str, ...], enabled: bool) -> None:  # V3
    rules = VisibilityRules(agent_to_agent=enabled, agent_to_agent_allow=allow)
    seen = agents_seen(enabled=enabled, allow=allow)

    for other in ROSTER.agents:
        assert may_reach("main", other, rules) is (seen is None or other in seen)


def test_an_agent_always_reaches_its_own_sessions() -> None:  # V3
    assert may_reach("main", "main", VisibilityRules(agent_to_agent=False))
    assert may_reach("main", "main", VisibilityRules(agent_to_agent=True, agent_to_agent_allow=("ops",)))


@pytest.mark.parametrize("setting", [VisibilitySetting.TREE, VisibilitySetting.AGENT, VisibilitySetting.ALL])
def test_a_sandboxed_session_sees_itself_and_what_it_spawned(setting: VisibilitySetting) -> None:  # V4
    scope = scope_of(SANDBOXED, VisibilityRules(setting, agent_to_agent=True), ROSTER)

    assert scope == Scope("spawned", NO_AGENT, SANDBOXED, sees_spawned=True, sandbox_clamped=True)
    assert scope.is_restricted


@pytest.mark.parametrize("setting", list(VisibilitySetting))
def test_lifting_the_clamp_leaves_the_setting_in_force(setting: VisibilitySetting) -> None:  # V4
    rules = VisibilityRules(setting, agent_to_agent=True, agent_to_agent_allow=("main", "ops"), sandbox_clamps=False)
    free = ActingSession(SANDBOXED.id, SANDBOXED.key, "main", SANDBOXED.spawn_path, sandboxed=False)

    clamp_lifted = scope_of(SANDBOXED, rules, ROSTER)

    assert not clamp_lifted.sandbox_clamped
    assert (clamp_lifted.name, clamp_lifted.agents) == (setting.value, scope_of(free, rules, ROSTER).agents)


def test_the_clamp_is_on_unless_lifted_and_holds_sandboxed_sessions_only() -> None:  # V4
    assert scope_of(SANDBOXED, VisibilityRules(), ROSTER).sandbox_clamped
    assert not scope_of(OWN, VisibilityRules(), ROSTER).sandbox_clamped


def test_what_a_session_spawns_lies_below_its_own_path() -> None:  # V3: recursively
    child = ActingSession(8, "agent:main:subagent:x", "main", spawn_path=OWN.children_path)

    assert OWN.children_path == "/7/"
    assert child.children_path == "/7/8/"
    assert child.children_path.startswith(OWN.children_path)


def test_the_sandbox_clamp_does_not_widen_a_narrower_setting() -> None:  # V4
    sandboxed = ActingSession(7, "agent:main:main", "main", sandboxed=True)

    scope = scope_of(sandboxed, VisibilityRules(VisibilitySetting.SELF), ROSTER)

    assert (scope.name, scope.sees_spawned, scope.sandbox_clamped) == ("self", False, True)
