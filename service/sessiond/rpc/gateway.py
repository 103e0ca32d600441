"""GatewayService: convert, call, convert."""

from __future__ import annotations

from typing import Any

from sessiond.gateway.acquire_deliveries import acquire_deliveries
from sessiond.gateway.answer_delivery import AckQuery, ack_delivery, nack_delivery
from sessiond.gateway.chat_abort import AbortQuery, chat_abort
from sessiond.gateway.chat_send import chat_send
from sessiond.gateway.manage_deliveries import discard_delivery, list_deliveries, retry_delivery
from sessiond.gateway.sessions_delete import sessions_delete
from sessiond.gateway.sessions_patch import sessions_patch
from sessiond.gateway.sessions_reset import sessions_reset
from sessiond.gateway.sessions_resolve import sessions_resolve
from sessiond.model.rules import Rules
from sessiond.rpc.calls import the_caller
from sessiond.rpc.convert import gateway as convert
from sessiond.rpc.convert.runs import run
from sessiond.rpc.convert.sessions import session
from sessiond.store.database import Database
from sessiond.waiting import Waits
from sessiontools.v1 import gateway_service_pb2 as pb
from sessiontools.v1 import gateway_service_pb2_grpc as rpc


class Gateway(rpc.GatewayServiceServicer):
    """What channel gateways and operators may do."""

    def __init__(self, db: Database, rules: Rules, waits: Waits) -> None:
        self._db = db
        self._rules = rules
        self._waits = waits

    async def ChatSend(self, request: pb.ChatSendRequest, context: Any) -> pb.ChatSendResponse:
        answer = await chat_send(self._db, self._rules, the_caller(), convert.chat_query(request))
        return convert.chat_answer(self._rules, answer)

    async def ChatAbort(self, request: pb.ChatAbortRequest, context: Any) -> pb.ChatAbortResponse:
        query = AbortQuery(request.session_key, request.run_id)
        touched, view = await chat_abort(self._db, self._rules, the_caller(), query)
        return pb.ChatAbortResponse(runs=[run(self._rules, view, each) for each in touched])

    async def SessionsPatch(self, request: pb.SessionsPatchRequest, context: Any) -> pb.SessionsPatchResponse:
        found, view = await sessions_patch(self._db, self._rules, the_caller(), convert.patch_query(request))
        return pb.SessionsPatchResponse(session=session(self._rules, view, found))

    async def SessionsReset(self, request: pb.SessionsResetRequest, context: Any) -> pb.SessionsResetResponse:
        answer = await sessions_reset(self._db, self._rules, the_caller(), convert.reset_query(request))
        return convert.reset_answer(self._rules, answer)

    async def SessionsDelete(self, request: pb.SessionsDeleteRequest, context: Any) -> pb.SessionsDeleteResponse:
        deleted = await sessions_delete(self._db, self._rules, the_caller(), convert.delete_query(request))
        return pb.SessionsDeleteResponse(deleted=deleted)

    async def SessionsResolve(self, request: pb.SessionsResolveRequest, context: Any) -> pb.SessionsResolveResponse:
        found, view = await sessions_resolve(self._db, self._rules, the_caller(), convert.resolve_query(request))
        return pb.SessionsResolveResponse(session=session(self._rules, view, found))

    async def AcquireDeliveries(
        self, request: pb.AcquireDeliveriesRequest, context: Any
    ) -> pb.AcquireDeliveriesResponse:
        taken = await acquire_deliveries(
            self._db, self._rules, self._waits, convert.acquire_query(request, context.time_remaining())
        )
        shown = [convert.delivery(self._rules, each, for_holder=True) for each in taken]
        return pb.AcquireDeliveriesResponse(deliveries=shown)

    async def AckDelivery(self, request: pb.AckDeliveryRequest, context: Any) -> pb.AckDeliveryResponse:
        query = AckQuery(request.delivery_id, request.lease_token, request.receipt)
        return pb.AckDeliveryResponse(delivery=convert.delivery(self._rules, await ack_delivery(self._db, query)))

    async def NackDelivery(self, request: pb.NackDeliveryRequest, context: Any) -> pb.NackDeliveryResponse:
        query = convert.nack_query(request)
        return pb.NackDeliveryResponse(delivery=convert.delivery(self._rules, await nack_delivery(self._db, query)))

    async def ListDeliveries(self, request: pb.ListDeliveriesRequest, context: Any) -> pb.ListDeliveriesResponse:
        page = await list_deliveries(self._db, self._rules, the_caller(), convert.list_query(request))
        return pb.ListDeliveriesResponse(
            deliveries=[convert.delivery(self._rules, each) for each in page.deliveries],
            next_page_token=page.next_page_token,
            limit_applied=page.limit_applied,
        )

    async def RetryDelivery(self, request: pb.RetryDeliveryRequest, context: Any) -> pb.RetryDeliveryResponse:
        placed = await retry_delivery(self._db, self._rules, request.delivery_id)
        return pb.RetryDeliveryResponse(delivery=convert.delivery(self._rules, placed))

    async def DiscardDelivery(self, request: pb.DiscardDeliveryRequest, context: Any) -> pb.DiscardDeliveryResponse:
        placed = await discard_delivery(self._db, request.delivery_id)
        return pb.DiscardDeliveryResponse(delivery=convert.delivery(self._rules, placed))
