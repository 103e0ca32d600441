"""Sessions that send to each other and wait: the send that would close the circle is refused at once (S5)."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from sessiontools.v1 import run_pb2, runtime_service_pb2_grpc
from sessiontools.v1 import runtime_service_pb2 as runtime_pb
from tests.system.client import Client
from tests.system.server_process import serving

TEST_S = 60  # a send that waits for a circle would wait for an hour
AN_HOUR = 3600
RINGS = [["agent:main:alone"], ["agent:main:a", "agent:main:b"], ["agent:main:x", "agent:main:y", "agent:main:z"]]
TWO_AGENTS = {"agents": {"list": [{"id": "main"}, {"id": "far", "runtime": "external"}]}}


async def test_a_send_around_a_ring_of_any_length_is_refused_and_nobody_hangs(store_url: str, tmp_path: Path) -> None:
    async with asyncio.timeout(TEST_S), serving(tmp_path, store_url) as server, server.channel() as channel:
        client = Client(channel)
        for ring in RINGS:
            await client.make_sessions(*ring)

            sent = await client.send(ring[0], _around(*ring[1:], ring[0]), timeout_seconds=AN_HOUR)

            assert sent.run.state == run_pb2.RUN_STATE_SUCCEEDED
            *others, [last] = [await _answers_of(client, key) for key in ring]
            assert [each["status"] for own in others for each in own] == ["SEND_STATUS_OK"] * (len(ring) - 1)
            assert last["reason"] == "WAIT_CYCLE"
            assert all(key in last["error"] for key in ring)


async def test_of_two_sessions_that_send_to_each_other_at_once_one_is_refused(store_url: str, tmp_path: Path) -> None:
    config = {**TWO_AGENTS, "tools": {"agentToAgent": {"enabled": True}}}
    async with asyncio.timeout(TEST_S), serving(tmp_path, store_url, **config) as server, server.channel() as channel:
        client, runtime = Client(channel), runtime_service_pb2_grpc.RuntimeServiceStub(channel)
        one, other = RINGS[1]
        await client.make_sessions(one, other)
        start = (await client.send("agent:far:main", "both wait for this run")).run_id
        pairs = ((one, other), (other, one))
        sent = [(await client.send(mine, _around(its, after=start))).run_id for mine, its in pairs]
        for run_id in sent:
            await client.is_running(run_id)

        taken = await runtime.AcquireRuns(runtime_pb.AcquireRunsRequest(runtime_id="test", max_runs=1))
        await runtime.CompleteRun(runtime_pb.CompleteRunRequest(lease_token=taken.runs[0].lease_token, reply="go"))
        told = [await client.follow(run_id) for run_id in sent]

        assert [each.ended.run.state for each in told] == [run_pb2.RUN_STATE_SUCCEEDED] * 2
        answers = [(await _answers_of(client, key))[1] for key in (one, other)]
        assert sorted(each.get("reason") or each["status"] for each in answers) == ["SEND_STATUS_OK", "WAIT_CYCLE"]


def _around(*keys: str, after: str = "") -> str:
    """A script that sends to the first of these sessions, which sends to the next, and so on; each waits."""
    if not keys:
        return "#!\nreply arrived"
    wait = {"run_id": after, "wait_seconds": 60}
    first = [f"call get_run {json.dumps(wait)}"] if after else []
    send = {"session_key": keys[0], "message": _around(*keys[1:]), "timeout_seconds": AN_HOUR}
    last = f"call sessions_send {json.dumps({**send, 'announce': 'ANNOUNCE_POLICY_NEVER'})}"
    return "\n".join(["#!", *first, last, "reply done"])


async def _answers_of(client: Client, key: str) -> list[Any]:
    """What the session's own calls were answered, in order."""
    blocks = [block for message in await client.history(key) for block in message.content]
    return [json.loads(block.tool_result.text) for block in blocks if block.HasField("tool_result")]
