"""Deliveries: leased, answered, tried again and given up; the order of each route (D1-D4)."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from sessiond.gateway.acquire_deliveries import AcquireQuery, acquire_deliveries
from sessiond.gateway.answer_delivery import AckQuery, NackQuery, ack_delivery, nack_delivery
from sessiond.model.deliveries import Delivery
from sessiond.model.errors import DeliveryNotFound, InvalidField, LeaseLost
from sessiond.model.rules import DeliveryRules
from sessiond.model.sessions import Route
from sessiond.store.codec import encode_delivery
from sessiond.store.deliveries import NewDelivery, create
from sessiond.store.run_events import run_topic
from sessiond.worker.sweep import given_up_deliveries, sweep_once, unanswered_deliveries
from tests.exchanges.stage import RULES, Stage
from tests.fakes.clock import ManualClock

pytest_plugins = ("tests.exchanges.fixtures",)

ANNA, BERT = Route("signal", "anna"), Route("telegram", "bert")


async def outgoing(stage: Stage, text: str = "hi", route: Route = ANNA) -> Delivery:
    """A chat's reply on its way out."""
    await stage.chat("hello", f"agent:main:{route.channel}:direct:{route.to}", route=route)
    await stage.turn(text)
    return (await stage.deliveries())[-1]


async def nack(stage: Stage, taken: Delivery, reason: str = "no network", **query: Any) -> Delivery:
    return (await nack_delivery(stage.db, NackQuery(taken.id, taken.lease_token, reason, **query))).delivery


async def vanish(stage: Stage, clock: ManualClock) -> None:
    """The gateway does not answer before its lease ends."""
    clock.advance(seconds=31)
    assert await sweep_once(stage.db, stage.rules, unanswered_deliveries) == 1


async def test_a_chats_reply_goes_the_way_its_message_came(stage: Stage) -> None:  # D4
    answer = await stage.chat("hello", "agent:main:signal:direct:anna", route=ANNA)
    await stage.turn("hi anna")

    delivery = await stage.delivery()

    assert (delivery.state, delivery.text, delivery.route) == ("pending", "hi anna", ANNA)
    assert (delivery.run_id, delivery.exchange_id, delivery.step) == (answer.run_id, "", "chat")


@pytest.mark.parametrize(
    ("reply", "reason"), [("REPLY_SKIP", "SKIPPED"), ("ANNOUNCE_SKIP", "SKIPPED"), ("", "EMPTY"), (" \n", "EMPTY")]
)
async def test_a_chat_answered_by_silence_is_not_delivered(stage: Stage, reply: str, reason: str) -> None:  # D4
    delivery = await outgoing(stage, reply)

    assert (delivery.state, delivery.suppressed_reason) == ("suppressed", reason)


async def test_a_chat_that_is_not_to_be_delivered_leaves_no_row(stage: Stage) -> None:  # D4
    await stage.chat("hello", "agent:main:signal:direct:anna", route=ANNA, deliver=False)
    await stage.turn("hi")

    assert await stage.deliveries() == []


async def test_a_step_has_one_row_whatever_is_written_twice(stage: Stage) -> None:  # D2
    first = await outgoing(stage)
    twin = NewDelivery("other", "", first.run_id, first.step, first.session, ANNA, "hi again", first.give_up_ms)

    assert await stage.db.write(lambda tx: create(tx, twin)) is None
    assert (await stage.delivery()).text == "hi"


async def test_a_taken_one_is_leased_to_one_gateway(stage: Stage, clock: ManualClock) -> None:  # D1, D2
    written = await outgoing(stage)

    [taken] = await stage.acquire()

    assert (taken.id, taken.state, taken.attempts) == (written.id, "leased", 1)
    assert taken.lease_token
    assert taken.lease_expires_ms == clock.now_ms + 30_000
    assert await stage.acquire() == []


async def test_an_acknowledged_one_is_delivered_and_stays_so(stage: Stage) -> None:  # D1, D2
    await outgoing(stage)
    [taken] = await stage.acquire()

    first = await stage.ack(taken, "message 7")
    again = await stage.ack(taken, "message 8")

    assert (first.state, first.receipt) == ("delivered", "message 7")
    assert again == first
    with pytest.raises(LeaseLost):
        await nack(stage, taken)
    assert await stage.delivery() == first


async def test_only_the_holder_may_answer(stage: Stage) -> None:  # D2
    await outgoing(stage)
    [taken] = await stage.acquire()
    stranger = replace(taken, lease_token=taken.lease_token[::-1])

    with pytest.raises(LeaseLost):
        await stage.ack(stranger)
    with pytest.raises(LeaseLost):
        await nack(stage, stranger)
    with pytest.raises(DeliveryNotFound):
        await stage.ack(replace(taken, id="none"))

    assert (await stage.delivery()).state == "leased"


async def test_an_answer_names_delivery_and_lease(stage: Stage) -> None:  # X1
    with pytest.raises(InvalidField) as refused:
        await ack_delivery(stage.db, AckQuery("", "", "x" * 1025))

    assert [problem.field for problem in refused.value.fields] == ["delivery_id", "lease_token", "receipt"]


async def test_a_refused_one_waits_longer_after_every_attempt(stage: Stage, clock: ManualClock) -> None:  # D2
    await outgoing(stage)
    delays = []

    for _ in range(11):
        [taken] = await stage.acquire()
        back = await nack(stage, taken)
        assert back.next_attempt_ms is not None
        delays.append((back.next_attempt_ms - clock.now_ms) // 1000)
        clock.now_ms = back.next_attempt_ms - 1
        assert await stage.acquire() == []
        clock.now_ms += 1

    assert delays == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]
    last = await stage.delivery()
    assert (last.state, last.last_failure, last.attempts) == ("pending", "no network", 11)


async def test_a_provider_that_asks_for_more_time_gets_it(stage: Stage, clock: ManualClock) -> None:  # D2
    await outgoing(stage)
    [taken] = await stage.acquire()

    back = await nack(stage, taken, retry_after_s=90)

    assert back.next_attempt_ms == clock.now_ms + 90_000


async def test_when_it_is_offered_again_is_told_only_after_a_failed_attempt(stage: Stage) -> None:  # D2
    written = await outgoing(stage)
    [taken] = await stage.acquire()
    back = await nack(stage, taken)

    shown = [encode_delivery(each, "main") for each in (written, taken, back)]

    assert [each.HasField("next_attempt_time") for each in shown] == [False, False, True]


async def test_a_repeated_refusal_changes_nothing(stage: Stage, clock: ManualClock) -> None:  # D2
    await outgoing(stage)
    [taken] = await stage.acquire()
    first = await nack(stage, taken)
    clock.advance(seconds=5)

    assert await nack(stage, taken) == first


async def test_a_permanent_refusal_is_the_end(stage: Stage) -> None:  # D1, D2
    await outgoing(stage)
    [taken] = await stage.acquire()

    dead = await nack(stage, taken, "no such number", permanent=True)

    assert (dead.state, dead.last_failure) == ("dead", "no such number")
    assert dead.end_ms is not None
    assert await nack(stage, taken, "no such number", permanent=True) == dead
    with pytest.raises(LeaseLost):
        await stage.ack(taken)
    assert await stage.acquire() == []


async def test_after_a_day_of_failures_it_is_given_up(stage: Stage, clock: ManualClock) -> None:  # D2
    written = await outgoing(stage)
    clock.now_ms = written.give_up_ms - 200
    [taken] = await stage.acquire()

    dead = await nack(stage, taken)

    assert written.give_up_ms - written.created_ms == 24 * 3_600_000
    assert dead.state == "dead"


async def test_one_that_nobody_ever_took_is_given_up_too(stage: Stage, clock: ManualClock) -> None:  # D2
    written = await outgoing(stage)
    clock.now_ms = written.give_up_ms - 1
    assert await sweep_once(stage.db, stage.rules, given_up_deliveries) == 0

    clock.advance(seconds=1)

    assert await sweep_once(stage.db, stage.rules, given_up_deliveries) == 1
    assert (await stage.delivery()).state == "dead"


async def test_a_vanished_gateways_text_is_offered_again_as_possibly_delivered(
    stage: Stage, clock: ManualClock
) -> None:  # D1, D3
    await outgoing(stage)
    [first] = await stage.acquire()
    await vanish(stage, clock)

    assert (await stage.delivery()).state == "unconfirmed"
    [second] = await stage.acquire()

    assert (second.id, second.possibly_delivered, second.attempts) == (first.id, 1, 2)
    assert second.lease_token != first.lease_token
    assert (first.possibly_delivered, second.text) == (0, first.text)


async def test_that_it_may_have_gone_out_is_never_forgotten(stage: Stage, clock: ManualClock) -> None:  # D3
    await outgoing(stage)
    await stage.acquire()
    await vanish(stage, clock)
    [second] = await stage.acquire()
    await nack(stage, second)
    clock.advance(seconds=2)

    [third] = await stage.acquire()

    assert third.possibly_delivered == 1


async def test_a_late_answer_counts_as_long_as_nobody_else_has_the_text(stage: Stage, clock: ManualClock) -> None:  # D2
    await outgoing(stage)
    [taken] = await stage.acquire()
    await vanish(stage, clock)

    assert (await stage.ack(taken, "late")).state == "delivered"


async def test_an_answer_after_somebody_else_took_it_is_refused(stage: Stage, clock: ManualClock) -> None:  # D2
    await outgoing(stage)
    [first] = await stage.acquire()
    await vanish(stage, clock)
    [second] = await stage.acquire()

    with pytest.raises(LeaseLost):
        await stage.ack(first, "late")
    with pytest.raises(LeaseLost):
        await nack(stage, first)

    assert (await stage.ack(second, "mine")).receipt == "mine"


async def test_each_route_is_served_in_order_one_at_a_time(stage: Stage, clock: ManualClock) -> None:  # section 12
    for text in ("one", "two", "three"):
        await outgoing(stage, text)
        clock.advance(seconds=1)
    sent = []

    while taken := await stage.acquire(limit=10):
        [only] = taken
        assert await stage.acquire() == []
        sent.append((await stage.ack(only)).text)

    assert sent == ["one", "two", "three"]


async def test_routes_do_not_wait_for_each_other(stage: Stage) -> None:  # section 12
    await outgoing(stage, "to anna", ANNA)
    await outgoing(stage, "to anna in a thread", replace(ANNA, thread_id="7"))
    await outgoing(stage, "to anna from work", replace(ANNA, account_id="work"))
    await outgoing(stage, "to bert", BERT)

    assert len(await stage.acquire()) == 4


@pytest.mark.parametrize(("retry_after_s", "offered"), [(0, []), (60, []), (61, ["two"])])
async def test_one_that_backs_off_for_more_than_a_minute_no_longer_holds_up_the_next(
    stage: Stage, clock: ManualClock, retry_after_s: int, offered: list[str]
) -> None:  # section 12
    await outgoing(stage, "one")
    clock.advance(seconds=1)
    await outgoing(stage, "two")
    [first] = await stage.acquire()

    await nack(stage, first, retry_after_s=retry_after_s)

    assert [each.text for each in await stage.acquire()] == offered


async def test_an_outcome_lets_the_next_one_go(stage: Stage, clock: ManualClock) -> None:  # section 12
    await outgoing(stage, "one")
    clock.advance(seconds=1)
    await outgoing(stage, "two")
    [first] = await stage.acquire()

    await nack(stage, first, "no such number", permanent=True)

    assert [each.text for each in await stage.acquire()] == ["two"]


async def test_an_unconfirmed_one_goes_before_the_next(stage: Stage, clock: ManualClock) -> None:  # section 12
    await outgoing(stage, "one")
    clock.advance(seconds=1)
    await outgoing(stage, "two")
    await stage.acquire()
    await vanish(stage, clock)

    assert [each.text for each in await stage.acquire()] == ["one"]


async def test_a_gateway_is_given_only_its_channels(stage: Stage) -> None:  # D2
    await outgoing(stage, "to anna", ANNA)
    await outgoing(stage, "to bert", BERT)

    assert [each.text for each in await stage.acquire("telegram", "discord")] == ["to bert"]
    assert await stage.acquire("discord") == []
    assert [each.text for each in await stage.acquire("signal")] == ["to anna"]


async def test_no_more_are_taken_than_asked_for_or_configured(stage: Stage) -> None:  # X6
    for number in range(5):
        await outgoing(stage, route=Route("signal", f"peer {number}"))
    stage.rules = replace(RULES, deliveries=DeliveryRules(max_per_acquire=3))

    assert len(await stage.acquire(limit=1)) == 1
    assert len(await stage.acquire(limit=10)) == 3
    assert len(await stage.acquire()) == 1


@pytest.mark.parametrize(
    ("query", "field"),
    [
        (AcquireQuery(wait_s=56), "wait_seconds"),
        (AcquireQuery(channels=("",)), "channels"),
        (AcquireQuery(channels=("x",) * 101), "channels"),
    ],
    ids=["wait", "blank", "many"],
)
async def test_an_impossible_wish_is_refused_by_its_field(stage: Stage, query: AcquireQuery, field: str) -> None:  # X1
    with pytest.raises(InvalidField) as refused:
        await acquire_deliveries(stage.db, stage.rules, stage.waits, query)

    assert [problem.field for problem in refused.value.fields] == [field]


async def test_a_waiting_gateway_is_woken_by_the_text(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:  # D2
    monkeypatch.setattr("sessiond.gateway.acquire_deliveries.POLL_S", 55)
    query = AcquireQuery(("signal",), wait_s=55)
    polling = asyncio.create_task(acquire_deliveries(stage.db, stage.rules, stage.waits, query))

    await outgoing(stage)  # the poll has looked at least once by then, and found nothing

    async with asyncio.timeout(30):
        [taken] = await polling
    assert taken.delivery.text == "hi"


async def test_whoever_follows_the_run_is_told_of_every_step(stage: Stage) -> None:  # W4
    written = await outgoing(stage)

    with stage.wake.listen(run_topic(written.run_id)) as changed:
        [taken] = await stage.acquire()
        async with asyncio.timeout(30):
            assert await changed.wait_at_most(30)
            changed.clear()
        await stage.ack(taken)
        assert await changed.wait_at_most(30)


async def test_two_gateways_at_once_never_get_the_same_one(stage: Stage) -> None:  # D2
    for number in range(12):
        await outgoing(stage, route=Route("signal", f"peer {number}"))

    answers = await asyncio.gather(*(stage.acquire(limit=3) for _ in range(8)))

    taken = [each.id for answer in answers for each in answer]
    assert len(taken) == len(set(taken)) == 12
    assert {each.attempts for each in await stage.deliveries()} == {1}


async def test_gateways_at_once_keep_the_order_of_a_route(stage: Stage, clock: ManualClock) -> None:  # section 12
    for number in range(6):
        await outgoing(stage, str(number))
        clock.advance(seconds=1)
    sent: list[str] = []

    async def gateway() -> None:
        while len(sent) < 6:
            for taken in await stage.acquire():
                sent.append(taken.text)
                await stage.ack(taken)

    await asyncio.gather(*(gateway() for _ in range(4)))

    assert sent == ["0", "1", "2", "3", "4", "5"]
