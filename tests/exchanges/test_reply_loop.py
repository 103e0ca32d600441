"""The reply-back loop: who takes which turn, and what ends it (S9-S11)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from sessiond.model.exchanges import AnnouncePolicy
from sessiond.model.messages import ProvenanceKind
from sessiond.model.rules import RunRules
from sessiond.model.runs import Failure
from sessiond.runtime.complete_run import Cancelled
from sessiond.store.opening import open_database
from sessiond.worker.sweep import overdue_runs, sweep_once
from tests.exchanges.stage import GROUP, MAIN, RULES, Outcome, Stage, heard
from tests.fakes.clock import ManualClock
from tests.making import make_session

pytest_plugins = ("tests.exchanges.fixtures",)


@pytest.fixture
async def stage(stage: Stage) -> Stage:
    await make_session(stage.db, MAIN)
    await make_session(stage.db, GROUP)
    return stage


async def test_the_sides_take_turns_on_each_others_replies_up_to_the_limit(stage: Stage) -> None:  # S10
    await stage.send("ask")

    taken = await stage.turns("round one", "one", "two", "three", "four", "five", "told")

    assert [(each.session.key, each.placed.run.kind, each.placed.run.turn) for each in taken] == [
        (GROUP, "send", 0),
        (MAIN, "reply", 1),
        (GROUP, "reply", 2),
        (MAIN, "reply", 3),
        (GROUP, "reply", 4),
        (MAIN, "reply", 5),
        (GROUP, "announce", 0),
    ]
    assert [heard(each) for each in taken[:6]] == ["ask", "round one", "one", "two", "three", "four"]
    assert await stage.is_quiet()


async def test_each_turn_knows_the_exchange_apart_from_the_message(stage: Stage) -> None:  # S7, S10
    await stage.send("ask", max_turns=1)

    taken = await stage.turns("round one", "one", "told")

    contexts = [each.context for each in taken]
    assert all(context is not None for context in contexts)
    told = [
        (each.requester_session_key, each.target_session_key, each.first_reply, each.latest_reply, each.turn)
        for each in contexts
        if each
    ]
    assert told == [
        (MAIN, GROUP, "", "", 0),
        (MAIN, GROUP, "round one", "round one", 1),
        (MAIN, GROUP, "round one", "one", 0),
    ]
    assert [each.skip_token for each in contexts if each] == ["REPLY_SKIP", "REPLY_SKIP", "ANNOUNCE_SKIP"]


async def test_a_reply_turn_is_no_message_of_the_user(stage: Stage) -> None:  # S7
    await stage.send("ask")
    primary, *_ = await stage.turns("round one", "REPLY_SKIP", "told")

    [turn, *_] = await stage.transcript(MAIN)

    assert turn.text == "round one"
    source = turn.draft.provenance
    assert source is not None
    assert (source.kind, source.source_session_key) == (ProvenanceKind.REPLY_BACK, GROUP)
    assert (source.source_run_id, source.tool) == (primary.placed.run.id, "sessions_send")


@pytest.mark.parametrize(
    ("configured", "asked", "turns"), [(5, None, 5), (2, None, 2), (0, None, 0), (5, 3, 3), (2, 4, 2), (5, 0, 0)]
)
async def test_the_lower_of_configuration_and_request_limits_the_turns(
    stage: Stage, configured: int, asked: int | None, turns: int
) -> None:  # S10
    stage.rules = replace(RULES, runs=RunRules(max_turns=configured))

    sent = await stage.send("ask", max_turns=asked)
    taken = await stage.turns(*["words"] * (turns + 2))

    assert sent.max_turns == turns
    assert [each.placed.run.kind for each in taken] == ["send", *["reply"] * turns, "announce"]
    assert await stage.is_quiet()


@pytest.mark.parametrize(
    "end",
    ["REPLY_SKIP", " REPLY_SKIP\n", "ANNOUNCE_SKIP", "", " \n", Failure("MODEL_ERROR", "no"), Cancelled()],
    ids=repr,
)
async def test_silence_and_failure_end_the_loop_and_the_announce_follows(stage: Stage, end: Outcome) -> None:  # S11
    await stage.send("ask")

    taken = await stage.turns("round one", "one", end, "told")

    assert [each.placed.run.kind for each in taken] == ["send", "reply", "reply", "announce"]
    assert taken[-1].context is not None
    assert taken[-1].context.latest_reply == "one"
    assert await stage.is_quiet()


@pytest.mark.parametrize("words", ["reply_skip", "REPLY_SKIP.", "I say REPLY_SKIP"])
async def test_words_beside_the_token_are_a_reply(stage: Stage, words: str) -> None:  # S11
    await stage.send("ask", max_turns=2)

    taken = await stage.turns("round one", words, "two", "told")

    assert heard(taken[2]) == words


@pytest.mark.parametrize("silence", ["REPLY_SKIP", "", "  "])
async def test_a_send_answered_by_silence_has_no_loop_but_an_announce(stage: Stage, silence: str) -> None:  # S11
    await stage.send("ask")

    taken = await stage.turns(silence, "told")

    assert [each.placed.run.kind for each in taken] == ["send", "announce"]
    assert await stage.is_quiet()


@pytest.mark.parametrize("by", ["", GROUP], ids=["nobody", "the target itself"])
async def test_without_another_session_to_talk_to_there_is_no_loop(stage: Stage, by: str) -> None:  # S10
    sent = await stage.send("ask", by=by)

    taken = await stage.turns("round one", "told")

    assert sent.max_turns == 0
    assert [each.placed.run.kind for each in taken] == ["send", "announce"]
    assert await stage.is_quiet()


@pytest.mark.parametrize("end", [Failure("MODEL_ERROR", "no"), Cancelled()], ids=repr)
async def test_a_failed_send_leads_neither_to_a_loop_nor_to_an_announce(stage: Stage, end: Outcome) -> None:  # S9
    sent = await stage.send("ask")

    await stage.turn(end)

    assert await stage.is_quiet()
    assert await stage.deliveries() == []
    assert (await stage.exchange(sent.exchange_id)).is_settled


async def test_a_send_whose_runtime_vanished_is_a_failed_one(stage: Stage, clock: ManualClock) -> None:  # R4, S9
    sent = await stage.send("ask")
    await stage.take()
    clock.advance(seconds=31)

    await sweep_once(stage.db, stage.rules, overdue_runs)

    assert (await stage.run(sent.placed.run.id)).failure_reason == "RUNTIME_LOST"
    assert await stage.is_quiet()
    assert await stage.deliveries() == []
    assert (await stage.exchange(sent.exchange_id)).is_settled


async def test_a_turn_whose_runtime_vanished_ends_the_loop(stage: Stage, clock: ManualClock) -> None:  # R4, S11
    await stage.send("ask")
    await stage.turn("round one")
    await stage.take()
    clock.advance(seconds=31)

    await sweep_once(stage.db, stage.rules, overdue_runs)
    announce = await stage.turn("told")

    assert announce.placed.run.kind == "announce"
    assert (await stage.delivery()).text == "told"


async def test_an_expired_wait_changes_nothing_about_loop_and_announce(stage: Stage) -> None:  # S8, S9
    sent = await stage.send("ask", timeout_s=1, deadline_s=0.01)
    assert sent.waited
    assert not sent.placed.run.is_final

    taken = await stage.turns("round one", "one", "REPLY_SKIP", "told")

    assert [each.placed.run.kind for each in taken] == ["send", "reply", "reply", "announce"]
    assert (await stage.delivery()).text == "told"


async def test_a_restart_between_all_steps_changes_nothing(stage: Stage, clock: ManualClock, engine_url: str) -> None:
    sent = await stage.send("ask", max_turns=3)  # S9, X2
    said = ["round one", "one", "two", "three", "told"]

    for words in said:
        again = await open_database(engine_url, on_commit=lambda topics: None, clock=clock)
        await Stage(again).turn(words)
        await again.close()

    assert (await stage.delivery()).text == "told"
    assert [run.kind for run in await stage.runs()] == ["send", "reply", "reply", "reply", "announce"]
    assert (await stage.exchange(sent.exchange_id)).latest_reply == "three"


async def test_the_loop_goes_on_behind_what_the_requester_is_busy_with(stage: Stage) -> None:  # R2, S9
    await stage.chat("you there?", MAIN)
    busy = await stage.take()
    await stage.send("ask")
    await stage.turn("round one")

    assert await stage.is_quiet()
    await stage.end(busy, "yes")

    assert heard(await stage.turn("REPLY_SKIP")) == "round one"


async def test_without_an_announce_the_exchange_ends_with_its_loop(stage: Stage) -> None:  # S13
    sent = await stage.send("ask", max_turns=1, announce=AnnouncePolicy.NEVER)

    taken = await stage.turns("round one", "one")

    assert [each.placed.run.kind for each in taken] == ["send", "reply"]
    assert await stage.is_quiet()
    assert await stage.deliveries() == []
    assert (await stage.exchange(sent.exchange_id)).is_settled


async def test_a_request_under_the_same_id_joins_the_exchange(stage: Stage) -> None:  # R8
    query: dict[str, Any] = {"request_id": "once", "max_turns": 1}
    first = await stage.send("ask", **query)
    await stage.turns("round one", "one", "told")

    again = await stage.send("ask", **query)

    assert (again.exchange_id, again.placed.run.id) == (first.exchange_id, first.placed.run.id)
    assert again.placed.run.reply == "round one"
    assert len(await stage.runs()) == 3
