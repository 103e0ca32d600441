"""Requests and answers of GatewayService."""

from __future__ import annotations

from typing import Any

from sessiond.gateway.acquire_deliveries import AcquireQuery
from sessiond.gateway.answer_delivery import NackQuery
from sessiond.gateway.chat_send import ChatAnswer, ChatQuery
from sessiond.gateway.manage_deliveries import ListQuery
from sessiond.gateway.sessions_delete import DeleteQuery
from sessiond.gateway.sessions_patch import PatchQuery
from sessiond.gateway.sessions_reset import ResetAnswer, ResetQuery
from sessiond.gateway.sessions_resolve import ResolveQuery
from sessiond.model.errors import FieldProblem, InvalidField, invalid
from sessiond.model.keys import shown
from sessiond.model.messages import Text
from sessiond.model.rules import Rules
from sessiond.model.runs import cursor_of
from sessiond.rpc.convert import sessions
from sessiond.rpc.convert.enums import CHAT_TYPE, DELIVERY_STATE, POLICY_ACTION
from sessiond.rpc.convert.messages import content_of
from sessiond.rpc.convert.scalars import at_most, before_deadline, count, given, timestamp
from sessiond.store.codec import encode_delivery
from sessiond.store.deliveries import PlacedDelivery
from sessiontools.v1 import delivery_pb2
from sessiontools.v1 import gateway_service_pb2 as pb

MAX_NAMES = 100
_PATCHABLE = frozenset(pb.SessionPatch.DESCRIPTOR.fields_by_name)


def patch_query(request: pb.SessionsPatchRequest) -> PatchQuery:
    """What a SessionsPatch changes: the masked fields, or without a mask those that have a value."""
    at_most(MAX_NAMES, request.update_mask.paths, "update_mask")
    paths = list(request.update_mask.paths) or [field.name for field, _ in request.patch.ListFields()]
    unknown = [path for path in paths if path not in _PATCHABLE]
    if unknown:
        expected = f"not a field of patch; expected one of {', '.join(sorted(_PATCHABLE))}"
        raise InvalidField(*(FieldProblem("update_mask", f"{path!r} is {expected}") for path in unknown))
    values = {path: _patched(request.patch, path) for path in paths}
    return PatchQuery(request.session_key, values, request.allow_missing, request.etag)


def _patched(patch: pb.SessionPatch, path: str) -> Any:
    """A field's new value in the model's terms; None = cleared."""
    if path == "route":
        return sessions.route_of(patch.route) if patch.HasField("route") else None
    if path == "send_policy":
        return POLICY_ACTION.word_or_none(patch.send_policy, "patch.send_policy")
    if path == "chat_type":
        return CHAT_TYPE.word_or_none(patch.chat_type, "patch.chat_type")
    return getattr(patch, path) or None


def chat_query(request: pb.ChatSendRequest) -> ChatQuery:
    """A message from outside."""
    if request.text and request.content:
        raise invalid("content", "give text or content, not both")
    return ChatQuery(
        reference=request.session_key,
        content=content_of(request.content) if request.content else (Text(request.text),),
        is_owner=request.sender.is_owner,
        route=sessions.route_of(request.route) if request.HasField("route") else None,
        chat_type=CHAT_TYPE.word_or_none(request.chat_type, "chat_type"),
        group_subject=request.group_subject,
        deliver=request.deliver if request.HasField("deliver") else True,
        run_timeout_s=given(request, "run_timeout_seconds") or 0,
        request_id=request.request_id,
    )


def chat_answer(rules: Rules, answer: ChatAnswer) -> pb.ChatSendResponse:
    """What became of the message."""
    return pb.ChatSendResponse(
        status=pb.ChatStatus.Value(f"CHAT_STATUS_{answer.status.name}"),
        run_id=answer.run_id,
        session_key=shown(answer.session_key, rules.keys, answer.view.agent_id),
        session_id=answer.session_id,
        message_id=answer.message_id,
        queue_position=count(answer.queue_position),
        command_reply=answer.command_reply,
        cursor=cursor_of(answer.run_id, 1) if answer.run_id else "",
    )


def acquire_query(request: pb.AcquireDeliveriesRequest, deadline_s: float | None) -> AcquireQuery:
    """Which texts a gateway can send."""
    wait_s = before_deadline(given(request, "wait_seconds") or 0, deadline_s)
    at_most(MAX_NAMES, request.channels, "channels")
    return AcquireQuery(tuple(channel.lower() for channel in request.channels), request.max_deliveries, wait_s)


def nack_query(request: pb.NackDeliveryRequest) -> NackQuery:
    """Why a text was not sent."""
    return NackQuery(
        delivery_id=request.delivery_id,
        lease_token=request.lease_token,
        reason=request.reason,
        permanent=request.permanent,
        retry_after_s=given(request, "retry_after_seconds") or 0,
    )


def list_query(request: pb.ListDeliveriesRequest) -> ListQuery:
    """Which deliveries an operator wants to see."""
    at_most(MAX_NAMES, request.states, "states")
    return ListQuery(
        states=tuple(DELIVERY_STATE.word(state, f"states[{at}]") for at, state in enumerate(request.states)),
        exchange_id=request.exchange_id,
        run_id=request.run_id,
        reference=request.session_key,
        limit=given(request, "limit"),
        page_token=request.page_token,
    )


def delivery(rules: Rules, placed: PlacedDelivery, for_holder: bool = False) -> delivery_pb2.Delivery:
    """A delivery; its lease token only for who has just been given it."""
    shown_key = shown(placed.session_key, rules.keys, None)
    converted = encode_delivery(placed.delivery, shown_key)
    if for_holder:
        converted.lease_token = placed.delivery.lease_token
    if placed.delivery.lease_expires_ms is not None:
        converted.lease_expires.CopyFrom(timestamp(placed.delivery.lease_expires_ms))
    return converted


def reset_query(request: pb.SessionsResetRequest) -> ResetQuery:
    """Which session begins anew."""
    return ResetQuery(request.session_key, request.request_id)


def reset_answer(rules: Rules, answer: ResetAnswer) -> pb.SessionsResetResponse:
    """The session in its new generation."""
    session = sessions.session(rules, answer.view, answer.session)
    return pb.SessionsResetResponse(session=session, previous_session_id=answer.previous_session_id)


def delete_query(request: pb.SessionsDeleteRequest) -> DeleteQuery:
    """Which session goes."""
    return DeleteQuery(request.session_key, request.purge)


def resolve_query(request: pb.SessionsResolveRequest) -> ResolveQuery:
    """Which session is meant."""
    return ResolveQuery(request.session_key, request.session_id, request.label, request.agent_id)
