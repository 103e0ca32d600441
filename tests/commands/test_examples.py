"""The example programs, each as a process of its own against a real server."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sessiontools.v1 import delivery_pb2, gateway_service_pb2, run_pb2
from sessiontools.v1 import session_tools_service_pb2 as pb
from tests.commands.server_thread import Served, served

EXAMPLES = Path(__file__).parents[2] / "examples" / "python"
BUILDER = "agent:builder:main"
GROUP = "agent:main:telegram:group:friends"
PATIENCE_S = 60
AGENTS = {"list": [{"id": "main", "default": True}, {"id": "builder", "runtime": "external"}]}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for all tests here."""
    with served(tmp_path_factory.mktemp("examples"), agents=AGENTS) as started:
        yield started


@contextmanager
def _example(name: str, server: Served, *argv: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, str(EXAMPLES / name), "--server", server.address, *argv]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        watchdog = threading.Timer(PATIENCE_S, process.kill)  # who waits for a line of it then reads none
        watchdog.start()
        try:
            yield process
        finally:
            watchdog.cancel()
            process.kill()


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().rstrip("\n")


def _send(server: Served, text: str, timeout_s: int) -> pb.SessionsSendResponse:
    request = pb.SessionsSendRequest(session_key=BUILDER, message=text, timeout_seconds=timeout_s)
    request.announce = pb.ANNOUNCE_POLICY_NEVER
    answer: pb.SessionsSendResponse = server.tools.SessionsSend(request)
    return answer


def _until(server: Served, run_id: str, kind: str) -> Iterator[pb.WaitRunResponse]:
    """The events of a run up to the first of a kind."""
    request = pb.WaitRunRequest(run_id=run_id, include_deltas=True, until=run_pb2.WAIT_UNTIL_SETTLED)
    for event in server.tools.WaitRun(request, timeout=PATIENCE_S):
        yield event
        if event.WhichOneof("event") == kind:
            return


def test_a_runtime_is_under_a_hundred_lines() -> None:
    assert len((EXAMPLES / "runtime.py").read_text(encoding="utf-8").splitlines()) < 100


def test_the_runtime_answers_and_shows_its_words_as_they_come(server: Served) -> None:
    with _example("runtime.py", server, "--agent", "builder", "--pace", "0.01", "--heartbeat", "0.1") as runtime:
        answer = _send(server, "hello big world", PATIENCE_S)

        assert (answer.status, answer.reply) == (pb.SEND_STATUS_OK, "HELLO BIG WORLD")
        events = list(_until(server, answer.run_id, "ended"))
        assert [each.output_delta.text for each in events if each.HasField("output_delta")] == [
            "HELLO ",
            "BIG ",
            "WORLD ",
        ]
        assert _line(runtime) == f"{answer.run_id} reply"


def test_the_runtime_stops_a_run_that_is_cancelled(server: Served) -> None:
    with _example("runtime.py", server, "--agent", "builder", "--pace", "0.01", "--heartbeat", "0.1") as runtime:
        run_id = _send(server, "word " * 100_000, 0).run_id
        assert [*_until(server, run_id, "output_delta")][-1].HasField("output_delta")

        server.tools.CancelRun(pb.CancelRunRequest(run_id=run_id, reason="enough"))

        assert _line(runtime) == f"{run_id} cancelled"
        run = server.tools.GetRun(pb.GetRunRequest(run_id=run_id, wait_seconds=PATIENCE_S)).run
        assert (run.state, run.end_reason) == (run_pb2.RUN_STATE_CANCELLED, "enough")


def test_a_runtime_that_is_told_to_end_lets_another_take_its_run(server: Served) -> None:
    with _example("runtime.py", server, "--agent", "builder", "--pace", "0.5") as first:
        run_id = _send(server, "word " * 200, 0).run_id
        assert [*_until(server, run_id, "output_delta")][-1].HasField("output_delta")
        first.send_signal(signal.SIGTERM)
        assert first.wait(PATIENCE_S) == 0

    with _example("runtime.py", server, "--agent", "builder", "--pace", "0") as second:
        assert _line(second) == f"{run_id} reply"


def test_the_gateway_prints_what_goes_out_and_confirms_it(server: Served) -> None:
    with _example("gateway.py", server, "--channel", "telegram") as gateway:
        request = gateway_service_pb2.ChatSendRequest(session_key=GROUP, text="hi", request_id="hi-1")
        run_id = server.gateway.ChatSend(request).run_id

        assert _line(gateway) == "telegram -> friends: echo: hi"
        events = list(_until(server, run_id, "ended"))

    last = [each.delivery_changed.delivery for each in events if each.HasField("delivery_changed")][-1]
    assert (last.state, last.receipt) == (delivery_pb2.DELIVERY_STATE_DELIVERED, f"printed-{last.id}")
