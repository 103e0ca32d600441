"""Work that is left undone for too long shows in the health of `sessiontools.work`, and only there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from sessiond.worker import store_watch
from sessiontools.v1 import runtime_service_pb2 as runtime
from sessiontools.v1 import session_tools_service_pb2 as tools
from tests.serving import EXTERNAL, served

SERVING = health_pb2.HealthCheckResponse.SERVING
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING


async def test_old_work_is_told_until_it_is_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store_watch.watch_work, "__defaults__", (0.02,))
    async with served(tmp_path, {**EXTERNAL, "server": {"maxWorkAgeSeconds": 0.05}}) as server:
        health: Any = health_pb2_grpc.HealthStub(server.channel)
        watch = health.Watch(health_pb2.HealthCheckRequest(service="sessiontools.work"))
        assert (await watch.read()).status == SERVING

        await server.tools.SessionsSend(tools.SessionsSendRequest(session_key="main", message="x", timeout_seconds=0))

        assert (await watch.read()).status == NOT_SERVING
        assert (await health.Check(health_pb2.HealthCheckRequest())).status == SERVING
        await server.runtime.AcquireRuns(runtime.AcquireRunsRequest(runtime_id="rt"))
        assert (await watch.read()).status == SERVING
        watch.cancel()
