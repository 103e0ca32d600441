"""What a sub-agent's end leads to: one report, in the requester's transcript and on its way out (P7-P11)."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from sessiond.exchange_steps import REPORT_REQUEST
from sessiond.gateway.sessions_patch import PatchQuery, sessions_patch
from sessiond.model.messages import ProvenanceKind, Role, Usage
from sessiond.model.rules import Price, Rules
from sessiond.model.runs import Failure
from sessiond.model.sessions import Route
from sessiond.runtime.complete_run import Cancelled
from sessiond.store.schema import sessions
from sessiond.store.statement import Statement
from sessiond.tools.cancel_run import CancelQuery, cancel_run
from sessiond.worker.sweep import overdue_runs, sweep_once
from tests.exchanges.stage import MAIN, RULES, Outcome, Stage, heard
from tests.fakes.clock import ManualClock
from tests.making import OWNER, make_session, session_of

SIGNAL = Route("signal", "+49")


pytest_plugins = ("tests.exchanges.fixtures",)


@pytest.fixture
async def stage(stage: Stage) -> Stage:
    await make_session(stage.db, MAIN, route_channel=SIGNAL.channel, route_to=SIGNAL.to)
    return stage


def without_stats(text: str) -> list[str]:
    lines = text.split("\n")
    assert lines[-1].startswith("Stats: ")
    return lines[:-1]


async def reported(stage: Stage) -> str:
    """The report: the same words in the outbox and in the requester's transcript."""
    delivery = await stage.delivery()
    assert (delivery.state, delivery.route) == ("pending", SIGNAL)
    assert await stage.said(MAIN) == [("system", delivery.text)]
    return delivery.text


async def test_a_child_that_succeeded_is_asked_and_its_words_are_normalised(stage: Stage) -> None:  # P7, P8
    await stage.spawn("dig a hole")

    child, announce = await stage.turns("a hole", "**status**: great\n- Result: a deep hole\nNotes: mind the gap")

    assert (child.placed.run.kind, announce.placed.run.kind) == ("spawn", "spawn_announce")
    assert child.session.key == announce.session.key
    assert heard(announce) == REPORT_REQUEST
    assert announce.context is not None
    assert (announce.context.first_reply, announce.context.skip_token) == ("a hole", "ANNOUNCE_SKIP")
    assert "dig a hole" in announce.context.original_request
    assert without_stats(await reported(stage)) == [
        *("Status: success", "Result: a deep hole", "Notes:", "- mind the gap")
    ]


@pytest.mark.parametrize(
    ("end", "status", "note"),
    [
        (Failure("MODEL_ERROR", "the model\nwas away"), "error", "- Error: the model was away"),
        (Cancelled(), "cancelled", "- Error: cancelled by runtime: CANCELLED"),
    ],
    ids=["failure", "cancelled"],
)
async def test_a_child_that_did_not_succeed_is_reported_without_asking(
    stage: Stage, end: Outcome, status: str, note: str
) -> None:  # P7, P8
    spawned = await stage.spawn()

    await stage.turn(end)

    assert await stage.is_quiet()
    assert without_stats(await reported(stage)) == [f"Status: {status}", "Result: (not available)", "Notes:", note]
    assert (await stage.delivery()).run_id == spawned.placed.run.id


async def test_a_child_that_took_too_long_is_reported_as_timed_out(stage: Stage, clock: ManualClock) -> None:  # P7, R5
    await stage.spawn(run_timeout_s=5)
    await stage.take()
    clock.advance(seconds=6)

    await sweep_once(stage.db, stage.rules, overdue_runs)

    lines = without_stats(await reported(stage))
    assert lines[0] == "Status: timeout"
    assert lines[-1] == "- Error: the run took longer than its run_timeout_seconds of 5"


async def test_a_child_whose_runtime_vanished_has_an_unknown_outcome(
    stage: Stage, clock: ManualClock
) -> None:  # P8, R4
    await stage.spawn()
    await stage.take()
    clock.advance(seconds=31)

    await sweep_once(stage.db, stage.rules, overdue_runs)

    assert without_stats(await reported(stage))[0] == "Status: unknown"


async def test_a_child_that_was_cancelled_in_its_queue_is_reported(stage: Stage) -> None:  # P7, R6
    spawned = await stage.spawn()

    await cancel_run(stage.db, stage.rules, OWNER, CancelQuery(spawned.placed.run.id, "not needed"))

    lines = without_stats(await reported(stage))
    assert lines[0] == "Status: cancelled"
    assert lines[-1] == "- Error: cancelled by olivia: not needed"


async def test_an_announce_that_failed_falls_back_on_the_result(stage: Stage) -> None:  # P7
    await stage.spawn()

    await stage.turns("a hole", Failure("MODEL_ERROR", "no"))

    assert without_stats(await reported(stage))[:2] == ["Status: success", "Result: a hole"]


async def test_a_skip_leaves_a_suppressed_row_and_nothing_else(stage: Stage) -> None:  # P10
    spawned = await stage.spawn()

    await stage.turns("a hole", " ANNOUNCE_SKIP ")

    delivery = await stage.delivery()
    assert (delivery.state, delivery.suppressed_reason, delivery.text) == ("suppressed", "SKIPPED", "")
    assert await stage.said(MAIN) == []
    assert (await stage.exchange(spawned.exchange_id)).is_settled


async def test_the_report_starts_no_run_and_says_where_it_came_from(stage: Stage) -> None:  # P10
    spawned = await stage.spawn()

    _, announce = await stage.turns("a hole", "done")

    assert await stage.is_quiet()
    [report] = await stage.transcript(MAIN)
    source = report.draft.provenance
    assert source is not None
    assert report.draft.role is Role.SYSTEM
    assert (source.kind, source.source_session_key) == (ProvenanceKind.SUBAGENT_ANNOUNCE, spawned.child.key)
    assert (source.source_run_id, source.tool) == (announce.placed.run.id, "sessions_spawn")


async def test_the_route_is_frozen_when_the_child_is_spawned(stage: Stage) -> None:  # P10
    spawned = await stage.spawn()
    await stage.turn("a hole")

    await sessions_patch(stage.db, stage.rules, OWNER, PatchQuery(MAIN, {"route": Route("discord", "elsewhere")}))
    await stage.turn("done")

    assert spawned.route == SIGNAL
    assert (await stage.delivery()).route == SIGNAL


async def test_a_requester_without_a_route_still_learns_of_it(stage: Stage) -> None:  # P10, S14
    await make_session(stage.db, "agent:main:cron:tidy")
    await stage.spawn(by="agent:main:cron:tidy")

    await stage.turns("a hole", "done")

    delivery = await stage.delivery()
    assert (delivery.state, delivery.suppressed_reason) == ("suppressed", "NO_ROUTE")
    assert await stage.said("agent:main:cron:tidy") == [("system", delivery.text)]


async def test_a_child_of_nobody_is_reported_to_nobody(stage: Stage) -> None:  # P10
    spawned = await stage.spawn(by="")

    await stage.turns("a hole", "done")

    delivery = await stage.delivery()
    assert (delivery.state, delivery.suppressed_reason) == ("suppressed", "NO_ROUTE")
    assert (await stage.exchange(spawned.exchange_id)).is_settled
    assert spawned.child.spawned_by == ""


PRICED = replace(RULES, prices={"echo": Price(0.10, 0.20)}, transcripts_dir="/data/transcripts")


async def stats_of(stage: Stage, clock: ManualClock, rules: Rules, usage: Usage | None) -> str:
    stage.rules = rules
    await stage.spawn()
    taken = await stage.take()
    clock.advance(seconds=20)
    await stage.end(taken, "a hole", usage)
    await stage.turn("done")
    return (await stage.delivery()).text.split("\n")[-1]


async def test_the_stats_line_tells_time_tokens_cost_and_where_to_look(stage: Stage, clock: ManualClock) -> None:  # P9
    line = await stats_of(stage, clock, PRICED, Usage(10_000, 2_300))

    shape = (
        r"Stats: runtime 20s • tokens 12\.3k \(in 10\.0k / out 2\.3k\) • est \$0\.0015 • "
        r"sessionKey (agent:main:subagent:\S+) • sessionId (\S+) • transcript /data/transcripts/(\S+)\.jsonl"
    )
    found = re.fullmatch(shape, line)
    assert found is not None, line
    child = await session_of(stage.db, found[1])
    assert child is not None
    assert found[2] == found[3] == child.session_id


@pytest.mark.parametrize(
    ("change", "usage", "expected"),
    [
        ({"announce_stats": "compact"}, Usage(10, 5), "Stats: runtime 20s • tokens 15 (in 10 / out 5)"),
        ({"announce_stats": "compact"}, None, "Stats: runtime 20s • tokens n/a"),
        ({"announce_stats": "off"}, Usage(10, 5), "- (none)"),
    ],
    ids=["compact", "unknown", "off"],
)
async def test_the_stats_line_is_as_long_as_configured(
    stage: Stage, clock: ManualClock, change: dict[str, Any], usage: Usage | None, expected: str
) -> None:  # P9
    assert await stats_of(stage, clock, replace(PRICED, **change), usage) == expected


async def test_without_prices_no_cost_is_told(stage: Stage, clock: ManualClock) -> None:  # P9
    line = await stats_of(stage, clock, replace(PRICED, prices={}), Usage(10_000, 2_300))

    assert "est" not in line


async def test_what_a_child_took_stays_with_its_parent(stage: Stage) -> None:  # P11
    stage.rules = PRICED
    await stage.spawn()
    await stage.turn("a hole", Usage(1_000_000, 500_000))
    await stage.turn("done", Usage(1_000, 500))

    columns = (sessions.c.spawned_tokens, sessions.c.spawned_cost_usd)
    kept = Statement("what children took", sessions.select().with_only_columns(*columns).where(sessions.c.key == MAIN))
    [(tokens, cost)] = await stage.db.read(lambda tx: tx.rows(kept))

    assert tokens == 1_501_500
    assert cost == pytest.approx(0.2002)


async def test_what_a_failed_child_took_stays_with_its_parent_too(stage: Stage) -> None:  # P11
    await stage.spawn()
    await stage.turn(Failure("MODEL_ERROR", "no"), Usage(70, 30))

    kept = Statement(
        "what children took",
        sessions.select().with_only_columns(sessions.c.spawned_tokens).where(sessions.c.key == MAIN),
    )
    assert await stage.db.read(lambda tx: tx.rows(kept)) == [(100,)]
