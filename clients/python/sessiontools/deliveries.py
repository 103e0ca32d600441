"""The loop of a gateway's sending half."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from math import ceil
from typing import TYPE_CHECKING, Any, NoReturn

from sessiontools.errors import SessionToolsError
from sessiontools.pauses import Clock
from sessiontools.taking import POLL_SECONDS, POLL_TIMEOUT_S, Taking, persist
from sessiontools.texts import told, valid
from sessiontools.v1.delivery_pb2 import Delivery
from sessiontools.v1.error_reason_pb2 import ERROR_REASON_DELIVERY_NOT_FOUND, ERROR_REASON_LEASE_LOST
from sessiontools.v1.gateway_service_pb2 import AckDeliveryRequest, AcquireDeliveriesRequest, NackDeliveryRequest

if TYPE_CHECKING:
    from sessiontools.client import Client

# An outcome that cannot be told for so long is told too late: the lease has ended.
TELL_TIMEOUT_S = 30
# The server stores texts of outcomes up to this length.
MAX_OUTCOME_TEXT = 1024
log = logging.getLogger("sessiontools")
Call = Callable[[], Awaitable[Any]]
Send = Callable[[Delivery], Awaitable[str]]


class DeliveryError(Exception):
    """Raised by the function that sends a text, to tell when to try again."""

    def __init__(self, reason: str, *, permanent: bool = False, retry_after: float = 0) -> None:
        """`reason` is for people, `permanent` is true when no later attempt can succeed.

        `retry_after` is in how many seconds to offer the delivery again at the earliest, 0 for the usual delay.
        """
        super().__init__(reason)
        self.reason, self.permanent, self.retry_after = reason, permanent, retry_after


class Gateway:
    """One call of `serve_deliveries`. A send is never cancelled: half of one is neither a success nor a failure."""

    def __init__(self, client: Client, clock: Clock, send: Send, channels: Sequence[str], max_deliveries: int) -> None:
        self._client, self._clock, self._send = client, clock, send
        self._request = AcquireDeliveriesRequest(channels=channels, wait_seconds=POLL_SECONDS)
        self._taking = Taking(clock, max_deliveries, self._ask, self._deliver, stop=lambda: None)

    async def serve(self) -> NoReturn:
        """Until cancelled or refused; the sends under way are finished."""
        await self._taking.serve()

    async def _ask(self, at_most: int) -> Sequence[Delivery]:
        self._request.max_deliveries = at_most
        return (await self._client.AcquireDeliveries(self._request, timeout=POLL_TIMEOUT_S)).deliveries

    async def _deliver(self, delivery: Delivery) -> None:
        [outcome] = await asyncio.gather(self._sent(delivery), return_exceptions=True)
        try:
            async with asyncio.timeout(TELL_TIMEOUT_S):
                await persist(self._clock, self._telling(delivery, outcome))
        except TimeoutError:  # it is offered again, as possibly delivered
            log.warning("the outcome of delivery %s could not be stored in time", delivery.id)
        except SessionToolsError as refusal:
            if not is_gone(refusal):
                raise
            log.warning("the outcome of delivery %s was not stored: %s", delivery.id, refusal)

    async def _sent(self, delivery: Delivery) -> str:
        return cut(await self._send(delivery))

    def _telling(self, delivery: Delivery, outcome: str | BaseException) -> Call:
        if isinstance(outcome, BaseException):
            return partial(self._client.NackDelivery, nack_of(delivery, outcome))
        ack = AckDeliveryRequest(delivery_id=delivery.id, lease_token=delivery.lease_token, receipt=outcome)
        return partial(self._client.AckDelivery, ack)


def nack_of(delivery: Delivery, problem: BaseException) -> NackDeliveryRequest:
    """What is told of a text that was not sent."""
    nack = NackDeliveryRequest(delivery_id=delivery.id, lease_token=delivery.lease_token)
    if isinstance(problem, DeliveryError):
        nack.reason, nack.permanent = cut(problem.reason), problem.permanent
        if problem.retry_after > 0:
            nack.retry_after_seconds = ceil(problem.retry_after)
    else:
        log.error("delivery %s was not sent", delivery.id, exc_info=problem)
        nack.reason = cut(told(problem))
    return nack


def cut(text: str) -> str:
    """A text within what the server stores, since an outcome is not to be refused for its length."""
    return valid(text)[:MAX_OUTCOME_TEXT]


def is_gone(refusal: SessionToolsError) -> bool:
    """Whether somebody else has the delivery by now, or nobody."""
    return refusal.has_reason(ERROR_REASON_LEASE_LOST) or refusal.has_reason(ERROR_REASON_DELIVERY_NOT_FOUND)
