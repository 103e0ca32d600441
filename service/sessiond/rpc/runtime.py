"""RuntimeService: convert, call, convert."""

from __future__ import annotations

from typing import Any

from sessiond.model.rules import Rules
from sessiond.rpc.convert import runs
from sessiond.rpc.convert import runtime as convert
from sessiond.rpc.run_tokens import RunTokens
from sessiond.runtime.acquire_runs import acquire_runs
from sessiond.runtime.append_run_events import append_run_events
from sessiond.runtime.complete_run import complete_run
from sessiond.runtime.heartbeat_runs import heartbeat_runs
from sessiond.runtime.release_run import ReleaseQuery, release_run
from sessiond.store.database import Database
from sessiond.waiting import Waits
from sessiontools.v1 import runtime_service_pb2 as pb
from sessiontools.v1 import runtime_service_pb2_grpc as rpc


class Runtime(rpc.RuntimeServiceServicer):
    """What programs that execute runs may do."""

    def __init__(self, db: Database, rules: Rules, waits: Waits, run_tokens: RunTokens) -> None:
        self._db = db
        self._rules = rules
        self._waits = waits
        self._run_tokens = run_tokens

    async def AcquireRuns(self, request: pb.AcquireRunsRequest, context: Any) -> bytes:  # type: ignore[override]
        taken = await acquire_runs(
            self._db, self._rules, self._waits, convert.acquire_query(request, context.time_remaining())
        )
        return convert.acquired(self._rules, self._run_tokens, taken)

    async def HeartbeatRuns(self, request: pb.HeartbeatRunsRequest, context: Any) -> pb.HeartbeatRunsResponse:
        statuses = await heartbeat_runs(self._db, self._rules, convert.leases_of(request))
        return pb.HeartbeatRunsResponse(leases=[convert.lease_status(each) for each in statuses])

    async def AppendRunEvents(self, request: pb.AppendRunEventsRequest, context: Any) -> pb.AppendRunEventsResponse:
        done = await append_run_events(self._db, self._rules, convert.append_query(request))
        return pb.AppendRunEventsResponse(next_sequence=done.next_sequence, cancel_requested=done.cancel_requested)

    async def CompleteRun(self, request: pb.CompleteRunRequest, context: Any) -> pb.CompleteRunResponse:
        placed = await complete_run(self._db, self._rules, convert.complete_query(request))
        return pb.CompleteRunResponse(run=runs.run(self._rules, convert.NOBODY, placed))

    async def ReleaseRun(self, request: pb.ReleaseRunRequest, context: Any) -> pb.ReleaseRunResponse:
        query = ReleaseQuery(request.lease_token, request.reason)
        placed = await release_run(self._db, self._rules, query)
        return pb.ReleaseRunResponse(run=runs.run(self._rules, convert.NOBODY, placed))
