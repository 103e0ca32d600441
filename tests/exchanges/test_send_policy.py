"""The send policy where a run would start, at the way out, and by a chat's own command (Q1-Q3)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sessiond.gateway.chat_send import ChatStatus
from sessiond.gateway.sessions_patch import PatchQuery, sessions_patch
from sessiond.model.errors import SendPolicyDenied
from sessiond.model.policy import PolicyRule, SendPolicy
from sessiond.model.sessions import PolicyAction, Route
from sessiond.store.schema import messages, runs, sessions
from tests.exchanges.stage import GROUP, MAIN, RULES, TELEGRAM, Stage
from tests.making import OWNER, count, make_session, session_of

ALLOW, DENY = PolicyAction.ALLOW, PolicyAction.DENY


pytest_plugins = ("tests.exchanges.fixtures",)


@pytest.fixture
async def stage(stage: Stage) -> Stage:
    await make_session(stage.db, MAIN)
    await make_session(stage.db, GROUP)
    return stage


def denying(*rules: PolicyRule, default: PolicyAction = ALLOW) -> SendPolicy:
    return SendPolicy(default, rules)


DENIALS = {
    "by channel": denying(PolicyRule(DENY, channel="Telegram")),
    "by chat type": denying(PolicyRule(DENY, chat_type="group")),
    "by full key": denying(PolicyRule(DENY, key_prefix="agent:main:telegram:")),
    "by bare key": denying(PolicyRule(DENY, key_prefix="telegram:group:")),
    "over an allow": denying(PolicyRule(ALLOW, channel="telegram"), PolicyRule(DENY, chat_type="group")),
    "by default": denying(PolicyRule(ALLOW, channel="signal"), default=DENY),
}


@pytest.mark.parametrize("policy", DENIALS.values(), ids=DENIALS.keys())
async def test_a_denied_session_takes_neither_sends_nor_chats(stage: Stage, policy: SendPolicy) -> None:  # Q1, Q3
    stage.rules = replace(RULES, send_policy=policy)

    with pytest.raises(SendPolicyDenied):
        await stage.send("ask")
    with pytest.raises(SendPolicyDenied):
        await stage.chat("hello")

    assert await count(stage.db, runs) == await count(stage.db, messages) == 0


async def test_a_denied_chat_does_not_even_make_its_session(stage: Stage) -> None:  # K9, Q3
    stage.rules = replace(RULES, send_policy=denying(PolicyRule(DENY, channel="discord")))

    with pytest.raises(SendPolicyDenied):
        await stage.chat("hello", "agent:main:discord:group:1", route=Route("discord", "1"))

    assert await count(stage.db, sessions) == 2


async def test_a_refusal_names_the_rule(stage: Stage) -> None:  # S6
    stage.rules = replace(RULES, send_policy=denying(PolicyRule(ALLOW), PolicyRule(DENY, channel="telegram")))

    with pytest.raises(SendPolicyDenied) as refused:
        await stage.send("ask")

    assert refused.value.facts == {"session_key": GROUP, "rule": "session.sendPolicy.rules[1]"}


@pytest.mark.parametrize(
    ("configured", "override", "allowed"), [(DENY, ALLOW, True), (ALLOW, DENY, False), (DENY, None, False)]
)
async def test_a_sessions_own_word_wins_over_the_configuration(
    stage: Stage, configured: PolicyAction, override: PolicyAction | None, allowed: bool
) -> None:  # Q1, Q2
    stage.rules = replace(RULES, send_policy=denying(PolicyRule(configured)))
    patch = PatchQuery(GROUP, {"send_policy": override})
    await sessions_patch(stage.db, stage.rules, OWNER, patch)

    if allowed:
        assert (await stage.send("ask")).placed.run.state == "queued"
    else:
        with pytest.raises(SendPolicyDenied):
            await stage.send("ask")


@pytest.mark.parametrize(
    ("text", "override", "reply"),
    [
        ("/send off", DENY, "Send policy: off."),
        ("/send deny", DENY, "Send policy: off."),
        ("/SEND Off ", DENY, "Send policy: off."),
        ("/send on", ALLOW, "Send policy: on."),
        ("/send allow", ALLOW, "Send policy: on."),
        ("/send inherit", None, "Send policy: inherit."),
        ("/send default", None, "Send policy: inherit."),
        ("/send reset", None, "Send policy: inherit."),
    ],
)
async def test_an_owner_sets_the_policy_of_a_chat_by_a_message(
    stage: Stage, text: str, override: PolicyAction | None, reply: str
) -> None:  # Q2
    await sessions_patch(
        stage.db, stage.rules, OWNER, PatchQuery(GROUP, {"send_policy": DENY if not override else None})
    )

    answer = await stage.chat(text, is_owner=True)

    assert (answer.status, answer.command_reply, answer.run_id) == (ChatStatus.COMMAND, reply, "")
    session = await session_of(stage.db, GROUP)
    assert session is not None
    assert session.send_policy == override
    assert await stage.said(GROUP) == []


async def test_somebody_else_is_silently_ignored(stage: Stage) -> None:  # Q2
    before = await session_of(stage.db, GROUP)

    answer = await stage.chat("/send off", is_owner=False, route=Route("telegram", "elsewhere"))

    assert (answer.status, answer.command_reply, answer.run_id) == (ChatStatus.IGNORED, "", "")
    assert await session_of(stage.db, GROUP) == before
    assert await count(stage.db, runs) == await count(stage.db, messages) == 0


@pytest.mark.parametrize("text", ["/send off please", "please /send off", "/send", "/sendoff", "/send maybe"])
async def test_with_other_words_it_is_an_ordinary_message(stage: Stage, text: str) -> None:  # Q2
    answer = await stage.chat(text, is_owner=True)

    assert answer.status is ChatStatus.QUEUED
    session = await session_of(stage.db, GROUP)
    assert session is not None
    assert session.send_policy is None
    assert await stage.said(GROUP) == [("user", text)]


async def test_the_command_works_in_a_denied_session(stage: Stage) -> None:  # Q2
    stage.rules = replace(RULES, send_policy=denying(PolicyRule(DENY)))

    await stage.chat("/send on", is_owner=True)

    assert (await stage.chat("hello")).status is ChatStatus.QUEUED


async def test_a_reply_is_held_back_where_the_policy_has_changed(stage: Stage) -> None:  # Q3, D4
    await stage.chat("hello", route=TELEGRAM)
    taken = await stage.take()
    await stage.chat("/send off", is_owner=True)

    await stage.end(taken, "hi")

    delivery = await stage.delivery()
    assert (delivery.state, delivery.suppressed_reason) == ("suppressed", "POLICY")
    assert delivery.policy_rule == "session override"


async def test_the_policy_is_asked_again_when_a_gateway_takes_a_text(stage: Stage) -> None:  # Q3
    sent = await stage.send("ask", max_turns=0)
    await stage.turns("round one", "told")
    assert (await stage.delivery()).state == "pending"

    stage.rules = replace(RULES, send_policy=denying(PolicyRule(DENY, channel="telegram")))

    assert await stage.acquire() == []
    delivery = await stage.delivery()
    assert (delivery.state, delivery.suppressed_reason) == ("suppressed", "POLICY")
    assert delivery.policy_rule == "session.sendPolicy.rules[0]"
    assert delivery.attempts == 0
    assert (await stage.exchange(sent.exchange_id)).is_settled


async def test_the_reply_loop_itself_is_inside_and_not_held_back(stage: Stage) -> None:  # Q3
    await stage.send("ask", max_turns=2)
    stage.rules = replace(RULES, send_policy=denying(PolicyRule(DENY)))

    taken = await stage.turns("round one", "one", "two", "told")

    assert [each.placed.run.kind for each in taken] == ["send", "reply", "reply", "announce"]
    assert (await stage.delivery()).suppressed_reason == "POLICY"
