"""The methods of the three services, as a type checker sees them; the stubs of `sessiontools.v1` make them."""

from __future__ import annotations

from typing import cast

import grpc

from sessiontools.calls import Calls, Stream, Unary
from sessiontools.v1 import gateway_service_pb2 as gateway
from sessiontools.v1 import runtime_service_pb2 as runtime
from sessiontools.v1 import session_tools_service_pb2 as tools
from sessiontools.v1.gateway_service_pb2_grpc import GatewayServiceStub
from sessiontools.v1.runtime_service_pb2_grpc import RuntimeServiceStub
from sessiontools.v1.session_tools_service_pb2_grpc import SessionToolsServiceStub


class Methods:
    """Every method of the contract, under its name; the comments of the stubs tell what each does."""

    # What an agent may do: SessionToolsService.
    SessionsList: Unary[tools.SessionsListRequest, tools.SessionsListResponse]
    SessionsHistory: Unary[tools.SessionsHistoryRequest, tools.SessionsHistoryResponse]
    SessionsSend: Unary[tools.SessionsSendRequest, tools.SessionsSendResponse]
    SessionsSpawn: Unary[tools.SessionsSpawnRequest, tools.SessionsSpawnResponse]
    AgentsList: Unary[tools.AgentsListRequest, tools.AgentsListResponse]
    GetRun: Unary[tools.GetRunRequest, tools.GetRunResponse]
    WaitRun: Stream[tools.WaitRunRequest, tools.WaitRunResponse]
    WaitRuns: Stream[tools.WaitRunsRequest, tools.WaitRunsResponse]
    CancelRun: Unary[tools.CancelRunRequest, tools.CancelRunResponse]

    # Channel gateways and operators: GatewayService.
    ChatSend: Unary[gateway.ChatSendRequest, gateway.ChatSendResponse]
    ChatAbort: Unary[gateway.ChatAbortRequest, gateway.ChatAbortResponse]
    SessionsPatch: Unary[gateway.SessionsPatchRequest, gateway.SessionsPatchResponse]
    SessionsReset: Unary[gateway.SessionsResetRequest, gateway.SessionsResetResponse]
    SessionsDelete: Unary[gateway.SessionsDeleteRequest, gateway.SessionsDeleteResponse]
    SessionsResolve: Unary[gateway.SessionsResolveRequest, gateway.SessionsResolveResponse]
    AcquireDeliveries: Unary[gateway.AcquireDeliveriesRequest, gateway.AcquireDeliveriesResponse]
    AckDelivery: Unary[gateway.AckDeliveryRequest, gateway.AckDeliveryResponse]
    NackDelivery: Unary[gateway.NackDeliveryRequest, gateway.NackDeliveryResponse]
    ListDeliveries: Unary[gateway.ListDeliveriesRequest, gateway.ListDeliveriesResponse]
    RetryDelivery: Unary[gateway.RetryDeliveryRequest, gateway.RetryDeliveryResponse]
    DiscardDelivery: Unary[gateway.DiscardDeliveryRequest, gateway.DiscardDeliveryResponse]

    # Programs that execute runs: RuntimeService.
    AcquireRuns: Unary[runtime.AcquireRunsRequest, runtime.AcquireRunsResponse]
    HeartbeatRuns: Unary[runtime.HeartbeatRunsRequest, runtime.HeartbeatRunsResponse]
    AppendRunEvents: Unary[runtime.AppendRunEventsRequest, runtime.AppendRunEventsResponse]
    CompleteRun: Unary[runtime.CompleteRunRequest, runtime.CompleteRunResponse]
    ReleaseRun: Unary[runtime.ReleaseRunRequest, runtime.ReleaseRunResponse]

    def __init__(self, calls: Calls) -> None:
        channel = cast("grpc.aio.Channel", calls)  # all of it that stubs use
        for stub in (SessionToolsServiceStub, GatewayServiceStub, RuntimeServiceStub):
            vars(self).update(vars(stub(channel)))
