"""`sessiontools doctor`: what is wrong is named, and the exit code says whether anything is."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from sessiond.__main__ import main
from sessiond.commands import doctor
from sessiontools.v1 import delivery_pb2
from sessiontools.v1 import gateway_service_pb2 as gateway
from sessiontools.v1 import runtime_service_pb2 as runtime
from tests.serving import EXTERNAL, Served, served

WORK = ("oldest queued run", "oldest expired lease of a run", "oldest open delivery", "dead deliveries")


@pytest.fixture(autouse=True)
def configured(tmp_path: Path, store_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SESSIONTOOLS_STORE__URL", store_url)
    monkeypatch.chdir(tmp_path)


async def examined(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, dict[str, Any]]:
    """The exit code, and every finding by its name."""
    code = await asyncio.to_thread(main, ["doctor", "--json", *args])
    findings = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    return code, {each["check"]: each for each in findings}


def ill(findings: dict[str, Any]) -> set[str]:
    return {name for name, each in findings.items() if not each["is_well"]}


async def chat(server: Served) -> str:
    route = delivery_pb2.Route(channel="telegram", to="1")
    request = gateway.ChatSendRequest(session_key="main", text="hello", route=route)
    return (await server.gateway.ChatSend(request)).run_id


async def test_a_store_at_rest_is_well(tmp_path: Path, store_url: str, capsys: pytest.CaptureFixture[str]) -> None:
    async with served(tmp_path, EXTERNAL, store_url):
        pass

    code, findings = await examined(capsys)

    assert (code, ill(findings)) == (0, set())
    assert set(findings) >= {"store", "schema", "clock", *WORK}


async def test_work_that_waits_too_long_is_named(
    tmp_path: Path, store_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    async with served(tmp_path, EXTERNAL, store_url) as server:
        waiting = await chat(server)

        code, findings = await examined(capsys, "--max-age", "-1")

        assert (code, ill(findings)) == (1, {"oldest queued run"})
        assert waiting in findings["oldest queued run"]["text"]
        (lease,) = (await server.runtime.AcquireRuns(runtime.AcquireRunsRequest(runtime_id="rt"))).runs
        await server.runtime.CompleteRun(runtime.CompleteRunRequest(lease_token=lease.lease_token, reply="hi"))
        code, findings = await examined(capsys, "--max-age", "-1")
        assert (code, ill(findings)) == (1, {"oldest open delivery"})
        assert (await examined(capsys))[0] == 0


async def test_dead_deliveries_are_counted(tmp_path: Path, store_url: str, capsys: pytest.CaptureFixture[str]) -> None:
    async with served(tmp_path, None, store_url) as server:
        await chat(server)
        acquire = gateway.AcquireDeliveriesRequest(wait_seconds=30)
        (delivery,) = (await server.gateway.AcquireDeliveries(acquire)).deliveries
        nack = gateway.NackDeliveryRequest(delivery_id=delivery.id, lease_token=delivery.lease_token, permanent=True)
        await server.gateway.NackDelivery(nack)

    code, findings = await examined(capsys)

    assert (code, ill(findings)) == (1, {"dead deliveries"})
    assert findings["dead deliveries"]["text"].startswith("1;")


async def test_an_unreachable_store_is_named_without_its_password(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SESSIONTOOLS_STORE__URL", "postgresql+psycopg://u:hidden@127.0.0.1:1/none")

    code, findings = await examined(capsys)

    assert (code, ill(findings)) == (1, {"store"})
    assert "hidden" not in str(findings)


async def test_a_database_that_is_not_there_is_not_made_by_looking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SESSIONTOOLS_STORE__URL", "sqlite:///none/at/all.db")

    code, findings = await examined(capsys)

    assert (code, ill(findings)) == (1, {"store"})
    assert not (tmp_path / "none").exists()


async def test_a_schema_of_another_version_is_named_and_left_alone(
    tmp_path: Path, store_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async with served(tmp_path, EXTERNAL, store_url):
        pass
    monkeypatch.setattr(doctor, "known_versions", lambda: ["0001", "9999"])

    code, findings = await examined(capsys)

    assert (code, ill(findings)) == (1, {"schema"})


async def test_clocks_far_apart_are_named(
    tmp_path: Path, store_url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async with served(tmp_path, EXTERNAL, store_url):
        pass
    monkeypatch.setattr(doctor, "MAX_SKEW_S", -1.0)

    assert ill((await examined(capsys))[1]) == {"clock"}


async def test_people_get_lines(tmp_path: Path, store_url: str, capsys: pytest.CaptureFixture[str]) -> None:
    async with served(tmp_path, EXTERNAL, store_url):
        pass

    assert await asyncio.to_thread(main, ["doctor"]) == 0

    assert all(line.startswith("ok   ") for line in capsys.readouterr().out.splitlines())
