"""`serve --workers`: several processes on one port, one service (X4, X5)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest

from sessiond.__main__ import main
from sessiontools.v1 import session_tools_service_pb2 as pb
from sessiontools.v1.session_tools_service_pb2_grpc import SessionToolsServiceStub
from tests.system.server_process import ServerProcess, serving

pytestmark = pytest.mark.parametrize("store_url", ["postgresql"], indirect=True)
LONG_S = 60


@pytest.fixture
async def server(tmp_path: Path, store_url: str) -> AsyncIterator[ServerProcess]:
    async with serving(tmp_path, store_url, "--workers", "2", log={"level": "info"}) as server:
        yield server
        if server.is_running:  # in order, so that no worker is left when the next test empties the store
            await server.stop()


def workers(server: ServerProcess) -> list[psutil.Process]:
    """The processes behind the port."""
    return psutil.Process(server.pid).children()


def serving_ones(server: ServerProcess) -> set[int]:
    """The processes that have the port open for connections."""
    found = set()
    for each in workers(server):
        listening = [one for one in each.net_connections("tcp") if one.status == psutil.CONN_LISTEN]
        if any(one.laddr.port == server.port for one in listening):
            found.add(each.pid)
    return found


async def say(server: ServerProcess, text: str) -> str:
    """Send over a connection of its own and wait for the reply."""
    async with server.channel() as channel:
        request = pb.SessionsSendRequest(session_key="main", message=text, timeout_seconds=LONG_S)
        answer = await SessionToolsServiceStub(channel).SessionsSend(request, wait_for_ready=True, timeout=LONG_S)
        return answer.reply


async def test_both_serve_the_one_port_and_one_store(server: ServerProcess) -> None:
    assert len(serving_ones(server)) == 2

    replies = await asyncio.gather(*(say(server, f"n{number}") for number in range(12)))

    assert replies == [f"echo: n{number}" for number in range(12)]


async def test_a_worker_that_is_killed_is_started_again_and_the_other_goes_on(server: ServerProcess) -> None:  # X2
    victim = workers(server)[0]
    before = serving_ones(server)

    victim.kill()
    replies = [await say(server, f"n{number}") for number in range(6)]

    assert replies == [f"echo: n{number}" for number in range(6)]
    async with asyncio.timeout(LONG_S):
        while len(serving_ones(server)) < 2:
            await say(server, "is it back")
    assert len(serving_ones(server) - before) == 1


async def test_all_drain_together_and_nothing_is_left(server: ServerProcess) -> None:  # X4
    both = workers(server)

    assert await server.stop() == 0

    assert [each for each in both if each.is_running()] == []


async def test_without_their_supervisor_the_workers_end_by_themselves(server: ServerProcess) -> None:
    both = workers(server)

    await server.kill()

    _, alive = await asyncio.to_thread(psutil.wait_procs, both, LONG_S)
    assert alive == []


def test_workers_that_can_not_start_end_the_command(
    tmp_path: Path, store_url: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SESSIONTOOLS_STORE__URL", store_url.replace("dbname=", "") + "_that_is_not_there")

    assert main(["serve", "--workers", "2", "--listen", "127.0.0.1:0"]) == 1

    assert "did not start" in capfd.readouterr().err


def test_sqlite_is_refused_with_the_reason(
    tmp_path: Path, store_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)

    assert main(["serve", "--workers", "2", "--listen", "127.0.0.1:0"]) == 1

    assert "--workers needs PostgreSQL" in capsys.readouterr().err


@pytest.mark.parametrize("number", ["0", "-1", "65", "two", ""])
def test_a_number_of_workers_must_make_sense(store_url: str, number: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["serve", f"--workers={number}"])

    assert "from 1 to 64" in capsys.readouterr().err
