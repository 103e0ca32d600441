"""No space left for SQLite: writes are refused whole, reads go on, and with space again everything does (X3)."""

from __future__ import annotations

import asyncio
from pathlib import Path

import grpc
import pytest

from sessiontools.v1 import session_tools_service_pb2 as pb
from tests.system.checker import check_store
from tests.system.client import Client, retry_after_s, until_answered
from tests.system.house import text_of
from tests.system.server_process import ServerProcess, serving
from tests.system.small_disk import SmallDisk, small_disk

TEST_S = 120
# More than the file has room for by itself, since a freed page may be used again.
LARGE = "x" * 300_000


async def refused(client: Client, text: str, request_id: str) -> grpc.aio.AioRpcError:
    with pytest.raises(grpc.aio.AioRpcError) as problem:
        await client.send("main", text, request_id=request_id)
    return problem.value


@pytest.mark.parametrize("may_mount", [True, False], ids=["a file system of its own", "a bound on files"])
async def test_while_the_disk_is_full_writes_are_refused_whole_and_reads_go_on(tmp_path: Path, may_mount: bool) -> None:
    with small_disk(tmp_path / "disk", may_mount) as disk:
        url = f"sqlite:///{disk.folder / 'test.db'}"
        async with asyncio.timeout(TEST_S), serving(tmp_path, url) as server, server.channel() as channel:
            client = Client(channel)
            first = await client.send("main", "before", timeout_seconds=60)

            await while_full(disk, server, client)

            again = await until_answered(lambda: client.send("main", LARGE, request_id="once", timeout_seconds=60))
            assert again is not None
            assert (first.reply, again.reply) == ("echo: before", f"echo: {LARGE}")
            assert await server.stop() == 0

        house = check_store(url)
        assert [text_of(house.messages[run.input_place]) for run in house.asked_for] == ["before", LARGE]


async def while_full(disk: SmallDisk, server: ServerProcess, client: Client) -> None:
    disk.fill(server.pid)
    problem = await refused(client, LARGE, "once")
    listed = await client.tools.SessionsList(pb.SessionsListRequest())
    history = await client.history("main")
    disk.free(server.pid)

    assert problem.code() is grpc.StatusCode.UNAVAILABLE
    assert retry_after_s(problem) > 0
    assert len(listed.sessions) == 1
    assert [text_of(message) for message in history] == ["before", "echo: before"]
