"""SessionsSend: one transaction stores the message and its run, then the wait, which holds nothing (S1-S8)."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from sessiond.model.errors import (
    AgentToAgentDenied,
    InvalidField,
    InvalidKey,
    LabelAmbiguous,
    MessageTooLarge,
    QueueFull,
    Refusal,
    SendPolicyDenied,
    SessionNotFound,
    TraceBudget,
    WaitLimit,
)
from sessiond.model.exchanges import AnnouncePolicy
from sessiond.model.messages import ProvenanceKind, Usage
from sessiond.model.policy import PolicyRule, SendPolicy
from sessiond.model.rules import WaitRules
from sessiond.model.runs import Failure
from sessiond.model.sessions import PolicyAction, Route
from sessiond.model.visibility import VisibilityRules, VisibilitySetting
from sessiond.runtime.complete_run import Cancelled
from sessiond.runtime.heartbeat_runs import heartbeat_runs
from sessiond.store import runs
from sessiond.store.codec import decode
from sessiond.store.run_events import end_topic
from sessiond.store.schema import run_waits
from sessiond.store.schema import sessions as sessions_table
from sessiond.tools.sessions_history import HistoryQuery, sessions_history
from sessiond.waiting import Waits
from tests.making import OWNER, acting_as, count, make_session, session_of
from tests.runtime.engine import LONG_S, A, B, Engine, agent_of, token_of

pytest_plugins = ["tests.runtime.fixtures"]

DENY_ALL = SendPolicy(rules=(PolicyRule(PolicyAction.DENY),))


async def test_the_target_is_a_key_a_label_or_an_agent(engine: Engine) -> None:  # S1
    await make_session(engine.db, A, label="pinned")
    await make_session(engine.db, "agent:ops:x", label="shared")
    await make_session(engine.db, "agent:main:y", label="shared")

    targets = [
        {"session_key": A},
        {"session_key": "", "label": "pinned"},
        {"session_key": "", "label": "shared", "agent_id": "OPS"},
        {"session_key": "", "agent_id": "ops"},
        {"session_key": "main"},
    ]
    keys = [(await engine.send(**{"key": "", **each})).placed.session_key for each in targets]  # type: ignore[arg-type]

    assert keys == [A, A, "agent:ops:x", "agent:ops:main", "agent:main:main"]


async def test_an_ambiguous_label_names_the_matches_that_the_caller_sees(engine: Engine) -> None:  # S1
    for key in (A, B, "agent:ops:x"):
        await make_session(engine.db, key, label="shared")
    engine.rules = replace(engine.rules, visibility=VisibilityRules(agent_to_agent=False))

    with pytest.raises(LabelAmbiguous) as refused:
        await engine.send("", label="shared", caller=acting_as(A))

    assert set(refused.value.facts["matches"].split(", ")) == {A, B}


@pytest.mark.parametrize(
    ("query", "fields"),
    [
        ({"message": ""}, ["message"]),
        ({"message": " \n\t"}, ["message"]),
        ({"label": "pinned"}, ["label"]),
        ({"session_key": ""}, ["session_key"]),
        ({"timeout_s": 3601}, ["timeout_seconds"]),
        ({"max_turns": 6}, ["max_ping_pong_turns"]),
        ({"message": "", "label": "x", "timeout_s": 4_294_967_295}, ["label", "message", "timeout_seconds"]),
    ],
)
async def test_bad_input_is_refused_before_anything_is_stored(
    engine: Engine, query: dict[str, Any], fields: list[str]
) -> None:  # S1-S3, X1
    before = await engine.rows()

    with pytest.raises(InvalidField) as refused:
        await engine.send(**query, request_id="r1")

    assert [each.field for each in refused.value.fields] == fields
    assert await engine.rows() == before


@pytest.mark.parametrize("size", [1_048_576, 1_048_577, 2 * 1_048_576])
async def test_a_message_that_can_not_be_stored_is_refused_before_anything_is(engine: Engine, size: int) -> None:  # H6
    before = await engine.rows()

    with pytest.raises(MessageTooLarge):
        await engine.send(message="x" * size, request_id="r1")

    assert await engine.rows() == before


@pytest.mark.parametrize("message", [" padded \n", "\u0000nul", "e\u0301 👩‍👩‍👧", "line\r\nline"])
async def test_a_message_is_stored_as_it_was_sent(engine: Engine, message: str) -> None:  # S2
    sent = await engine.send(message=message)

    page = await sessions_history(engine.db, engine.rules, OWNER, HistoryQuery("main"))

    (stored,) = [decode(body) for body in page.messages]
    assert (stored.text, stored.id, stored.draft.run_id) == (message, sent.message_id, sent.placed.run.id)


async def test_its_provenance_tells_who_sent_it_and_through_what(engine: Engine) -> None:  # S7
    await engine.sessions(A, B)
    lease = await engine.running(A)
    await engine.send(B, "hi", agent_of(lease))

    page = await sessions_history(engine.db, engine.rules, OWNER, HistoryQuery(B))

    source = decode(page.messages[0]).draft.provenance
    assert source is not None
    assert source.kind is ProvenanceKind.INTER_SESSION
    assert (source.source_session_key, source.source_run_id, source.tool) == (A, lease.placed.run.id, "sessions_send")


async def test_without_a_wait_it_is_accepted_at_once(engine: Engine) -> None:  # S3
    sent = await engine.send(timeout_s=0)

    assert (sent.waited, sent.placed.run.state) == (False, "queued")


async def test_the_reply_comes_with_the_end_of_the_run(engine: Engine) -> None:  # S4
    wait = asyncio.create_task(engine.send(timeout_s=LONG_S))
    await engine.asleep()

    await engine.complete(await engine.take(), "answer")

    sent = await wait
    assert (sent.waited, sent.placed.run.state, sent.placed.run.reply) == (True, "succeeded", "answer")


async def test_a_failure_of_the_run_is_an_answer_too(engine: Engine) -> None:  # S4
    wait = asyncio.create_task(engine.send(timeout_s=LONG_S))
    await engine.asleep()

    await engine.complete(await engine.take(), Failure("MODEL_ERROR", "it broke"))

    assert (await wait).placed.run.failure_message == "it broke"


@pytest.mark.parametrize("outcome", ["answer", "", "REPLY_SKIP", Failure("MODEL_ERROR", "it broke"), Cancelled()])
@pytest.mark.parametrize("is_agent", [False, True], ids=["from outside", "from an agent"])
async def test_the_end_that_is_told_is_what_a_look_finds(engine: Engine, outcome: Any, is_agent: bool) -> None:  # S4
    await engine.sessions(A, B)
    caller = agent_of(await engine.running(A)) if is_agent else OWNER
    run_id = await engine.queue(B, caller=caller, announce=AnnouncePolicy.NEVER, max_turns=0)
    behind = await engine.queue(B)

    with engine.wake.listen(end_topic(run_id)) as ended, engine.wake.listen(end_topic(behind)) as later:
        await engine.complete(await engine.take(run_id), outcome, usage=Usage(1, 2, 3, 0.5))

    assert ended.news == await engine.db.read(lambda tx: runs.find(tx, run_id))
    assert ended.news.run.is_final
    assert not later.is_hinted


async def test_a_sender_that_was_told_the_end_does_not_look(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refuse(*asked: object) -> None:
        raise AssertionError(f"a look for {asked}")

    wait = asyncio.create_task(engine.send(timeout_s=LONG_S, announce=AnnouncePolicy.NEVER))
    await engine.asleep()
    monkeypatch.setattr(engine.db, "glance_together", refuse)

    await engine.complete(await engine.take(), "answer")

    assert (await wait).placed.run.reply == "answer"


async def test_an_end_from_which_something_follows_is_looked_for(engine: Engine) -> None:  # S4, S12
    wait = asyncio.create_task(engine.send(timeout_s=LONG_S, announce=AnnouncePolicy.MODEL_MAY_SKIP))
    await engine.asleep()
    taken = await engine.take()
    run_id = taken.placed.run.id

    with engine.wake.listen(end_topic(run_id)) as ended:
        await engine.complete(taken, "answer")

    assert ended.is_hinted
    assert ended.news is None
    assert (await wait).placed == await engine.db.read(lambda tx: runs.find(tx, run_id))


async def test_a_wait_that_expires_changes_nothing_about_the_run(engine: Engine) -> None:  # S4, S8
    sent = await engine.send(timeout_s=LONG_S, deadline_s=0.01)

    assert (sent.waited, sent.placed.run.state) == (True, "queued")
    await engine.complete(await engine.take(sent.placed.run.id))


async def test_a_caller_that_leaves_changes_nothing_about_the_run(engine: Engine) -> None:  # S8
    await engine.sessions(A, B)
    outer = await engine.running(A)
    wait = asyncio.create_task(engine.send(B, caller=agent_of(outer), timeout_s=LONG_S))
    await engine.asleep()
    before = await engine.rows()

    wait.cancel()
    await asyncio.wait([wait])

    after = await engine.rows()
    assert after.pop("run_waits") == []
    assert len(before.pop("run_waits")) == 1
    assert after == before
    await engine.complete(await engine.take())


async def test_the_drain_answers_with_the_run_as_it_is(engine: Engine) -> None:  # X4
    wait = asyncio.create_task(engine.send(timeout_s=LONG_S))
    await engine.asleep()

    await engine.waits.drain()

    sent = await wait
    assert (sent.waited, sent.placed.run.state) == (True, "queued")


async def test_a_long_wait_stays_noted(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:  # S5, property 5
    monkeypatch.setattr("sessiond.waiting.RENEW_S", 0.0)
    engine.slots(agents=1)
    await engine.sessions(A, B)
    outer = await engine.running(A)
    wait = asyncio.create_task(engine.send(B, caller=agent_of(outer), timeout_s=LONG_S))
    await engine.asleep()
    inner = await engine.take()

    for _ in range(3):
        engine.clock.advance(seconds=60)
        await heartbeat_runs(engine.db, engine.rules, [token_of(outer), token_of(inner)])
        engine.wake.hint_all()
        await engine.asleep()

    await engine.sessions("agent:main:c")
    await engine.queue("agent:main:c")
    assert await engine.acquire() == []
    await engine.complete(inner)
    assert (await wait).placed.run.reply == "done"


async def test_waits_are_limited_before_anything_is_stored(engine: Engine) -> None:  # W10
    engine.waits = Waits(engine.wake, WaitRules(per_caller=1))
    wait = asyncio.create_task(engine.send(timeout_s=LONG_S))
    await engine.asleep()
    before = await engine.rows()

    with pytest.raises(WaitLimit) as refused:
        await engine.send(timeout_s=LONG_S)

    assert (refused.value.facts["config_key"], refused.value.retry_after_ms) == ("server.maxWaitsPerCaller", 2000)
    assert await engine.rows() == before
    assert not (await engine.send(timeout_s=0)).waited
    await engine.complete(await engine.take())
    await wait


async def test_the_gates_are_asked_in_their_order(engine: Engine) -> None:  # S6
    await engine.sessions(A)
    outsider = await make_session(engine.db, "agent:ops:subagent:1", spawned_by=await session_of(engine.db, A))
    traced = replace(acting_as(A), traceparent=f"00-{'a' * 32}-{'b' * 16}-01")
    await engine.send("agent:ops:main", caller=replace(OWNER, traceparent=traced.traceparent))
    closed = VisibilityRules(VisibilitySetting.SELF)
    engine.rules = replace(engine.rules, visibility=closed, send_policy=DENY_ALL)
    engine.limit(queue_depth=0, max_runs_per_trace=1)

    async def refusal() -> type[Refusal]:
        before = await engine.rows()
        with pytest.raises(Refusal) as refused:
            await engine.send(outsider.key, caller=traced)
        assert await engine.rows() == before
        return refused.type

    refusals = [await refusal()]
    engine.rules = replace(engine.rules, visibility=VisibilityRules())
    refusals.append(await refusal())
    engine.rules = replace(engine.rules, visibility=VisibilityRules(agent_to_agent=True))
    refusals.append(await refusal())
    engine.rules = replace(engine.rules, send_policy=SendPolicy())
    refusals.append(await refusal())
    engine.limit(queue_depth=10)
    refusals.append(await refusal())

    assert refusals == [SessionNotFound, AgentToAgentDenied, SendPolicyDenied, QueueFull, TraceBudget]


async def test_a_denial_names_what_denies(engine: Engine) -> None:  # S6
    await engine.sessions(A)
    child = await make_session(engine.db, "agent:ops:subagent:1", spawned_by=await session_of(engine.db, A))
    for visibility, key in (
        (VisibilityRules(), "tools.agentToAgent.enabled"),
        (VisibilityRules(agent_to_agent=True, agent_to_agent_allow=("main",)), "tools.agentToAgent.allow"),
    ):
        engine.rules = replace(engine.rules, visibility=visibility)
        with pytest.raises(AgentToAgentDenied) as denied:
            await engine.send(child.key, caller=acting_as(A))
        assert denied.value.facts == {"config_key": key}

    engine.rules = replace(engine.rules, send_policy=DENY_ALL)
    with pytest.raises(SendPolicyDenied) as by_policy:
        await engine.send(A)
    assert by_policy.value.facts == {"session_key": A, "rule": "session.sendPolicy.rules[0]"}


async def test_a_full_queue_takes_no_more(engine: Engine) -> None:  # X6
    engine.limit(queue_depth=2)
    for _ in range(2):
        await engine.send()

    with pytest.raises(QueueFull) as refused:
        await engine.send()

    assert refused.value.facts["config_key"] == "limits.queueDepth"
    await engine.complete(await engine.take())
    await engine.send()


@pytest.mark.parametrize("key", ["agent:main:nope", "agent:nobody:main", "00000000-no-such-id"])
async def test_a_wrong_key_makes_no_session(engine: Engine, key: str) -> None:  # K9
    with pytest.raises(SessionNotFound):
        await engine.send(key)

    assert await count(engine.db, sessions_table) == 0


@pytest.mark.parametrize("key", ["agent:x", "agent::y", "global", "unknown"])
async def test_a_malformed_or_reserved_key_is_refused(engine: Engine, key: str) -> None:  # K7, K8
    with pytest.raises((InvalidKey, SessionNotFound)):
        await engine.send(key)

    assert await count(engine.db, sessions_table) == 0


@pytest.mark.parametrize("setting", VisibilitySetting)
async def test_the_first_use_of_a_main_session_makes_it_also_for_itself(
    engine: Engine, setting: VisibilitySetting
) -> None:  # K9
    engine.rules = replace(engine.rules, visibility=VisibilityRules(setting))

    sent = await engine.send("main", caller=acting_as("agent:ops:main"))

    assert sent.placed.session_key == "agent:ops:main"
    assert await count(engine.db, sessions_table) == 1


async def test_a_key_and_an_agent_that_do_not_fit_name_nothing(engine: Engine) -> None:  # S1
    await engine.sessions(A)

    with pytest.raises(SessionNotFound):
        await engine.send(A, agent_id="ops")
    assert (await engine.send(A, agent_id="main")).placed.session_key == A


async def test_a_session_id_names_its_session(engine: Engine) -> None:  # K8
    session = await make_session(engine.db, A)

    assert (await engine.send(session.session_id)).placed.session_key == A


async def test_the_route_of_the_announcement_is_frozen_and_told(engine: Engine) -> None:  # S14
    await engine.sessions("agent:main:telegram:group:7:topic:3", A)

    routed = await engine.send("agent:main:telegram:group:7:topic:3", announce=AnnouncePolicy.MODEL_MAY_SKIP)
    unrouted = await engine.send(A, announce=AnnouncePolicy.MODEL_MAY_SKIP)

    assert routed.route == Route("telegram", "7", "", "3")
    assert unrouted.route is None


async def test_a_send_wakes_an_archived_session(engine: Engine) -> None:  # L7
    await make_session(engine.db, A, archived=True)

    await engine.send(A)

    session = await session_of(engine.db, A)
    assert session is not None
    assert session.archived_ms is None


async def test_nothing_is_noted_for_a_caller_that_is_no_run(engine: Engine) -> None:  # S5
    await engine.sessions(A)
    wait = asyncio.create_task(engine.send(A, timeout_s=LONG_S))
    await engine.asleep()

    assert await count(engine.db, run_waits) == 0
    await engine.complete(await engine.take())
    await wait
