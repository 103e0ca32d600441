"""SIGTERM: everything open is ended in its own way, nothing is lost, and the process is gone in time (X4)."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from grpc_health.v1 import health_pb2

from sessiontools.v1 import gateway_service_pb2 as gateway_pb
from sessiontools.v1 import run_pb2, runtime_service_pb2_grpc
from sessiontools.v1 import runtime_service_pb2 as runtime_pb
from sessiontools.v1 import session_tools_service_pb2 as pb
from tests.rpc.serving import rest
from tests.system.checker import check_store
from tests.system.client import Client
from tests.system.server_process import READY, serving

TEST_S = 120
GRACE_S = 30  # far more than it takes; what is still open then would be cut
# Answers once a file is there, so that a run lasts until the test wants it to end.
PATIENT = 'cat > /dev/null; until [ -e "$0" ]; do sleep 0.05; done; echo told'


async def test_a_drain_ends_every_wait_releases_what_runs_and_the_next_start_goes_on(
    store_url: str, tmp_path: Path
) -> None:
    async with asyncio.timeout(TEST_S), serving(tmp_path, store_url, **_patient(tmp_path / "go")) as server:
        async with server.channel() as channel:
            client = Client(channel)
            run_id, behind = [(await client.send("main", message)).run_id for message in ("hello", "and I?")]
            await client.is_running(run_id)
            polls = asyncio.gather(*_long_polls(client, channel, run_id))
            waits = [await _open_wait(client, each) for each in (run_id, behind)]
            health = aiter(client.health())
            assert await anext(health) == health_pb2.HealthCheckResponse.SERVING

            assert await server.stop(within_s=GRACE_S) == 0

            assert [each async for each in health] == [health_pb2.HealthCheckResponse.NOT_SERVING]
            ends = [(await rest(wait))[-1].ended.reason for wait in waits]
            assert ends == [run_pb2.END_REASON_DRAINING] * 2
            send, get, deliveries, runs = await polls
        assert (send.status, send.run.state) == (pb.SEND_STATUS_TIMEOUT, run_pb2.RUN_STATE_QUEUED)
        assert get.run.state == run_pb2.RUN_STATE_RUNNING
        assert not deliveries.deliveries
        assert not runs.runs
        assert server.lines == [f"{READY}{server.address}"]
        house = check_store(store_url)
        assert [run.state for run in house.runs.values()] == ["queued"] * 3

        (tmp_path / "go").touch()
        await server.start()
        async with server.channel() as channel:
            told = [(await Client(channel).follow(each)).ended.run for each in (run_id, behind)]
    assert [(run.reply, run.attempt) for run in told] == [("told", 1)] * 2


async def test_a_server_that_drains_under_load_loses_no_run(store_url: str, tmp_path: Path) -> None:
    keys = [f"agent:main:k{number}" for number in range(10)]
    scripts = [f"#!\nsleep 0.0{number}\nreply done" for number in range(6)]
    async with asyncio.timeout(TEST_S), serving(tmp_path, store_url) as server:
        async with server.channel() as channel:
            client = Client(channel)
            await client.make_sessions(*keys)
            sent = [(await client.send(key, script)).run_id for script in scripts for key in keys]
            await client.follow(sent[0])

        assert await server.stop(within_s=GRACE_S) == 0
        await server.start()

        async with server.channel() as channel:
            told = [(await Client(channel).follow(run_id)).ended.run for run_id in sent]
        assert await server.stop(within_s=GRACE_S) == 0
    assert [(run.reply, run.attempt) for run in told] == [("done", 1)] * len(sent)
    check_store(store_url)


def _patient(file: Path) -> dict[str, Any]:
    """Configuration in which every run waits for the file."""
    models = {"patient": {"provider": "command", "command": ["/bin/sh", "-c", PATIENT, str(file)]}}
    agents = {"list": [{"id": "main", "model": "patient"}]}
    return {"models": models, "agents": agents, "server": {"drainGraceSeconds": GRACE_S}}


def _long_polls(client: Client, channel: Any, run_id: str) -> list[Any]:
    """One of every unary call that waits."""
    runtime = runtime_service_pb2_grpc.RuntimeServiceStub(channel)
    return [
        client.send("main", "hello", timeout_seconds=3600),
        client.tools.GetRun(pb.GetRunRequest(run_id=run_id, wait_seconds=60)),
        client.gateway.AcquireDeliveries(gateway_pb.AcquireDeliveriesRequest(max_deliveries=1, wait_seconds=50)),
        runtime.AcquireRuns(runtime_pb.AcquireRunsRequest(runtime_id="far", max_runs=1, wait_seconds=50)),
    ]


async def _open_wait(client: Client, run_id: str) -> Any:
    """A wait that has told how the run stands, and goes on."""
    wait: Any = client.tools.WaitRun(pb.WaitRunRequest(run_id=run_id))
    assert (await wait.read()).HasField("snapshot")
    return wait
