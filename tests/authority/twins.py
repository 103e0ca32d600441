"""Twins: a call that names something hidden, and the same call with a name of nothing."""

from __future__ import annotations

import base64
import uuid
from collections.abc import Iterator

from google.protobuf.message import Message

from sessiond.model.paging import page_token
from sessiontools.v1 import gateway_service_pb2 as gateway
from sessiontools.v1 import run_pb2
from sessiontools.v1 import session_tools_service_pb2 as tools
from tests.authority.acts import ACTS, Act, Made
from tests.authority.cast import Caller, Setting, Target, targets_of
from tests.authority.house import House, absent
from tests.authority.rules import admitted, sees


def cursor_of(run_id: str) -> str:
    """A cursor as whoever could see the run would have got it: opaque, but no secret."""
    return base64.urlsafe_b64encode(f"{run_id}:1".encode()).decode().rstrip("=")


def _send(session_key: str = "", label: str = "", agent_id: str = "", request_id: str = "") -> Message:
    request = tools.SessionsSendRequest(session_key=session_key, label=label, agent_id=agent_id, request_id=request_id)
    request.message, request.timeout_seconds = "hello", 0
    return request


def _page(made: Made) -> Message:
    """With a token as whoever could see the transcript would have got it."""
    token = page_token([1], made.session_id, False)
    return tools.SessionsHistoryRequest(session_key=made.key, page_token=token)


def _chat(made: Made, text: str, is_owner: bool) -> gateway.ChatSendRequest:
    return gateway.ChatSendRequest(session_key=made.key, text=text, sender=gateway.Sender(is_owner=is_owner))


def _agent_of(made: Made) -> str:
    return made.key.split(":")[1]


# Calls whose other fields might give something away, beside those of the matrix.
MORE = (
    Act("SessionsList", "of a label", lambda made: tools.SessionsListRequest(label=made.label, include_archived=True)),
    Act("SessionsHistory", "of a page", _page),
    Act("SessionsSend", "by id", lambda made: _send(session_key=made.session_id)),
    Act("SessionsSend", "by old id", lambda made: _send(session_key=made.old_session_id)),
    Act("SessionsSend", "by label and agent", lambda made: _send(label=made.label, agent_id=_agent_of(made))),
    Act("SessionsSend", "by key and agent", lambda made: _send(session_key=made.key, agent_id=_agent_of(made))),
    Act("SessionsSend", "once", lambda made: _send(session_key=made.key, request_id=str(uuid.uuid4()))),
    Act("SessionsSend", "and wait", lambda made: tools.SessionsSendRequest(message="hello", session_key=made.key)),
    Act("GetRun", "and wait", lambda made: tools.GetRunRequest(run_id=made.run_id, wait_seconds=60), names="run"),
    Act(
        "WaitRun",
        "from a cursor",
        lambda made: tools.WaitRunRequest(run_id=made.run_id, cursor=cursor_of(made.run_id)),
        names="run",
    ),
    Act(
        "WaitRun",
        "from another's cursor",
        lambda made: tools.WaitRunRequest(run_id=made.run_id, cursor=cursor_of("x")),
        names="run",
    ),
    Act(
        "WaitRun",
        "until it is settled",
        lambda made: tools.WaitRunRequest(run_id=made.run_id, until=run_pb2.WAIT_UNTIL_SETTLED),
        names="run",
    ),
    Act(
        "WaitRuns",
        "from cursors",
        lambda made: tools.WaitRunsRequest(
            waits=[run_pb2.RunWait(run_id=made.run_id, cursor=cursor_of(made.run_id)), run_pb2.RunWait(run_id="x")]
        ),
        names="run",
    ),
    Act(
        "CancelRun",
        "once",
        lambda made: tools.CancelRunRequest(run_id=made.run_id, request_id=str(uuid.uuid4())),
        names="run",
    ),
    Act("ChatSend", "a command", lambda made: _chat(made, "/send off", is_owner=True)),
    Act("ChatSend", "another's command", lambda made: _chat(made, "/send off", is_owner=False)),
    Act("ChatSend", "to stop", lambda made: _chat(made, "/stop", is_owner=True)),
    Act("ChatAbort", "by id", lambda made: gateway.ChatAbortRequest(session_key=made.session_id)),
    Act(
        "ChatAbort",
        "of a run",
        lambda made: gateway.ChatAbortRequest(session_key=made.key, run_id=made.run_id),
    ),
    # The session is the caller's own; the run is not of it.
    Act(
        "ChatAbort",
        "of a run elsewhere",
        lambda made: gateway.ChatAbortRequest(session_key="agent:main:telegram:direct:ann", run_id=made.run_id),
    ),
    Act("SessionsPatch", "by id", lambda made: gateway.SessionsPatchRequest(session_key=made.session_id)),
    Act("SessionsPatch", "of an etag", lambda made: gateway.SessionsPatchRequest(session_key=made.key, etag="x")),
    Act("SessionsReset", "by id", lambda made: gateway.SessionsResetRequest(session_key=made.session_id)),
    Act(
        "SessionsReset",
        "once",
        lambda made: gateway.SessionsResetRequest(session_key=made.key, request_id=str(uuid.uuid4())),
    ),
    Act("SessionsDelete", "by id", lambda made: gateway.SessionsDeleteRequest(session_key=made.session_id)),
    Act("SessionsDelete", "for good", lambda made: gateway.SessionsDeleteRequest(session_key=made.key, purge=True)),
    Act(
        "SessionsResolve",
        "by label and agent",
        lambda made: gateway.SessionsResolveRequest(label=made.label, agent_id=_agent_of(made)),
    ),
)


def hidden_from(setting: Setting, caller: Caller) -> list[Target]:
    """What there is, and this caller may not see."""
    return [each for each in targets_of(caller) if each.exists and not sees(setting, caller.place, each)]


def calls_of(setting: Setting, caller: Caller) -> list[Act]:
    """What the caller may try."""
    named = [act for act in (*ACTS, *MORE) if not act.lists]
    return [act for act in named if not admitted(setting, caller, act.asked)]


def twins_of(house: House, hidden: Target, act: Act) -> Iterator[tuple[str, Made]]:
    """The hidden one, and names of nothing: of the same agent and, where that is no answer in itself, of no agent."""
    yield "hidden", house.made[hidden.made_as]
    yield "absent", absent(hidden.agent, len(house.made[hidden.made_as].key))
    if act.rpc != "ChatSend":  # it makes sessions, and says which agents it can't make one for
        yield "absent, of no agent", absent("nobody")
