"""Sessions as the contract shows them."""

from __future__ import annotations

from sessiond.access import View
from sessiond.model.keys import shown
from sessiond.model.rules import Rules
from sessiond.model.sessions import Route, Session, channel_of, display_name_of, key_channel, key_chat_type
from sessiond.model.visibility import Scope
from sessiond.rpc.convert.enums import CHAT_TYPE, POLICY_ACTION, RUN_STATE, SESSION_KIND
from sessiond.rpc.convert.scalars import count_or_none, timestamp, timestamp_or_none
from sessiontools.v1 import delivery_pb2, session_pb2


def session(rules: Rules, view: View, stored: Session) -> session_pb2.Session:
    """A session as this caller sees it, without messages (L6).

    Depends on nothing but the configuration, the stored row and the view's agent: see rpc/session_looks.py.
    """
    agent_id = view.agent_id
    kind = stored.kind
    model = stored.model or rules.model_of(stored.agent_id)
    return session_pb2.Session(
        key=shown(stored.key, rules.keys, agent_id),
        kind=SESSION_KIND.number(kind),
        channel=channel_of(kind, key_channel(stored.key), stored.route_channel),
        display_name=display_name_of(stored),
        label=stored.label,
        agent_id=stored.agent_id,
        updated_at=timestamp(stored.updated_ms),
        created_at=timestamp(stored.created_ms),
        session_id=stored.session_id,
        model=model,
        context_tokens=count_or_none(stored.context_tokens or rules.context_tokens.get(model)),
        total_tokens=count_or_none(stored.total_tokens),
        thinking_level=stored.thinking_level,
        verbose_level=stored.verbose_level,
        system_sent=bool(stored.system_sent),
        aborted_last_run=bool(stored.aborted_last_run),
        send_policy=POLICY_ACTION.number(stored.send_policy) if stored.send_policy else None,
        last_channel=stored.route_channel,
        last_to=stored.route_to,
        delivery_context=route(stored.route),
        chat_type=CHAT_TYPE.number(stored.chat_type or key_chat_type(stored.key)),
        transcript_path=rules.transcript_of(stored.session_id),
        spawned_by=shown(stored.spawned_by, rules.keys, agent_id) if stored.spawned_by else "",
        sandboxed=bool(stored.sandboxed),
        archived_at=timestamp_or_none(stored.archived_ms),
        active_run_id=stored.active_run_id,
        active_run_state=RUN_STATE.number(stored.active_run_state),
        etag=stored.etag,
        group_subject=stored.group_subject,
    )


def route(stored: Route | None) -> delivery_pb2.Route | None:
    """Where texts go."""
    if stored is None:
        return None
    return delivery_pb2.Route(
        channel=stored.channel, to=stored.to, account_id=stored.account_id, thread_id=stored.thread_id
    )


def route_of(given: delivery_pb2.Route) -> Route:
    """The model's route."""
    return Route(given.channel.lower(), given.to, given.account_id, given.thread_id)


def visibility(scope: Scope) -> session_pb2.Visibility:
    """What was visible to the caller, and why (L7)."""
    return session_pb2.Visibility(
        scope=scope.name,
        sandbox_clamped=scope.sandbox_clamped,
        agent_to_agent_enabled=scope.agent_to_agent,
        restricted=scope.is_restricted,
    )
