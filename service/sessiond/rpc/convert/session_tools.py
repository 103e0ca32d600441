"""Requests and answers of SessionToolsService."""

from __future__ import annotations

from sessiond.access import View
from sessiond.following import Follow
from sessiond.model.errors import invalid
from sessiond.model.exchanges import AnnouncePolicy
from sessiond.model.keys import shown
from sessiond.model.rules import Rules
from sessiond.model.runs import RunState, cursor_of
from sessiond.model.waits import WaitMode, WaitUntil
from sessiond.rpc.convert import redaction, runs, sessions, wire
from sessiond.rpc.convert.enums import ANNOUNCE_POLICY, SESSION_KIND, WAIT_MODE, WAIT_UNTIL
from sessiond.rpc.convert.scalars import at_most, count, given
from sessiond.store.runs import PlacedRun
from sessiond.tools.agents_list import AgentsPage
from sessiond.tools.cancel_run import CancelQuery
from sessiond.tools.get_run import GetQuery
from sessiond.tools.sends import SendQuery, Sent
from sessiond.tools.sessions_history import HistoryPage, HistoryQuery
from sessiond.tools.sessions_list import ListPage, ListQuery
from sessiond.tools.sessions_spawn import DELETE, KEEP, Spawned, SpawnQuery
from sessiond.tools.wait_run import WaitQuery
from sessiond.tools.wait_runs import WaitsQuery
from sessiontools.v1 import agent_pb2, session_pb2
from sessiontools.v1 import session_tools_service_pb2 as pb

MAX_HEARTBEAT_S = 60
MAX_NAMES = 100
_SESSIONS = wire.number_of(pb.SessionsListResponse, "sessions")
_SESSION_MESSAGES = wire.number_of(session_pb2.Session, "messages")
_MESSAGES = wire.number_of(pb.SessionsHistoryResponse, "messages")


def list_query(request: pb.SessionsListRequest) -> ListQuery:
    """What a SessionsList asks for."""
    at_most(MAX_NAMES, request.kinds, "kinds")
    return ListQuery(
        kinds=tuple(SESSION_KIND.word(kind, f"kinds[{at}]") for at, kind in enumerate(request.kinds)),
        limit=given(request, "limit"),
        active_minutes=given(request, "active_minutes"),
        message_limit=given(request, "message_limit"),
        page_token=request.page_token,
        include_archived=request.include_archived,
        agent_id=request.agent_id,
        label=request.label,
    )


def list_page(rules: Rules, page: ListPage[bytes]) -> bytes:
    """A page of sessions, a serialised SessionsListResponse."""
    rest = pb.SessionsListResponse(
        next_page_token=page.next_page_token,
        limit_applied=page.limit_applied,
        visibility=sessions.visibility(page.view.scope),
    )
    listed = _with_messages(rules, page) if page.messages else page.sessions
    return wire.with_entries(rest.SerializeToString(), _SESSIONS, listed)


def _with_messages(rules: Rules, page: ListPage[bytes]) -> list[bytes]:
    """The sessions of a page, their last messages added to those that have any."""
    listed = []
    for (row_id, *_), session in zip(page.rows, page.sessions, strict=True):
        masked = redaction.is_masked(rules, page.view, row_id)
        bodies = [redaction.message_body(body, masked=masked) for body in page.messages.get(row_id, ())]
        listed.append(wire.with_entries(session, _SESSION_MESSAGES, bodies))
    return listed


def history_query(request: pb.SessionsHistoryRequest) -> HistoryQuery:
    """What a SessionsHistory asks for."""
    return HistoryQuery(request.session_key, given(request, "limit"), request.include_tools, request.page_token)


def history_page(rules: Rules, page: HistoryPage) -> bytes:
    """A page of a transcript, a serialised SessionsHistoryResponse."""
    masked = redaction.is_masked(rules, page.view, page.session.id)
    bodies = [redaction.message_body(body, masked=True) for body in page.messages] if masked else page.messages
    rest = pb.SessionsHistoryResponse(
        session_key=shown(page.session.key, rules.keys, page.view.agent_id),
        session_id=page.session_id,
        next_page_token=page.next_page_token,
        has_more=bool(page.next_page_token),
        total_messages=count(page.total_messages),
        limit_applied=page.limit_applied,
    )
    return wire.with_entries(rest.SerializeToString(), _MESSAGES, bodies)


def send_query(request: pb.SessionsSendRequest, deadline_s: float | None) -> SendQuery:
    """What a SessionsSend stores and waits for."""
    return SendQuery(
        message=request.message,
        session_key=request.session_key,
        label=request.label,
        agent_id=request.agent_id,
        timeout_s=given(request, "timeout_seconds"),
        max_turns=given(request, "max_ping_pong_turns"),
        announce=ANNOUNCE_POLICY.word_or_none(request.announce, "announce") or AnnouncePolicy.MODEL_MAY_SKIP,
        request_id=request.request_id,
        deadline_s=deadline_s,
    )


def sent(rules: Rules, answer: Sent) -> pb.SessionsSendResponse:
    """What was stored and what the wait brought (S4)."""
    status, error = _status_of(answer)
    run, placed, route = answer.placed.run, answer.placed, answer.route
    announces = answer.announce is not AnnouncePolicy.NEVER
    response = pb.SessionsSendResponse(
        run_id=run.id,
        status=status,
        reply=run.reply if status == pb.SEND_STATUS_OK else None,
        error=error,
        session_key=shown(placed.session_key, rules.keys, answer.view.agent_id),
        session_id=placed.session_id,
        message_id=answer.message_id,
        exchange_id=answer.exchange_id,
        queue_position=count(placed.queue_position),
        blocking_run_id=placed.blocking_run_id,
        cursor=cursor_of(run.id, placed.told),
        announce_route=sessions.route(route) if route else None,
        no_route_reason="NO_ROUTE" if announces and route is None else "",
        max_ping_pong_turns=answer.max_turns,
    )
    runs.put_run(response.run, rules, answer.view, placed)
    return response


def _status_of(answer: Sent) -> tuple[pb.SendStatus.ValueType, str]:
    run = answer.placed.run
    if not answer.waited:
        return pb.SEND_STATUS_ACCEPTED, ""
    if run.state == RunState.SUCCEEDED:
        return pb.SEND_STATUS_OK, ""
    if run.is_final:
        return pb.SEND_STATUS_ERROR, f"run {run.state}: {run.failure_message or run.failure_reason}"
    text = (
        f"the message is stored and run {run.id} goes on; wait for it with WaitRun and this cursor, do not send again"
    )
    return pb.SEND_STATUS_TIMEOUT, text


def spawn_query(request: pb.SessionsSpawnRequest) -> SpawnQuery:
    """A task for a new sub-agent."""
    cleanup = {pb.CLEANUP_UNSPECIFIED: KEEP, pb.CLEANUP_KEEP: KEEP, pb.CLEANUP_DELETE: DELETE}
    if request.cleanup not in cleanup:
        raise invalid("cleanup", f"{request.cleanup} is not one of keep, delete")
    return SpawnQuery(
        task=request.task,
        label=request.label,
        agent_id=request.agent_id,
        model=request.model,
        run_timeout_s=given(request, "run_timeout_seconds") or 0,
        cleanup=cleanup[request.cleanup],
        request_id=request.request_id,
    )


def spawned(rules: Rules, answer: Spawned) -> pb.SessionsSpawnResponse:
    """The child and its run, with the values in effect."""
    run = answer.placed.run
    return pb.SessionsSpawnResponse(
        status=pb.SPAWN_STATUS_ACCEPTED,
        run_id=run.id,
        child_session_key=answer.child.key,
        child_session_id=answer.placed.session_id,
        exchange_id=answer.exchange_id,
        model=run.model,
        run_timeout_seconds=count(run.timeout_ms // 1000),
        sandboxed=bool(answer.child.sandboxed),
        cursor=cursor_of(run.id, 1),
        announce_route=sessions.route(answer.route),
    )


def get_query(request: pb.GetRunRequest, deadline_s: float | None) -> GetQuery:
    """Which run, and how long to wait for news of it."""
    return GetQuery(request.run_id, given(request, "wait_seconds") or 0, request.known_version, deadline_s)


def got(rules: Rules, placed: PlacedRun, view: View) -> pb.GetRunResponse:
    """The run as it is now."""
    cursor = cursor_of(placed.run.id, placed.told)
    return pb.GetRunResponse(run=runs.run(rules, view, placed), cursor=cursor)


def wait_query(request: pb.WaitRunRequest, deadline_s: float | None) -> WaitQuery:
    """Which run to follow, from where and how."""
    return WaitQuery(request.run_id, request.cursor, _follow(request, WaitMode.ALL, deadline_s))


def waits_query(request: pb.WaitRunsRequest, deadline_s: float | None) -> WaitsQuery:
    """Which runs to follow, from where and how."""
    at_most(MAX_NAMES, request.waits, "waits")
    mode = WAIT_MODE.word_or_none(request.mode, "mode") or WaitMode.ANY
    named = tuple((each.run_id, each.cursor) for each in request.waits)
    return WaitsQuery(named, _follow(request, mode, deadline_s))


def _follow(request: pb.WaitRunRequest | pb.WaitRunsRequest, mode: WaitMode, deadline_s: float | None) -> Follow:
    heartbeat = given(request, "heartbeat_seconds")
    if heartbeat is not None and not 1 <= heartbeat <= MAX_HEARTBEAT_S:
        raise invalid("heartbeat_seconds", f"is not from 1 to {MAX_HEARTBEAT_S}; leave it unset for 15")
    return Follow(
        until=WAIT_UNTIL.word_or_none(request.until, "until") or WaitUntil.REPLY,
        mode=mode,
        max_wait_s=given(request, "max_wait_seconds"),
        heartbeat_s=heartbeat or 15,
        include_deltas=request.include_deltas,
        deadline_s=deadline_s,
    )


def cancel_query(request: pb.CancelRunRequest) -> CancelQuery:
    """Which run to stop."""
    return CancelQuery(request.run_id, request.reason, request.keep_children, request.request_id)


def agents_page(page: AgentsPage) -> pb.AgentsListResponse:
    """The agents a caller may spawn under."""
    return pb.AgentsListResponse(
        requester_agent_id=page.requester_id,
        allow_any=page.allow_any,
        agents=[
            agent_pb2.AgentInfo(
                id=agent.id,
                name=agent.name,
                configured=agent.is_configured,
                is_default=agent.is_default,
                allowed_by=agent.allowed_by,
            )
            for agent in page.agents
        ],
    )
