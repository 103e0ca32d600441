"""The database goes away under a server at work: callers are told, and everything goes on by itself (X3)."""

from __future__ import annotations

import asyncio
import sqlite3
from functools import partial
from pathlib import Path

import grpc
import pytest
from grpc_health.v1 import health_pb2

from sessiontools.v1 import run_pb2
from sessiontools.v1 import session_tools_service_pb2 as pb
from tests.system.checker import check_store
from tests.system.client import Client, retry_after_s, until_answered
from tests.system.own_postgres import own_postgres
from tests.system.server_process import serving

A, B = "agent:main:a", "agent:main:b"
TEST_S = 120
SERVING, NOT_SERVING = health_pb2.HealthCheckResponse.SERVING, health_pb2.HealthCheckResponse.NOT_SERVING
WORDS = [f"word {number}" for number in range(20)]
LONG = "\n".join(["#!", *(f"delta {word}\nsleep 0.1" for word in WORDS), "reply told"])


async def test_while_postgresql_is_away_callers_are_told_and_afterwards_everything_goes_on(tmp_path: Path) -> None:
    with own_postgres() as postgres:
        async with (
            asyncio.timeout(TEST_S),
            serving(tmp_path, postgres.url) as server,
            server.channel() as channel,
            asyncio.TaskGroup() as tasks,
        ):
            client = Client(channel)
            health = aiter(client.health())
            await client.make_sessions(A, B)
            running, queued = [await client.send(A, message) for message in (LONG, "and I?")]
            waits = [tasks.create_task(client.follow(sent.run_id)) for sent in (running, queued)]
            assert await anext(health) == SERVING
            await client.has_begun(running.run_id)

            await postgres.stop()

            assert await anext(health) == NOT_SERVING
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await client.send(B, "hello?", request_id="once")
            assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
            assert retry_after_s(refused.value) > 0

            await postgres.start()

            assert await anext(health) == SERVING
            again = partial(client.send, B, "hello?", request_id="once", timeout_seconds=60)
            sent = await until_answered(again)
            assert sent is not None
            assert sent.reply == "echo: hello?"
            told = [await wait for wait in waits]

        assert [each.ended.run.reply for each in told] == ["told", "echo: and I?"]
        shown = [event.output_delta.text for event in told[0].events if event.HasField("output_delta")]
        assert shown == WORDS
        assert len(check_store(postgres.url).runs) == 3


async def test_a_sqlite_file_that_another_program_has_locked_is_waited_for(tmp_path: Path) -> None:
    file = tmp_path / "test.db"
    async with (
        asyncio.timeout(TEST_S),
        serving(tmp_path, f"sqlite:///{file}") as server,
        server.channel() as channel,
        asyncio.TaskGroup() as tasks,
    ):
        client = Client(channel)
        running = await client.send("main", "#!\ndelta so\nsleep 0.2\ndelta far\nreply so good")
        await client.has_begun(running.run_id)

        other = sqlite3.connect(file, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        sends = [tasks.create_task(client.send("main", f"hello {number}")) for number in range(20)]
        waits = [tasks.create_task(client.follow(running.run_id))]
        _, unanswered = await asyncio.wait([*sends, *waits], timeout=2)
        listed = await client.tools.SessionsList(pb.SessionsListRequest())
        other.execute("COMMIT")
        other.close()

        assert len(listed.sessions) == 1  # reading goes on meanwhile
        assert unanswered == {*sends, *waits}  # so it was locked indeed
        followed = [(await client.follow((await send).run_id)).ended.run.state for send in sends]
        assert followed == [run_pb2.RUN_STATE_SUCCEEDED] * 20
        assert (await waits[0]).ended.run.reply == "so good"
