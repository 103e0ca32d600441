"""`sessiontools keys`: new keys while servers run, and old tokens that go on (V1)."""

from __future__ import annotations

import asyncio
from pathlib import Path

import jwt
import pytest

from sessiond.__main__ import main
from sessiontools.v1 import runtime_service_pb2 as runtime
from sessiontools.v1 import session_tools_service_pb2 as tools
from tests.serving import EXTERNAL, Served, bearer, served


async def run_token(server: Served, key: str) -> str:
    request = tools.SessionsSendRequest(agent_id=key, message="hello", timeout_seconds=0)
    await server.tools.SessionsSend(request)
    answer = await server.runtime.AcquireRuns(runtime.AcquireRunsRequest(runtime_id="rt", wait_seconds=30))
    return answer.runs[0].run_token


async def test_a_rotation_under_way_breaks_no_token_on_either_side_of_it(
    tmp_path: Path, store_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:  # X5: another server on the same store, started later, signs with the new key
    monkeypatch.setenv("SESSIONTOOLS_STORE__URL", store_url)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other").mkdir()
    async with served(tmp_path, EXTERNAL, store_url) as old:
        before = await run_token(old, "main")

        assert await asyncio.to_thread(main, ["keys", "rotate"]) == 0

        name = capsys.readouterr().out.split(" key ")[1].split()[0]
        async with served(tmp_path / "other", EXTERNAL, store_url) as new:
            after = await run_token(new, "ops")
            assert jwt.get_unverified_header(after)["kid"] == name != jwt.get_unverified_header(before)["kid"]
            for server in (old, new):
                for token in (before, after):
                    await server.tools.SessionsList(tools.SessionsListRequest(), metadata=bearer(token))


async def test_keys_are_listed_by_name_and_never_shown(
    tmp_path: Path, store_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SESSIONTOOLS_STORE__URL", store_url)
    monkeypatch.chdir(tmp_path)
    for _ in range(2):
        await asyncio.to_thread(main, ["keys", "rotate"])
    capsys.readouterr()

    assert await asyncio.to_thread(main, ["keys", "list"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert all(" made 20" in each for each in lines)
