"""The command runtime: JSON in, reply out, and nothing of the program left behind."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from sessiond.model.messages import Image, Provenance, ProvenanceKind, Role, Text, Thinking, ToolCall, ToolResult
from sessiond.model.problems import Problem
from sessiond.model.runs import Failure, RunKind
from sessiond.runtime.assignments import StepContext
from sessiond.worker.builtin.command import Command
from sessiond.worker.execution import Outcome, ToolSpec
from tests.fakes.execution import RUN_ID, FakeExecution, a_message, a_run, asked
from tests.worker.builtin.lifelines import PRELUDE, Lifelines

LONG_S = 60.0


@pytest.fixture
async def lifelines() -> AsyncIterator[Lifelines]:
    """Where the processes of a test report."""
    async with Lifelines() as lines:
        yield lines


def python(code: str, *argv: str, timeout_s: float = LONG_S, **options: Any) -> Command:
    """A model that is this Python program."""
    return Command([sys.executable, "-c", code, *argv], timeout_s, **options)


async def result(command: Command, execution: FakeExecution | None = None) -> str | Failure:
    outcome = await command.execute(execution or asked("hello"))
    assert outcome.usage is None
    return outcome.result


async def stopped(task: asyncio.Task[Outcome]) -> bool:
    """Cancel a run and see whether it ended so."""
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    return task.cancelled()


async def test_the_reply_is_what_the_program_writes() -> None:
    command = Command(["cat"], LONG_S)

    reply = await result(command, asked("grüß dich 👋\n"))

    assert isinstance(reply, str)
    assert json.loads(reply)["input"]["text"] == "grüß dich 👋\n"


async def test_the_program_is_told_all_about_the_run() -> None:
    source = Provenance(ProvenanceKind.INTER_SESSION, "agent:other:main", "run-0", "sessions_send")
    call = ToolCall("c1", "look", {"at": [1]})
    execution = FakeExecution(
        a_message("and?", Image("image/png", b"\x89PNG\xff"), provenance=source, sequence=4),
        a_run(RunKind.SEND),
        history=[
            a_message("look"),
            a_message(Thinking("hm", "sig"), call, role=Role.ASSISTANT, sequence=2),
            a_message(ToolResult("c1", "look", "nothing", is_error=True), role=Role.TOOL_RESULT, sequence=3),
        ],
        step=StepContext("agent:other:main", "chat", "agent:main:main", "and?", "", "", 0, 5, "REPLY_SKIP"),
        tools=[ToolSpec("sessions_list", "Lists.", {"type": "object"})],
    )

    told = json.loads(str(await result(Command(["cat"], LONG_S), execution)))

    assert {name: told[name] for name in ("run_id", "kind", "session_key", "agent_id", "model")} == {
        "run_id": RUN_ID,
        "kind": "send",
        "session_key": "agent:main:main",
        "agent_id": "main",
        "model": "the-model",
    }
    assert told["input"] == {
        "id": "session:4",
        "sequence": 4,
        "role": "user",
        "text": "and?",
        "content": [{"text": {"text": "and?"}}, {"image": {"mime_type": "image/png", "data": "iVBOR/8="}}],
        "provenance": {
            "kind": "inter_session",
            "source_session_key": "agent:other:main",
            "source_run_id": "run-0",
            "tool": "sessions_send",
        },
    }
    assert [message["role"] for message in told["history"]] == ["user", "assistant", "toolResult"]
    assert told["history"][0]["provenance"] is None
    assert told["history"][1]["content"] == [
        {"thinking": {"text": "hm", "signature": "sig"}},
        {"tool_call": {"id": "c1", "name": "look", "arguments": {"at": [1]}}},
    ]
    assert told["history"][2]["content"] == [
        {"tool_result": {"tool_call_id": "c1", "name": "look", "text": "nothing", "is_error": True}}
    ]
    assert told["context"]["requester_session_key"] == "agent:other:main"
    assert (told["context"]["max_turns"], told["context"]["skip_token"]) == (5, "REPLY_SKIP")
    assert told["tools"] == [{"name": "sessions_list", "description": "Lists.", "parameters": {"type": "object"}}]


async def test_a_chat_has_no_context() -> None:
    assert json.loads(str(await result(Command(["cat"], LONG_S))))["context"] is None


@pytest.mark.parametrize(
    ("written", "reply"),
    [("", ""), ("hi\n", "hi"), ("hi\r\n\n", "hi"), ("  hi \n there  ", "  hi \n there  "), ("☃", "☃")],
)
async def test_only_line_breaks_at_the_end_are_dropped(written: str, reply: str) -> None:
    assert await result(python(f"import sys; sys.stdout.buffer.write({written!r}.encode())")) == reply


async def test_a_program_that_reads_nothing_may_answer() -> None:
    execution = asked("hello", history=[a_message(Text("x" * 900_000))])

    assert await result(python("import os; os.close(0); print('done')"), execution) == "done"


async def test_much_is_read_and_written_at_the_same_time() -> None:
    execution = asked("ä" * 400_000)

    told = json.loads(str(await result(Command(["cat"], LONG_S, max_output_bytes=2_000_000), execution)))

    assert told["input"]["text"] == "ä" * 400_000


async def test_output_up_to_the_bound_is_a_reply() -> None:
    assert await result(python("print('x' * 100_000, end='')", max_output_bytes=100_000)) == "x" * 100_000


async def test_output_beyond_the_bound_ends_the_program(lifelines: Lifelines) -> None:
    endless = "hold('loud')\nwhile True: print('x' * 1000)"
    command = python(PRELUDE + endless, lifelines.port, max_output_bytes=100_000)

    failure = await result(command)

    assert failure == Failure("OUTPUT_TOO_LARGE", f"{Path(sys.executable).name} wrote more than 100000 bytes")
    await lifelines.all_dead()


async def test_a_failed_program_is_told_with_its_last_words() -> None:
    code = "import sys\nfor n in range(30_000): print('line', n, file=sys.stderr)\nprint('no reply'); sys.exit(3)"

    failure = await result(python(code))

    assert isinstance(failure, Failure)
    assert failure.reason == "COMMAND_FAILED"
    assert not failure.is_retryable
    first, *lines = failure.message.splitlines()
    assert first == f"{Path(sys.executable).name} ended with exit code 3: line 29990"
    assert lines == [f"line {number}" for number in range(29_991, 30_000)]


async def test_a_failure_has_a_bounded_text_whatever_the_program_says() -> None:
    failure = await result(python(r"import sys; sys.stderr.buffer.write(b'\xff' * 1_000_000); sys.exit(1)"))

    assert isinstance(failure, Failure)
    assert failure.message.endswith("\ufffd")
    assert len(failure.message) < 2_100


@pytest.mark.parametrize(("number", "said"), [(signal.SIGKILL, "was ended by SIGKILL"), (40, "was ended by signal 40")])
async def test_a_killed_program_is_told_with_its_signal(number: int, said: str) -> None:
    failure = await result(python(f"import os; os.kill(os.getpid(), {number:d})"))

    assert failure == Failure("COMMAND_FAILED", f"{Path(sys.executable).name} {said}")


async def test_output_that_is_no_text_is_no_reply() -> None:
    failure = await result(python(r"import sys; sys.stdout.buffer.write(b'abc\xff')"))

    assert isinstance(failure, Failure)
    assert failure.reason == "COMMAND_FAILED"
    assert failure.message.endswith("wrote bytes that are not UTF-8, first at 3")


async def test_a_program_that_is_not_there_is_told_by_name(tmp_path: Path) -> None:
    failure = await result(Command([str(tmp_path / "missing"), "x"], LONG_S))

    assert failure == Failure("COMMAND_NOT_FOUND", "missing can't be started: No such file or directory")


async def test_a_file_that_can_not_be_run_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("no program")
    failure = await result(Command([str(tmp_path / "plain")], LONG_S))
    assert failure == Failure("COMMAND_NOT_FOUND", "plain can't be started: Permission denied")

    (tmp_path / "plain").chmod(0o755)
    failure = await result(Command([str(tmp_path / "plain")], LONG_S))
    assert failure == Failure("COMMAND_FAILED", "plain can't be started: Exec format error")


def test_a_command_without_a_program_is_refused() -> None:
    with pytest.raises(Problem, match="needs a command"):
        Command([], LONG_S)


async def test_no_shell_reads_the_arguments() -> None:
    code = "import sys; print(sys.argv[1:])"

    assert await result(python(code, "$HOME; *", "a b")) == "['$HOME; *', 'a b']"


async def test_the_servers_secrets_do_not_reach_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SESSIONTOOLS_AUTH__TOKENS", "secret")
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.setenv("HOME", "/home/of/server")
    code = "import json, os; print(json.dumps(dict(os.environ)))"

    environ = json.loads(str(await result(python(code, environ={"EXTRA": "ö"}))))

    assert environ["EXTRA"] == "ö"
    assert environ["HOME"] == "/home/of/server"
    assert set(environ) <= {"PATH", "HOME", "LANG", "TMPDIR", "EXTRA", "LC_CTYPE"}  # Python sets the last one itself


async def test_a_late_program_is_ended() -> None:
    failure = await result(Command(["sleep", "3600"], timeout_s=0.05))

    text = "sleep took longer than the model's timeoutSeconds of 0.05"
    assert failure == Failure("COMMAND_TIMEOUT", text, is_retryable=True)
    assert "sleep" not in [process.name() for process in psutil.Process().children(recursive=True)]


async def test_a_cancel_ends_the_whole_group(lifelines: Lifelines) -> None:  # R6
    code = PRELUDE + "child('child')\nchild('mute', closes_output=True)\nhold('program')\ntime.sleep(3600)"
    task = asyncio.create_task(python(code, lifelines.port).execute(asked("hello")))
    await lifelines.began("program", "child", "mute")

    assert await stopped(task)

    await lifelines.all_dead()
    assert len(lifelines.pids) == 3


async def test_those_who_do_not_listen_are_killed(lifelines: Lifelines) -> None:  # R6
    code = PRELUDE + (
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\nchild('child', is_stubborn=True)\n"
        "hold('program')\ntime.sleep(3600)"
    )
    task = asyncio.create_task(python(code, lifelines.port, grace_s=0.1).execute(asked("hello")))
    await lifelines.began("program", "child")

    assert await stopped(task)

    await lifelines.all_dead()


async def test_a_second_cancel_in_the_grace_kills_at_once(lifelines: Lifelines) -> None:
    code = PRELUDE + (
        "def note(*_): hold('asked')\n"
        "signal.signal(signal.SIGTERM, note)\nhold('program')\nwhile True: time.sleep(3600)"
    )
    task = asyncio.create_task(python(code, lifelines.port, grace_s=LONG_S * 10).execute(asked("hello")))
    await lifelines.began("program")
    task.cancel()
    await lifelines.began("asked")

    assert await stopped(task)

    await lifelines.all_dead()


async def test_a_program_may_tidy_up_in_the_grace(lifelines: Lifelines, tmp_path: Path) -> None:
    note = tmp_path / "tidy"
    code = PRELUDE + (
        f"def tidy(*_): open({str(note)!r}, 'w').close(); sys.exit(0)\n"
        "signal.signal(signal.SIGTERM, tidy)\nhold('program')\ntime.sleep(3600)"
    )
    task = asyncio.create_task(python(code, lifelines.port, grace_s=LONG_S).execute(asked("hello")))
    await lifelines.began("program")

    assert await stopped(task)

    assert note.exists()


@pytest.mark.parametrize("options", ["", ", closes_output=True", ", is_stubborn=True"])
async def test_children_do_not_outlive_a_program_that_has_answered(lifelines: Lifelines, options: str) -> None:
    code = PRELUDE + f"child('child'{options})\nprint('done')"

    assert await result(python(code, lifelines.port, grace_s=0.2)) == "done"

    await lifelines.began("child")
    await lifelines.all_dead()


async def test_a_process_that_has_left_the_group_does_not_hold_the_run(lifelines: Lifelines) -> None:
    code = PRELUDE + "child('escaped', starts_session=True)\nhold('program')\nsys.stdin.read()\nprint('done')"

    assert await result(python(code, lifelines.port, grace_s=0.1)) == "done"

    await lifelines.began("escaped")
    os.kill(lifelines.pids["escaped"], signal.SIGKILL)
    await lifelines.all_dead()
