"""A driver at work: commands to its standard input, answers from its standard output (README.md has the protocol)."""

from __future__ import annotations

import asyncio
import json
from asyncio.subprocess import PIPE, Process
from itertools import count
from pathlib import Path
from typing import Any

from tests.clients.languages import Language

Line = dict[str, Any]
# A page of history is up to 3 MiB, and base64 makes a third more of it.
LINE_BYTES = 16 * 1024 * 1024
LAST = ("done", "response", "error", "end")  # one of these is in the last answer to every command
END_S = 10


class DriverEnded(Exception):  # noqa: N818 - it says what is so
    """The driver's process is gone, with commands unanswered."""


class Driver:
    """One process; commands are asked side by side."""

    def __init__(self, language: Language, log: Path) -> None:
        self._language = language
        self._log = log
        self._ids = count(1)
        self._answers: dict[int, asyncio.Queue[Line | None]] = {}
        self._process: Process | None = None
        self._reading: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Start the process; its faults are written to the log."""
        with self._log.open("wb") as log:
            self._process = await asyncio.create_subprocess_exec(
                str(self._language.driver / "run"), stdin=PIPE, stdout=PIPE, stderr=log, limit=LINE_BYTES
            )
        self._reading = asyncio.create_task(self._read(self._process))

    async def end(self) -> None:
        """End its input, and so the process."""
        if self._process is None or self._reading is None:
            return
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            async with asyncio.timeout(END_S):
                await self._process.wait()
        except TimeoutError:  # as after a case in which it hung
            self._process.kill()
        await self._reading

    def ask(self, op: str, **fields: Any) -> Asked:
        """Give a command; fields that are None are left out."""
        number = next(self._ids)
        asked = Asked(number, self)
        self._answers[number] = asyncio.Queue()
        command = {"id": number, "op": op, **{name: value for name, value in fields.items() if value is not None}}
        assert self._process is not None
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(command).encode() + b"\n")
        return asked

    async def answers(self, number: int) -> list[Line]:
        """All answers to a command, once the last of them is there."""
        found: list[Line] = []
        while not (found and any(name in found[-1] for name in LAST)):
            if self._reading is None or (self._reading.done() and self._answers[number].empty()):
                raise self._ended()
            line = await self._answers[number].get()
            if line is None:
                raise self._ended()
            found.append(line)
        del self._answers[number]
        return found

    async def _read(self, process: Process) -> None:
        assert process.stdout is not None
        try:
            async for line in process.stdout:
                answer = json.loads(line)
                self._answers[answer.pop("id")].put_nowait(answer)
        finally:
            for waiting in self._answers.values():
                waiting.put_nowait(None)

    def _ended(self) -> DriverEnded:
        said = self._log.read_text(encoding="utf-8", errors="replace")[-2000:]
        return DriverEnded(f"the driver of {self._language.title} has ended; it said:\n{said}")


class Asked:
    """A command that was given; its id names a wait."""

    def __init__(self, number: int, driver: Driver) -> None:
        self.number = number
        self._driver = driver

    async def answers(self) -> list[Line]:
        """All answers, once the last of them is there."""
        return await self._driver.answers(self.number)

    async def done(self) -> None:
        """Wait for a command that has nothing to say but that it was obeyed."""
        assert await self.answers() == [{"done": True}]
