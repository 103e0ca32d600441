"""The command runtime: a program that reads one run as JSON and writes the reply."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Mapping, Sequence
from pathlib import PurePath

from sessiond.model.messages import MAX_MESSAGE_BYTES
from sessiond.model.problems import Problem
from sessiond.model.runs import Failure
from sessiond.worker.builtin.command_request import request_of
from sessiond.worker.builtin.process_group import ProcessGroup
from sessiond.worker.execution import Execution, Outcome, Provider

GRACE_S = 2.0
ERROR_LINES = 10
ERROR_CHARACTERS = 2_000
# Nothing else of the server's environment reaches a program: tokens and keys are in there.
INHERITED = ("PATH", "HOME", "LANG", "TMPDIR")


class Command(Provider):
    """Starts the program anew for each run; no shell."""

    def __init__(
        self,
        argv: Sequence[str],
        timeout_s: float,
        environ: Mapping[str, str] | None = None,
        max_output_bytes: int = MAX_MESSAGE_BYTES,
        grace_s: float = GRACE_S,
    ) -> None:
        if not argv:
            raise Problem("a model with provider command needs a command: the program and its arguments")
        self._argv = tuple(argv)
        self._timeout_s = timeout_s
        self._environ = {name: os.environ[name] for name in INHERITED if name in os.environ} | dict(environ or {})
        self._max_output_bytes = max_output_bytes
        self._grace_s = grace_s

    async def execute(self, execution: Execution) -> Outcome:
        """Start it, feed it, and leave nothing of it behind."""
        try:
            group = await ProcessGroup.start(self._argv, self._environ, self._max_output_bytes)
        except OSError as problem:
            return Outcome(self._not_started(problem))
        try:
            group.feed(request_of(execution))
            is_late = not await self._ends_in_time(group)
        finally:
            await group.stop(self._grace_s)
        return Outcome(self._late() if is_late else self._result(group))

    async def _ends_in_time(self, group: ProcessGroup) -> bool:
        try:
            async with asyncio.timeout(self._timeout_s):
                await group.wait()
        except TimeoutError:
            return False
        return True

    def _result(self, group: ProcessGroup) -> str | Failure:
        if group.is_too_loud:
            return Failure("OUTPUT_TOO_LARGE", f"{self._name} wrote more than {self._max_output_bytes} bytes")
        if group.exit_code != 0:
            return Failure("COMMAND_FAILED", f"{self._name} {_ending(group.exit_code)}{_last_words(group.errors)}")
        try:
            return group.output.decode().rstrip("\r\n")
        except UnicodeDecodeError as problem:
            return Failure("COMMAND_FAILED", f"{self._name} wrote bytes that are not UTF-8, first at {problem.start}")

    def _late(self) -> Failure:
        text = f"{self._name} took longer than the model's timeoutSeconds of {self._timeout_s:g}"
        return Failure("COMMAND_TIMEOUT", text, is_retryable=True)

    def _not_started(self, problem: OSError) -> Failure:
        is_missing = isinstance(problem, FileNotFoundError | NotADirectoryError | PermissionError)
        reason = "COMMAND_NOT_FOUND" if is_missing else "COMMAND_FAILED"
        return Failure(reason, f"{self._name} can't be started: {problem.strerror}")

    @property
    def _name(self) -> str:
        return PurePath(self._argv[0]).name


def _ending(exit_code: int | None) -> str:
    if exit_code is None:
        return "did not end"
    if exit_code >= 0:
        return f"ended with exit code {exit_code}"
    try:
        return f"was ended by {signal.Signals(-exit_code).name}"
    except ValueError:
        return f"was ended by signal {-exit_code}"


def _last_words(errors: bytearray) -> str:
    lines = errors.decode(errors="replace").strip().splitlines()[-ERROR_LINES:]
    text = "\n".join(lines)[-ERROR_CHARACTERS:]
    return f": {text}" if text else ""
