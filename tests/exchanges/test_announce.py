"""The announce of a send: one step, one delivery row, on the route that was promised (S12-S14)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sessiond.exchange_steps import ANNOUNCE_REQUEST
from sessiond.gateway.sessions_patch import PatchQuery, sessions_patch
from sessiond.model.deliveries import Delivery
from sessiond.model.exchanges import AnnouncePolicy
from sessiond.model.messages import ProvenanceKind, Role
from sessiond.model.policy import PolicyRule, SendPolicy
from sessiond.model.runs import Failure
from sessiond.model.sessions import PolicyAction, Route
from sessiond.runtime.complete_run import Cancelled
from sessiond.stopping import stop_session
from sessiond.worker.sweep import overdue_runs, sweep_once
from tests.exchanges.stage import GROUP, MAIN, RULES, TELEGRAM, Outcome, Stage, heard
from tests.fakes.clock import ManualClock
from tests.making import OWNER, found, make_session, session_of

NO_TELEGRAM = SendPolicy(rules=(PolicyRule(PolicyAction.DENY, channel="telegram"),))


pytest_plugins = ("tests.exchanges.fixtures",)


@pytest.fixture
async def stage(stage: Stage) -> Stage:
    await make_session(stage.db, MAIN)
    await make_session(stage.db, GROUP)
    return stage


def outcome_of(delivery: Delivery) -> tuple[str, str]:
    return delivery.state, delivery.suppressed_reason


async def test_the_announcement_waits_for_a_gateway_of_the_targets_channel(stage: Stage) -> None:  # S12
    sent = await stage.send("ask", max_turns=0)

    _, announce = await stage.turns("round one", "told\nin two lines ")

    delivery = await stage.delivery()
    assert outcome_of(delivery) == ("pending", "")
    assert (delivery.text, delivery.route) == ("told\nin two lines ", TELEGRAM)
    assert (delivery.run_id, delivery.exchange_id) == (announce.placed.run.id, sent.exchange_id)
    assert not (await stage.exchange(sent.exchange_id)).is_settled


async def test_the_announcer_is_told_request_first_and_latest_reply(stage: Stage) -> None:  # S12
    await stage.send("ask", max_turns=2)

    *_, announce = await stage.turns("round one", "one", "two", "told")

    assert announce.context is not None
    assert (announce.context.first_reply, announce.context.latest_reply) == ("round one", "two")
    assert "ask" in announce.context.original_request
    assert heard(announce) == ANNOUNCE_REQUEST
    [step] = [each for each in await stage.transcript(GROUP) if each.text == ANNOUNCE_REQUEST]
    assert step.draft.role is Role.SYSTEM
    assert step.draft.provenance is not None
    assert step.draft.provenance.kind is ProvenanceKind.ANNOUNCE_STEP


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        ("ANNOUNCE_SKIP", "SKIPPED"),
        ("\tANNOUNCE_SKIP \n", "SKIPPED"),
        ("REPLY_SKIP", "SKIPPED"),
        ("", "EMPTY"),
        (" \n", "EMPTY"),
        (Failure("MODEL_ERROR", "no"), "RUN_FAILED"),
        (Cancelled(), "RUN_FAILED"),
    ],
    ids=repr,
)
async def test_what_is_not_announced_leaves_the_reason(stage: Stage, end: Outcome, reason: str) -> None:  # S12
    sent = await stage.send("ask", max_turns=0)

    await stage.turns("round one", end)

    delivery = await stage.delivery()
    assert outcome_of(delivery) == ("suppressed", reason)
    assert delivery.end_ms is not None
    assert await stage.acquire() == []
    assert (await stage.exchange(sent.exchange_id)).is_settled


async def test_an_announce_whose_runtime_vanished_is_a_failed_one(stage: Stage, clock: ManualClock) -> None:  # S12
    await stage.send("ask", max_turns=0)
    await stage.turn("round one")
    await stage.take()
    clock.advance(seconds=31)

    await sweep_once(stage.db, stage.rules, overdue_runs)

    assert outcome_of(await stage.delivery()) == ("suppressed", "RUN_FAILED")


async def test_an_announce_that_was_cancelled_in_its_queue_is_a_failed_one(stage: Stage) -> None:  # R6, S12
    sent = await stage.send("ask", max_turns=0)
    await stage.turn("round one")

    await stage.db.write(lambda tx: stop_session(tx, stage.rules, found(tx, GROUP), "olivia", "enough"))

    assert outcome_of(await stage.delivery()) == ("suppressed", "RUN_FAILED")
    assert (await stage.exchange(sent.exchange_id)).is_settled


async def test_a_session_without_a_route_announces_to_nobody_but_not_in_silence(stage: Stage) -> None:  # S14
    await make_session(stage.db, "agent:main:cron:tidy")
    sent = await stage.send("ask", session_key="agent:main:cron:tidy", max_turns=0)

    _, announce = await stage.turns("round one", "told")

    assert sent.route is None
    assert announce.placed.run.kind == "announce"
    delivery = await stage.delivery()
    assert outcome_of(delivery) == ("suppressed", "NO_ROUTE")
    assert (delivery.text, delivery.route) == ("told", None)


async def test_a_skip_is_told_as_such_even_where_there_is_no_route(stage: Stage) -> None:  # S12, S14
    await make_session(stage.db, "agent:main:cron:tidy")
    await stage.send("ask", session_key="agent:main:cron:tidy", max_turns=0)

    await stage.turns("round one", "ANNOUNCE_SKIP")

    assert outcome_of(await stage.delivery()) == ("suppressed", "SKIPPED")


async def test_a_policy_that_came_after_the_send_holds_the_announcement_back(stage: Stage) -> None:  # Q3
    await stage.send("ask", max_turns=0)
    await stage.turn("round one")
    stage.rules = replace(RULES, send_policy=NO_TELEGRAM)

    await stage.turn("told")

    delivery = await stage.delivery()
    assert outcome_of(delivery) == ("suppressed", "POLICY")
    assert delivery.policy_rule == "session.sendPolicy.rules[0]"


async def test_never_means_no_announce_run_and_no_delivery_row(stage: Stage) -> None:  # S13
    sent = await stage.send("ask", max_turns=0, announce=AnnouncePolicy.NEVER)

    await stage.turn("round one")

    assert sent.route is None
    assert await stage.is_quiet()
    assert [run.kind for run in await stage.runs()] == ["send"]
    assert await stage.deliveries() == []


async def test_a_skipped_run_has_no_reply_and_says_so(stage: Stage) -> None:  # S12
    await stage.send("ask")

    _, turn, announce = await stage.turns("round one", "REPLY_SKIP", "ANNOUNCE_SKIP")

    for taken in (turn, announce):
        run = await stage.run(taken.placed.run.id)
        assert (run.state, run.reply, run.is_skipped, run.end_reason) == ("succeeded", None, 1, "SKIPPED")


@pytest.mark.parametrize(
    ("key", "route"),
    [
        ("agent:main:telegram:group:42:topic:7", Route("telegram", "42", thread_id="7")),
        ("agent:main:discord:channel:99:thread:5", Route("discord", "99", thread_id="5")),
        ("agent:main:discord:channel:99", Route("discord", "99")),
    ],
)
async def test_a_groups_key_says_where_its_announcement_goes(stage: Stage, key: str, route: Route) -> None:  # S14
    await make_session(stage.db, key)

    sent = await stage.send("ask", session_key=key, max_turns=0)
    await stage.turns("round one", "told")

    assert sent.route == route
    assert (await stage.delivery()).route == route


async def test_a_direct_chat_is_reached_by_its_delivery_context(stage: Stage) -> None:  # S14
    route = Route("whatsapp", "+49", "work", "t1")
    await stage.chat("hi", "agent:main:whatsapp:direct:+49", route=route, deliver=False)
    await stage.turn("hello")

    sent = await stage.send("ask", session_key="agent:main:whatsapp:direct:+49", max_turns=0)
    await stage.turns("round one", "told")

    assert sent.route == route
    assert (await stage.delivery()).route == route


async def test_a_route_that_changes_in_mid_exchange_changes_nothing(stage: Stage) -> None:  # S14
    first, second = Route("whatsapp", "+49"), Route("signal", "elsewhere")
    key = "agent:main:whatsapp:direct:+49"
    await make_session(stage.db, key, route_channel=first.channel, route_to=first.to)
    sent = await stage.send("ask", session_key=key, max_turns=0)
    await stage.turn("round one")

    await sessions_patch(stage.db, stage.rules, OWNER, PatchQuery(key, {"route": second}))
    await stage.turn("told")

    assert sent.route == first
    assert (await stage.delivery()).route == first
    session = await session_of(stage.db, key)
    assert session is not None
    assert session.route == second


async def test_internal_traffic_never_changes_a_sessions_route(stage: Stage) -> None:  # S14
    before = [await session_of(stage.db, key) for key in (MAIN, GROUP)]

    await stage.send("ask", max_turns=2)
    await stage.turns("round one", "one", "two", "told")

    after = [await session_of(stage.db, key) for key in (MAIN, GROUP)]
    assert [each.route for each in after if each] == [each.route for each in before if each] == [None, None]


async def test_a_delivered_announcement_settles_the_exchange(stage: Stage) -> None:  # W4
    sent = await stage.send("ask", max_turns=0)
    await stage.turns("round one", "told")
    [taken] = await stage.acquire("telegram")

    await stage.ack(taken, "message 7")

    delivery = await stage.delivery()
    assert (delivery.state, delivery.receipt) == ("delivered", "message 7")
    assert (await stage.exchange(sent.exchange_id)).is_settled
