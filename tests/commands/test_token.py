"""`sessiontools token new`: what it prints works, and what is kept of it is a hash (V1)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sessiond.__main__ import main
from sessiontools.v1 import session_tools_service_pb2 as tools
from tests.serving import bearer, served


def made(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[str, dict[str, str]]:
    """The token and its entry, from what is printed."""
    assert main(["token", "new", *args]) == 0
    _, token, _, entry = capsys.readouterr().out.splitlines()
    return token.strip(), json.loads(entry)


async def test_the_token_opens_the_door_of_a_server_with_its_entry(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    token, entry = made(capsys, "telegram", "--role", "gateway")

    assert token not in str(entry)
    async with served(tmp_path, {"auth": {"tokens": [entry]}}) as server:
        answer = await server.tools.SessionsList(tools.SessionsListRequest(), metadata=bearer(token))

    assert answer.limit_applied == 100


def test_no_two_tokens_are_alike(capsys: pytest.CaptureFixture[str]) -> None:
    tokens = {made(capsys, "a", "--role", "owner")[0] for _ in range(20)}

    assert len(tokens) == 20
    assert all(len(each) > 40 for each in tokens)


@pytest.mark.parametrize("args", [["a"], ["a", "--role", "king"], ["--role", "owner"]])
def test_a_name_and_a_known_role_are_needed(args: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["token", "new", *args])

    assert ended.value.code == 2
    assert "usage:" in capsys.readouterr().err
