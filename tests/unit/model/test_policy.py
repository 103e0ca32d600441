"""Send policy: who decides, in which order, and which part of it is named (Q1)."""

from __future__ import annotations

import itertools

import pytest

from sessiond.model.policy import PolicyRule, PolicySubject, SendPolicy, Verdict, judge
from sessiond.model.sessions import PolicyAction

ALLOW, DENY = PolicyAction.ALLOW, PolicyAction.DENY
KEY = "agent:main:discord:group:Abc"
SUBJECT = PolicySubject(KEY, channel="discord", chat_type="group")
OTHER_CHANNEL = "telegram"


MATCHING_DENY, MATCHING_ALLOW = PolicyRule(DENY, channel="discord"), PolicyRule(ALLOW, channel="discord")
OTHER_DENY, OTHER_ALLOW = PolicyRule(DENY, channel=OTHER_CHANNEL), PolicyRule(ALLOW, channel=OTHER_CHANNEL)
EVERY_RULE = (MATCHING_DENY, MATCHING_ALLOW, OTHER_DENY, OTHER_ALLOW)
EVERY_RULE_LIST = [rules for size in range(4) for rules in itertools.permutations(EVERY_RULE, size)]


@pytest.mark.parametrize("default", [ALLOW, DENY])
@pytest.mark.parametrize("rules", EVERY_RULE_LIST)
@pytest.mark.parametrize(("override", "allowed"), [("allow", True), ("deny", False)])
def test_the_sessions_override_wins_over_everything(
    override: str, allowed: bool, rules: tuple[PolicyRule, ...], default: PolicyAction
) -> None:  # Q1
    subject = PolicySubject(KEY, "discord", "group", override)

    assert judge(SendPolicy(default, rules), subject) == Verdict(allowed, "session override")


@pytest.mark.parametrize("default", [ALLOW, DENY])
@pytest.mark.parametrize("rules", EVERY_RULE_LIST)
def test_a_matching_deny_wins_over_a_matching_allow_and_that_over_the_default(
    rules: tuple[PolicyRule, ...], default: PolicyAction
) -> None:  # Q1
    verdict = judge(SendPolicy(default, rules), SUBJECT)

    if MATCHING_DENY in rules:
        assert verdict == Verdict(False, f"session.sendPolicy.rules[{rules.index(MATCHING_DENY)}]")
    elif MATCHING_ALLOW in rules:
        assert verdict == Verdict(True, f"session.sendPolicy.rules[{rules.index(MATCHING_ALLOW)}]")
    else:
        assert verdict == Verdict(default is ALLOW, "session.sendPolicy.default")


def test_a_policy_that_says_nothing_allows() -> None:  # Q1
    assert judge(SendPolicy(), SUBJECT) == Verdict(True, "session.sendPolicy.default")


def test_the_first_matching_rule_of_an_action_is_named() -> None:  # Q1
    rules = (PolicyRule(DENY, channel=OTHER_CHANNEL), PolicyRule(DENY, chat_type="group"), PolicyRule(DENY))

    assert judge(SendPolicy(ALLOW, rules), SUBJECT).rule == "session.sendPolicy.rules[1]"


@pytest.mark.parametrize(
    ("rule", "matches"),
    [
        (PolicyRule(DENY), True),
        (PolicyRule(DENY, channel="discord"), True),
        (PolicyRule(DENY, channel="Discord"), True),
        (PolicyRule(DENY, channel="disc"), False),
        (PolicyRule(DENY, chat_type="group"), True),
        (PolicyRule(DENY, chat_type="channel"), False),
        (PolicyRule(DENY, chat_type="direct"), False),
        (PolicyRule(DENY, key_prefix="agent:main:"), True),
        (PolicyRule(DENY, key_prefix=KEY), True),
        (PolicyRule(DENY, key_prefix=KEY + "d"), False),
        (PolicyRule(DENY, key_prefix="agent:other:"), False),
        (PolicyRule(DENY, key_prefix="discord:"), True),
        (PolicyRule(DENY, key_prefix="discord:group:Abc"), True),
        (PolicyRule(DENY, key_prefix="group:"), False),
        (PolicyRule(DENY, key_prefix="main:"), False),
        (PolicyRule(DENY, channel="discord", chat_type="group", key_prefix="discord:"), True),
        (PolicyRule(DENY, channel="discord", chat_type="group", key_prefix="cron:"), False),
        (PolicyRule(DENY, channel="discord", chat_type="direct", key_prefix="discord:"), False),
        (PolicyRule(DENY, channel="signal", chat_type="group", key_prefix="discord:"), False),
    ],
)
def test_a_rule_matches_when_every_field_it_gives_does(rule: PolicyRule, matches: bool) -> None:  # Q1
    assert judge(SendPolicy(ALLOW, (rule,)), SUBJECT).allowed is not matches


@pytest.mark.parametrize("prefix", ["cron:", "cron:nightly", "agent:main:cron:"])
def test_a_prefix_is_tried_on_the_full_key_and_without_its_agent(prefix: str) -> None:  # Q1
    subject = PolicySubject("agent:main:cron:nightly:run", channel="internal", chat_type="")

    assert not judge(SendPolicy(ALLOW, (PolicyRule(DENY, key_prefix=prefix),)), subject).allowed


def test_a_session_of_no_chat_type_matches_no_rule_that_asks_for_one() -> None:  # Q1
    subject = PolicySubject("agent:main:cron:nightly", channel="internal", chat_type="")
    rules = tuple(PolicyRule(DENY, chat_type=each) for each in ("direct", "group", "channel"))

    assert judge(SendPolicy(ALLOW, rules), subject).allowed
