"""SessionToolsService: convert, call, convert.

Long answers are bytes: they are put together from what lies ready in that form, and leave as they are (rpc/guard.py).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any, TypeVar

from sessiond.following import Following, Told
from sessiond.model.rules import Rules
from sessiond.rpc.calls import the_caller
from sessiond.rpc.convert import runs
from sessiond.rpc.convert import session_tools as convert
from sessiond.rpc.convert.redaction import apart
from sessiond.rpc.session_looks import SessionLooks
from sessiond.store.database import Database
from sessiond.tools.agents_list import agents_list
from sessiond.tools.cancel_run import cancel_run
from sessiond.tools.get_run import get_run
from sessiond.tools.sends import Sent
from sessiond.tools.sessions_history import sessions_history
from sessiond.tools.sessions_list import sessions_list
from sessiond.tools.sessions_send import sessions_send
from sessiond.tools.sessions_spawn import sessions_spawn
from sessiond.tools.wait_run import wait_run
from sessiond.tools.wait_runs import wait_runs
from sessiond.waiting import Waits
from sessiontools.v1 import session_tools_service_pb2 as pb
from sessiontools.v1 import session_tools_service_pb2_grpc as rpc

Shown = TypeVar("Shown")


class SessionTools(rpc.SessionToolsServiceServicer):
    """What an agent may do."""

    def __init__(self, db: Database, rules: Rules, waits: Waits) -> None:
        self._db = db
        self._rules = rules
        self._waits = waits
        self._looks = SessionLooks(rules)

    async def SessionsList(self, request: pb.SessionsListRequest, context: Any) -> bytes:  # type: ignore[override]
        query = convert.list_query(request)
        page = await sessions_list(self._db, self._rules, the_caller(), query, self._looks.of_page)
        size = sum(len(body) for bodies in page.messages.values() for body in bodies)
        return await apart(self._rules, page.view, size, lambda: convert.list_page(self._rules, page))

    async def SessionsHistory(self, request: pb.SessionsHistoryRequest, context: Any) -> bytes:  # type: ignore[override]
        page = await sessions_history(self._db, self._rules, the_caller(), convert.history_query(request))
        size = sum(map(len, page.messages))
        return await apart(self._rules, page.view, size, lambda: convert.history_page(self._rules, page))

    async def SessionsSend(self, request: pb.SessionsSendRequest, context: Any) -> bytes:  # type: ignore[override]
        query = convert.send_query(request, context.time_remaining())
        return await sessions_send(self._db, self._rules, self._waits, the_caller(), query, self._sent)

    def _sent(self, sent: Sent) -> bytes:
        return convert.sent(self._rules, sent).SerializeToString()

    async def SessionsSpawn(self, request: pb.SessionsSpawnRequest, context: Any) -> pb.SessionsSpawnResponse:
        answer = await sessions_spawn(self._db, self._rules, the_caller(), convert.spawn_query(request))
        return convert.spawned(self._rules, answer)

    async def AgentsList(self, request: pb.AgentsListRequest, context: Any) -> pb.AgentsListResponse:
        return convert.agents_page(await agents_list(self._db, self._rules, the_caller()))

    async def GetRun(self, request: pb.GetRunRequest, context: Any) -> pb.GetRunResponse:
        query = convert.get_query(request, context.time_remaining())
        placed, view = await get_run(self._db, self._rules, self._waits, the_caller(), query)
        return await apart(self._rules, view, placed.size, lambda: convert.got(self._rules, placed, view))

    def WaitRun(self, request: pb.WaitRunRequest, context: Any) -> AsyncIterator[pb.WaitRunResponse]:
        query = convert.wait_query(request, context.time_remaining())
        following = wait_run(self._db, self._rules, self._waits, the_caller(), query)
        return self._told(following, runs.wait_response)

    def WaitRuns(self, request: pb.WaitRunsRequest, context: Any) -> AsyncIterator[pb.WaitRunsResponse]:
        query = convert.waits_query(request, context.time_remaining())
        following = wait_runs(self._db, self._rules, self._waits, the_caller(), query)
        return self._told(following, runs.waits_response)

    async def _told(
        self, following: Following, shown: Callable[[Rules, Following, Told], Shown]
    ) -> AsyncIterator[Shown]:
        """What the wait tells, as it is shown; apart from the handlers, so that no idle wait holds its request."""
        async for told in following.told():
            yield await apart(self._rules, following.view, told.size, partial(shown, self._rules, following, told))
            del told

    async def CancelRun(self, request: pb.CancelRunRequest, context: Any) -> pb.CancelRunResponse:
        touched, view = await cancel_run(self._db, self._rules, the_caller(), convert.cancel_query(request))
        return pb.CancelRunResponse(runs=[runs.run(self._rules, view, each) for each in touched])
