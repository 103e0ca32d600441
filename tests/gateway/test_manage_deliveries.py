"""ListDeliveries, RetryDelivery and DiscardDelivery: an operator's hands on the outbox (D3)."""

from __future__ import annotations

from pathlib import Path

import grpc
import pytest

from sessiond.app import running
from sessiond.gateway.answer_delivery import NackQuery, nack_delivery
from sessiond.gateway.manage_deliveries import (
    DeliveryPage,
    ListQuery,
    discard_delivery,
    list_deliveries,
    retry_delivery,
)
from sessiond.model.deliveries import Delivery, DeliveryState
from sessiond.model.errors import (
    DeliveryNotFound,
    DeliveryStateRefused,
    InvalidField,
    LeaseLost,
    PageTokenInvalid,
    SessionNotFound,
)
from sessiond.settings import load
from sessiond.worker.sweep import sweep_once, unanswered_deliveries
from sessiontools.v1 import gateway_service_pb2 as pb
from sessiontools.v1 import gateway_service_pb2_grpc as rpc
from tests.exchanges.stage import GROUP, MAIN, Stage
from tests.fakes.clock import ManualClock
from tests.making import OWNER, make_session
from tests.rpc.serving import error_info, rich_status

pytest_plugins = ("tests.exchanges.fixtures",)


@pytest.fixture
async def stage(stage: Stage) -> Stage:
    await make_session(stage.db, MAIN)
    await make_session(stage.db, GROUP)
    return stage


async def announced(stage: Stage, text: str = "told") -> Delivery:
    """An announcement on its way out."""
    await stage.send("ask", max_turns=0)
    await stage.turns("round one", text)
    return (await stage.deliveries())[-1]


async def dead(stage: Stage) -> Delivery:
    await announced(stage)
    [taken] = await stage.acquire()
    query = NackQuery(taken.id, taken.lease_token, "no such group", permanent=True)
    return (await nack_delivery(stage.db, query)).delivery


async def unconfirmed(stage: Stage, clock: ManualClock) -> Delivery:
    await announced(stage)
    await stage.acquire()
    clock.advance(seconds=31)
    await sweep_once(stage.db, stage.rules, unanswered_deliveries)
    return await stage.delivery()


async def listed(stage: Stage, query: ListQuery) -> DeliveryPage:
    return await list_deliveries(stage.db, stage.rules, OWNER, query)


def texts(page: DeliveryPage) -> list[str]:
    return [each.delivery.text for each in page.deliveries]


async def test_the_newest_come_first_page_by_page(stage: Stage, clock: ManualClock) -> None:  # D3
    for number in range(5):
        await announced(stage, str(number))
        clock.advance(seconds=number % 2)  # some are of the same time

    seen, token = [], ""
    while True:
        page = await listed(stage, ListQuery(limit=2, page_token=token))
        seen += texts(page)
        if not (token := page.next_page_token):
            break

    assert seen[0] == "4"
    assert sorted(seen) == ["0", "1", "2", "3", "4"]


async def test_a_page_token_is_bound_to_its_filters(stage: Stage) -> None:  # L2
    await announced(stage)
    await announced(stage)
    page = await listed(stage, ListQuery(limit=1))

    with pytest.raises(PageTokenInvalid):
        await listed(stage, ListQuery(states=(DeliveryState.DEAD,), page_token=page.next_page_token))


@pytest.mark.parametrize(("asked", "applied"), [(None, 100), (0, 100), (7, 7), (500, 200)])
async def test_the_limit_is_clamped_and_told(stage: Stage, asked: int | None, applied: int) -> None:  # D3
    assert (await listed(stage, ListQuery(limit=asked))).limit_applied == applied


async def test_filters_keep_what_matches_all_of_them(stage: Stage) -> None:  # D3
    first = await announced(stage, "one")
    await stage.acquire()
    second = await announced(stage, "two")

    assert texts(await listed(stage, ListQuery(states=(DeliveryState.LEASED,)))) == ["one"]
    assert texts(await listed(stage, ListQuery(exchange_id=second.exchange_id))) == ["two"]
    assert texts(await listed(stage, ListQuery(run_id=first.run_id))) == ["one"]
    assert len(texts(await listed(stage, ListQuery(reference=GROUP)))) == 2
    assert texts(await listed(stage, ListQuery(reference=MAIN))) == []
    assert texts(await listed(stage, ListQuery((DeliveryState.LEASED,), run_id=second.run_id))) == []
    with pytest.raises(SessionNotFound):
        await listed(stage, ListQuery(reference="agent:main:nothing"))


async def test_a_dead_one_is_brought_back_and_offered_at_once(stage: Stage, clock: ManualClock) -> None:  # D3
    found = await dead(stage)
    clock.advance(minutes=60 * 48)

    back = (await retry_delivery(stage.db, stage.rules, found.id)).delivery

    assert (back.state, back.end_ms) == ("pending", None)
    assert back.give_up_ms == clock.now_ms + 24 * 3_600_000
    [taken] = await stage.acquire()
    assert (taken.id, taken.possibly_delivered) == (found.id, 0)


async def test_an_exchange_is_open_again_while_its_dead_delivery_is_tried(stage: Stage) -> None:  # D3, W4
    found = await dead(stage)
    assert (await stage.exchange(found.exchange_id)).is_settled

    await retry_delivery(stage.db, stage.rules, found.id)
    assert not (await stage.exchange(found.exchange_id)).is_settled

    [taken] = await stage.acquire()
    await stage.ack(taken)
    assert (await stage.exchange(found.exchange_id)).is_settled


async def test_an_unconfirmed_one_that_is_retried_is_still_possibly_delivered(stage: Stage, clock: ManualClock) -> None:
    found = await unconfirmed(stage, clock)  # D3

    back = (await retry_delivery(stage.db, stage.rules, found.id)).delivery

    assert (back.state, back.possibly_delivered) == ("pending", 1)


@pytest.mark.parametrize("state", ["pending", "leased", "delivered", "suppressed"])
async def test_only_a_dead_or_unconfirmed_one_can_be_retried(stage: Stage, state: str) -> None:  # D3
    found = await announced(stage, "ANNOUNCE_SKIP" if state == "suppressed" else "told")
    if state in ("leased", "delivered"):
        [taken] = await stage.acquire()
        if state == "delivered":
            await stage.ack(taken)

    with pytest.raises(DeliveryStateRefused) as refused:
        await retry_delivery(stage.db, stage.rules, found.id)

    assert refused.value.facts == {"state": state}


@pytest.mark.parametrize("state", ["pending", "leased", "unconfirmed", "dead"])
async def test_a_discarded_one_is_over_for_good(stage: Stage, clock: ManualClock, state: str) -> None:  # D3
    if state == "dead":
        found = await dead(stage)
    elif state == "unconfirmed":
        found = await unconfirmed(stage, clock)
    else:
        found = await announced(stage)
        if state == "leased":
            [found] = await stage.acquire()
    assert found.state == state

    gone = (await discard_delivery(stage.db, found.id)).delivery

    assert (gone.state, gone.suppressed_reason) == ("suppressed", "DISCARDED")
    assert (await stage.exchange(found.exchange_id)).is_settled
    assert await stage.acquire() == []
    with pytest.raises(DeliveryStateRefused):
        await discard_delivery(stage.db, found.id)
    with pytest.raises(DeliveryStateRefused):
        await retry_delivery(stage.db, stage.rules, found.id)


async def test_whoever_holds_a_discarded_one_is_told_that_it_is_lost(stage: Stage) -> None:  # D3
    await announced(stage)
    [taken] = await stage.acquire()
    await discard_delivery(stage.db, taken.id)

    with pytest.raises(LeaseLost):
        await stage.ack(taken)


async def test_an_unknown_delivery_is_not_found(stage: Stage) -> None:  # X1
    with pytest.raises(DeliveryNotFound):
        await retry_delivery(stage.db, stage.rules, "none")
    with pytest.raises(InvalidField):
        await discard_delivery(stage.db, "")


async def test_gateways_may_not_list_retry_or_discard(tmp_path: Path) -> None:  # D3, V6
    tokens = [
        {"name": "gate", "role": "gateway", "token": "gate-token-0123456789"},
        {"name": "olivia", "role": "owner", "token": "owner-token-0123456789"},
    ]
    flags = {"server.listen": "127.0.0.1:0", "store.dataDir": str(tmp_path), "auth.tokens": tokens}
    settings = load(None, {}, flags).settings
    gate = (("authorization", "Bearer gate-token-0123456789"),)
    owner = (("authorization", "Bearer owner-token-0123456789"),)
    async with running(settings) as app, grpc.aio.insecure_channel(f"127.0.0.1:{app.port}") as channel:
        stub = rpc.GatewayServiceStub(channel)
        calls = (
            stub.ListDeliveries(pb.ListDeliveriesRequest(), metadata=gate),
            stub.RetryDelivery(pb.RetryDeliveryRequest(delivery_id="none"), metadata=gate),
            stub.DiscardDelivery(pb.DiscardDeliveryRequest(delivery_id="none"), metadata=gate),
        )
        reasons = [error_info(await rich_status(call)).reason for call in calls]
        page = await stub.ListDeliveries(pb.ListDeliveriesRequest(), metadata=owner)

    assert reasons == ["ROLE_DENIED"] * 3
    assert list(page.deliveries) == []
