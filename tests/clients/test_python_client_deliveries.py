"""The Python client's serve_deliveries: the loop of a gateway's sending half."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from grpc import StatusCode

from sessiontools import DeliveryError, SessionToolsError, deliveries
from sessiontools.deliveries import Send
from sessiontools.pauses import Clock
from sessiontools.v1 import gateway_service_pb2 as pb
from sessiontools.v1.delivery_pb2 import Delivery
from tests.clients.python_serving import PATIENCE_S, InstantClock, LongPolls, Refusal, connected, reason

RESTARTING = Refusal(StatusCode.UNAVAILABLE, "restarting")
DENIED = Refusal(StatusCode.PERMISSION_DENIED, "not a gateway", (reason("ROLE_DENIED"),))


class FakeGateways:
    """Hands out deliveries, and notes what becomes of them."""

    def __init__(self, *ids: str, refusals: tuple[Refusal, ...] = ()) -> None:
        self.deliveries = LongPolls(*ids)
        self.refusals = [*refusals]  # of AckDelivery and NackDelivery, before they answer
        self.poll_refusals: list[Refusal] = []
        self.polls: asyncio.Queue[pb.AcquireDeliveriesRequest] = asyncio.Queue()
        self.outcomes: asyncio.Queue[str] = asyncio.Queue()

    async def AcquireDeliveries(self, request: Any, context: Any) -> pb.AcquireDeliveriesResponse:  # noqa: N802
        self.polls.put_nowait(request)
        if self.poll_refusals:
            await self.poll_refusals.pop(0).abort(context)
        taken = await self.deliveries.poll()
        return pb.AcquireDeliveriesResponse(
            deliveries=[Delivery(id=each, lease_token="lease", text="hello") for each in taken]  # noqa: S106 - of a fake
        )

    async def AckDelivery(self, request: pb.AckDeliveryRequest, context: Any) -> pb.AckDeliveryResponse:  # noqa: N802
        await self._note(f"ack {request.delivery_id} {request.lease_token} {request.receipt}", context)
        return pb.AckDeliveryResponse()

    async def NackDelivery(self, request: pb.NackDeliveryRequest, context: Any) -> pb.NackDeliveryResponse:  # noqa: N802
        after = request.retry_after_seconds if request.HasField("retry_after_seconds") else "usual"
        await self._note(f"nack {request.reason} {request.permanent} {after}", context)
        return pb.NackDeliveryResponse()

    async def _note(self, outcome: str, context: Any) -> None:
        if self.refusals:
            refusal = self.refusals.pop(0)
            self.outcomes.put_nowait(refusal.code.name)
            await refusal.abort(context)
        self.outcomes.put_nowait(outcome)


async def sent(delivery: Delivery) -> str:
    return f"receipt of {delivery.text}"


def fails(problem: BaseException) -> Send:
    async def send(delivery: Delivery) -> str:
        raise problem

    return send


@asynccontextmanager
async def serving(
    fake: FakeGateways, send: Send, clock: Clock | None = None, **options: Any
) -> AsyncIterator[asyncio.Task[Any]]:
    """A gateway of this fake, whose pauses take no time."""
    async with connected(fake, clock) as client:
        task = asyncio.create_task(client.serve_deliveries(send, **options))
        try:
            yield task
        finally:
            fake.deliveries.end()
            task.cancel()
            await asyncio.wait([task], timeout=PATIENCE_S)


async def outcomes(fake: FakeGateways, send: Send, count: int = 1) -> list[str]:
    """What a gateway tells first."""
    async with serving(fake, send, max_deliveries=1):
        return [await fake.outcomes.get() for _ in range(count)]


@pytest.mark.parametrize(
    ("problem", "outcome"),
    [
        pytest.param(OSError("no network"), "nack OSError: no network False usual", id="any exception"),
        pytest.param(DeliveryError("no such peer", permanent=True), "nack no such peer True usual", id="never to be"),
        pytest.param(DeliveryError("slow down", retry_after=1.5), "nack slow down False 2", id="later"),
        pytest.param(DeliveryError("ü" * 2000), f"nack {'ü' * 1024} False usual", id="a long sentence"),
        pytest.param(DeliveryError("a\ud800"), "nack a\ufffd False usual", id="not encodable"),
        pytest.param(asyncio.CancelledError(), "nack CancelledError False usual", id="a cancellation of its own"),
    ],
)
async def test_a_failed_send_is_told(problem: BaseException, outcome: str) -> None:  # D2
    assert await outcomes(FakeGateways("1"), fails(problem)) == [outcome]


async def test_a_send_is_told_with_its_receipt() -> None:  # D2
    assert await outcomes(FakeGateways("1"), sent) == ["ack 1 lease receipt of hello"]


async def test_an_outcome_is_told_again_after_a_restart() -> None:
    fake = FakeGateways("1", refusals=(RESTARTING,))

    assert await outcomes(fake, sent, 2) == ["UNAVAILABLE", "ack 1 lease receipt of hello"]


@pytest.mark.parametrize("why", ["LEASE_LOST", "DELIVERY_NOT_FOUND"])
async def test_a_delivery_that_is_gone_does_not_stop_the_gateway(why: str) -> None:  # D1
    gone = Refusal(StatusCode.FAILED_PRECONDITION, "gone", (reason(why),))
    fake = FakeGateways("1", "2", refusals=(gone,))

    assert await outcomes(fake, sent, 2) == ["FAILED_PRECONDITION", "ack 2 lease receipt of hello"]


async def test_an_outcome_that_cannot_be_told_in_time_does_not_stop_the_gateway(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:  # D1
    fake = FakeGateways("1", "2")

    async def too_late_once(delivery: Delivery) -> str:
        monkeypatch.setattr(deliveries, "TELL_TIMEOUT_S", 0 if delivery.id == "1" else 30)
        return "receipt"

    assert await outcomes(fake, too_late_once) == ["ack 2 lease receipt"]
    assert "the outcome of delivery 1 could not be stored in time" in caplog.messages


async def test_a_gateway_that_is_refused_stops() -> None:  # V6
    fake = FakeGateways()
    fake.poll_refusals = [DENIED]
    async with serving(fake, sent) as gateway:
        with pytest.raises(SessionToolsError, match="ROLE_DENIED"):
            await asyncio.shield(gateway)


async def test_a_gateway_whose_outcome_is_refused_stops() -> None:  # V6
    fake = FakeGateways("1", refusals=(DENIED,))
    async with serving(fake, sent) as gateway:
        assert await fake.outcomes.get() == "PERMISSION_DENIED"
        fake.deliveries.end()
        with pytest.raises(SessionToolsError, match="ROLE_DENIED"):
            await asyncio.shield(gateway)


async def test_it_asks_for_its_channels_and_as_much_as_it_has_places() -> None:
    fake = FakeGateways("1")
    has_begun, may_end = asyncio.Event(), asyncio.Event()

    async def slow(delivery: Delivery) -> str:
        has_begun.set()
        await may_end.wait()
        return "receipt"

    async with serving(fake, slow, channels=["telegram"]):
        await has_begun.wait()
        polls = [await fake.polls.get() for _ in range(2)]
        may_end.set()

    assert [poll.max_deliveries for poll in polls] == [10, 9]
    assert ([*polls[0].channels], polls[0].wait_seconds) == (["telegram"], 5)


async def test_a_send_under_way_is_finished_at_the_end() -> None:  # X4
    fake = FakeGateways("1")
    has_begun, may_end = asyncio.Event(), asyncio.Event()

    async def slow(delivery: Delivery) -> str:
        has_begun.set()
        await may_end.wait()
        return "receipt"

    async with serving(fake, slow) as gateway:
        await has_begun.wait()
        gateway.cancel()
        fake.deliveries.end()
        may_end.set()

        assert await fake.outcomes.get() == "ack 1 lease receipt"
        await asyncio.wait([gateway])

    assert gateway.cancelled()


async def test_what_the_last_poll_brings_is_sent() -> None:  # X4
    fake = FakeGateways()
    async with serving(fake, sent) as gateway:
        await fake.polls.get()
        gateway.cancel()
        fake.deliveries.put("1")

        assert await fake.outcomes.get() == "ack 1 lease receipt of hello"
        await asyncio.wait([gateway])

    assert gateway.cancelled()


async def test_pauses_between_polls_double_until_one_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random, "random", lambda: 0.5)
    clock, fake = InstantClock(), FakeGateways("1")
    fake.poll_refusals = [RESTARTING, RESTARTING]

    async def refused_after(delivery: Delivery) -> str:
        fake.poll_refusals = [RESTARTING]
        return "receipt"

    async with serving(fake, refused_after, clock.as_clock(), max_deliveries=1):
        for _ in range(5):
            await fake.polls.get()

    assert clock.pauses == [0.1, 0.2, 0.1]


async def test_a_pause_does_not_delay_the_end() -> None:
    fake, pausing = FakeGateways(), asyncio.Event()
    fake.poll_refusals = [RESTARTING]

    async def sleep(pause: float) -> None:
        pausing.set()
        await asyncio.Event().wait()

    async with connected(fake, Clock(sleep=sleep)) as client:
        gateway = asyncio.create_task(client.serve_deliveries(sent))
        await pausing.wait()
        gateway.cancel()
        await asyncio.wait([gateway])

    assert gateway.cancelled()
