"""`sessiontools send`: one command that sends a message and shows its run to the end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import pytest

from sessiond.__main__ import main
from sessiontools.v1 import session_tools_service_pb2 as pb
from tests.commands.server_thread import Served, served

MANY = 60


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for all tests here."""
    with served(tmp_path_factory.mktemp("send")) as started:
        yield started


class Send(Protocol):
    """Run the command; its exit code and what it printed."""

    def __call__(self, *argv: str, server_at: str = ...) -> tuple[int, list[str], str]:
        """With these arguments."""


@pytest.fixture
def send(server: Served, capsys: pytest.CaptureFixture[str]) -> Send:
    """Run the command; its exit code and what it printed."""

    def sent(*argv: str, server_at: str = server.address) -> tuple[int, list[str], str]:
        code = main(["send", "--server", server_at, *argv])
        out, err = capsys.readouterr()
        return code, out.splitlines(), err

    return sent


def _kinds(lines: list[str]) -> list[str]:
    return [line.split()[0] for line in lines]


def test_it_shows_the_run_from_its_queue_to_its_end(send: Send) -> None:
    code, lines, _ = send("main", "hello")

    assert code == 0
    assert _kinds(lines) == ["sent", "run", "state", "state", "message", "state", "ended"]
    assert lines[-3:] == [
        "message   assistant: echo: hello",
        "state     running -> succeeded (COMPLETED), by runtime",
        "ended     succeeded",
    ]


def test_pieces_of_the_answer_are_shown_when_asked_for(send: Send) -> None:
    script = "#!\ndelta first\ndelta second\nreply done\n"

    _, with_deltas, _ = send("--deltas", "main", script)
    _, without, _ = send("main", script)

    assert [line for line in with_deltas if line.startswith("delta")] == ["delta     first", "delta     second"]
    assert "delta" not in _kinds(without)


def test_a_failed_run_is_a_failed_command(send: Send) -> None:
    code, lines, _ = send("main", "#!\nfail BOOM it broke\n")

    assert code == 1
    assert lines[-1] == "ended     failed: BOOM it broke"


def test_several_lines_of_text_stay_one_line(send: Send) -> None:
    _, lines, _ = send("main", "#!\ntool look {} -> one\\ntwo\x1b[2J\nreply a\\nb\n")

    assert "message   assistant: (calls look)" in lines
    assert "message   tool_result: (look says) one / two?[2J" in lines
    assert "message   assistant: a / b" in lines


def test_who_does_not_wait_only_sends(send: Send) -> None:
    code, lines, _ = send("--no-wait", "main", "hello")

    assert code == 0
    assert _kinds(lines) == ["sent"]


def test_who_waits_for_long_enough_is_told_that_the_run_goes_on(send: Send, server: Served) -> None:
    code, lines, _ = send("--timeout", "1", "main", "#!\nhang\n")

    assert code == 1
    assert lines[-1] == "ended     not waited for any longer; the run is running and goes on"
    run_id = lines[1].split()[1]
    server.tools.CancelRun(pb.CancelRunRequest(run_id=run_id))


def test_it_can_follow_the_whole_exchange(send: Send) -> None:
    code, lines, _ = send("--settled", "main", "hello")

    assert code == 0
    assert "announce  in main" in lines
    assert "delivery  suppressed (NO_ROUTE)" in lines


def test_a_refusal_is_told_with_its_reason(send: Send) -> None:
    code, lines, err = send("agent:main:nowhere", "hello")

    assert (code, lines) == (1, [])
    assert err.startswith("NOT_FOUND: ")
    assert "reason SESSION_NOT_FOUND" in err


@pytest.mark.parametrize("seconds", ["0", "-1", "soon", "1e3", "9999"])
def test_a_timeout_that_is_none_is_refused(send: Send, seconds: str) -> None:
    with pytest.raises(SystemExit) as caught:
        send("--timeout", seconds, "main", "hello")

    assert caught.value.code == 2


def test_a_stream_that_is_cut_goes_on_where_it_was(send: Send, server: Served) -> None:  # W1, W2
    steps = [f"delta {number}\nsleep 0.02" for number in range(MANY)]
    script = "\n".join(["#!", *steps, "reply done"])

    with server.proxied(cut_after=lambda: 2_000) as proxy:
        code, lines, _ = send("--deltas", "main", script, server_at=proxy.address)

    assert code == 0
    assert proxy.cuts > 1
    assert [line.split()[1] for line in lines if line.startswith("delta")] == [str(number) for number in range(MANY)]
    assert _kinds(lines).count("run") == _kinds(lines).count("ended") == 1
