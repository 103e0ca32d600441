"""Every call that the matrix makes: how each rpc names a target, and the plain calls of those that name none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message

from sessiontools.v1 import gateway_service_pb2 as gateway
from sessiontools.v1 import run_pb2
from sessiontools.v1 import runtime_service_pb2 as runtime
from sessiontools.v1 import session_tools_service_pb2 as tools
from tests.authority.cast import Target
from tests.authority.rules import Asked

SERVICES = [
    *tools.DESCRIPTOR.services_by_name.values(),
    *gateway.DESCRIPTOR.services_by_name.values(),
    *runtime.DESCRIPTOR.services_by_name.values(),
]
METHODS: dict[str, MethodDescriptor] = {each.name: each for service in SERVICES for each in service.methods}


@dataclass(frozen=True)
class Made:
    """By what a session of the house can be named."""

    key: str
    session_id: str
    old_session_id: str  # of the generation before
    label: str
    run_id: str  # of a finished run


@dataclass(frozen=True)
class Act:
    """One way of calling an rpc; acts of a later `phase` change what those before look at."""

    rpc: str
    way: str
    request: Callable[[Made], Message]
    names: str = "session"
    makes: bool = False
    lists: str = ""
    phase: int = 0

    def __str__(self) -> str:
        return f"{self.rpc} {self.way}".rstrip()

    @property
    def asked(self) -> Asked:
        """As the rules look at it."""
        service = METHODS[self.rpc].containing_service.name
        return Asked(service, self.rpc, self.names, self.way == "by label", self.makes, self.lists)


def _patch(made: Made, allow_missing: bool = False) -> Message:
    patch = gateway.SessionPatch(thinking_level="low")
    return gateway.SessionsPatchRequest(session_key=made.key, patch=patch, allow_missing=allow_missing)


def _send(session_key: str = "", label: str = "") -> Message:
    never = tools.ANNOUNCE_POLICY_NEVER
    return tools.SessionsSendRequest(
        session_key=session_key, label=label, message="hello", timeout_seconds=0, announce=never
    )


READ, RESET, WRITE, DELETE = range(4)
ACTS = (
    Act("SessionsList", "", lambda made: tools.SessionsListRequest(limit=200), lists="live"),
    Act(
        "SessionsList",
        "with the archived",
        lambda made: tools.SessionsListRequest(limit=200, include_archived=True),
        lists="all",
    ),
    Act("SessionsHistory", "by key", lambda made: tools.SessionsHistoryRequest(session_key=made.key)),
    Act("SessionsHistory", "by id", lambda made: tools.SessionsHistoryRequest(session_key=made.session_id)),
    Act("SessionsHistory", "by old id", lambda made: tools.SessionsHistoryRequest(session_key=made.old_session_id)),
    Act("GetRun", "", lambda made: tools.GetRunRequest(run_id=made.run_id), names="run"),
    Act("WaitRun", "", lambda made: tools.WaitRunRequest(run_id=made.run_id, max_wait_seconds=0), names="run"),
    Act(
        "WaitRuns",
        "",
        lambda made: tools.WaitRunsRequest(waits=[run_pb2.RunWait(run_id=made.run_id)], max_wait_seconds=0),
        names="run",
    ),
    # Of a run that has ended: then nothing is changed, and it is refused to whom it is hidden all the same.
    Act("CancelRun", "", lambda made: tools.CancelRunRequest(run_id=made.run_id), names="run"),
    Act("SessionsResolve", "by key", lambda made: gateway.SessionsResolveRequest(session_key=made.key)),
    Act("SessionsResolve", "by id", lambda made: gateway.SessionsResolveRequest(session_id=made.session_id)),
    Act("SessionsResolve", "by old id", lambda made: gateway.SessionsResolveRequest(session_id=made.old_session_id)),
    Act("SessionsResolve", "by label", lambda made: gateway.SessionsResolveRequest(label=made.label)),
    Act("ListDeliveries", "of a session", lambda made: gateway.ListDeliveriesRequest(session_key=made.key)),
    Act("SessionsPatch", "", _patch, phase=RESET),
    Act("SessionsReset", "", lambda made: gateway.SessionsResetRequest(session_key=made.key), phase=RESET),
    Act("SessionsPatch", "or make", lambda made: _patch(made, allow_missing=True), makes=True, phase=WRITE),
    # By label first: a message to an archived session brings it back to life.
    Act("SessionsSend", "by label", lambda made: _send(label=made.label), phase=WRITE),
    Act("SessionsSend", "by key", lambda made: _send(session_key=made.key), phase=WRITE),
    Act(
        "ChatSend",
        "",
        lambda made: gateway.ChatSendRequest(session_key=made.key, text="hello", deliver=False),
        makes=True,
        phase=WRITE,
    ),
    Act("ChatAbort", "", lambda made: gateway.ChatAbortRequest(session_key=made.key), phase=WRITE),
    Act("SessionsDelete", "", lambda made: gateway.SessionsDeleteRequest(session_key=made.key), phase=DELETE),
)


@dataclass(frozen=True)
class PlainCall:
    """A call that names no session and no run; `otherwise` is how it ends for whoever may make it."""

    request: Message
    otherwise: str = "OK"


NO_LEASE = "x"
PLAIN = {
    "SessionsSpawn": PlainCall(tools.SessionsSpawnRequest(task="dig")),
    "AgentsList": PlainCall(tools.AgentsListRequest()),
    "AcquireDeliveries": PlainCall(gateway.AcquireDeliveriesRequest(channels=["nowhere"])),
    "AckDelivery": PlainCall(gateway.AckDeliveryRequest(delivery_id="x", lease_token=NO_LEASE), "DELIVERY_NOT_FOUND"),
    "NackDelivery": PlainCall(gateway.NackDeliveryRequest(delivery_id="x", lease_token=NO_LEASE), "DELIVERY_NOT_FOUND"),
    "RetryDelivery": PlainCall(gateway.RetryDeliveryRequest(delivery_id="x"), "DELIVERY_NOT_FOUND"),
    "DiscardDelivery": PlainCall(gateway.DiscardDeliveryRequest(delivery_id="x"), "DELIVERY_NOT_FOUND"),
    "AcquireRuns": PlainCall(runtime.AcquireRunsRequest(runtime_id="rt", agent_ids=["nobody"])),
    "HeartbeatRuns": PlainCall(runtime.HeartbeatRunsRequest(leases=[NO_LEASE])),
    "AppendRunEvents": PlainCall(runtime.AppendRunEventsRequest(lease_token=NO_LEASE), "LEASE_LOST"),
    "CompleteRun": PlainCall(runtime.CompleteRunRequest(lease_token=NO_LEASE, reply="x"), "LEASE_LOST"),
    "ReleaseRun": PlainCall(runtime.ReleaseRunRequest(lease_token=NO_LEASE), "LEASE_LOST"),
}


def plain_asked(rpc: str) -> Asked:
    """A plain call, as the rules look at it."""
    return Asked(METHODS[rpc].containing_service.name, rpc, otherwise=PLAIN[rpc].otherwise)


NO_TARGET = Target("", "", "main", is_own=True)


def tells(answer: Any, act: Act, made: Made) -> bool:
    """Whether an answer speaks of the session or run that was named, where answers do."""
    match act.rpc:
        case "SessionsHistory":
            return bool(answer.session_id == (made.old_session_id if act.way == "by old id" else made.session_id))
        case "SessionsResolve":
            return bool(answer.session.session_id == made.session_id)
        case "GetRun":
            return bool(answer.run.id == made.run_id)
        case "WaitRun" | "WaitRuns":
            return bool(answer.snapshot.run.id == made.run_id)
        case "CancelRun":
            return [run.id for run in answer.runs] == [made.run_id]
        case _:
            return True
