"""A runtime or a gateway in a process of its own, to be killed, paused and started again."""

from __future__ import annotations

import asyncio
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from pathlib import Path

from tests.system.server_process import START_S

FAR_SIDE = Path(__file__).with_name("far_side.py")


class Outsider:
    """One process at a time; it says `ready` on a line of its own once it has begun."""

    def __init__(self, log: Path, *command: str) -> None:
        self._log = log
        self._command: Sequence[str] = (sys.executable, *command)
        self._process: Process | None = None
        self.victim = asyncio.Lock()  # held by the fault that it suffers

    async def start(self) -> None:
        """Start it, and wait until it has begun."""
        with self._log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(*self._command, stdout=PIPE, stderr=log)
        assert self._process.stdout is not None
        async with asyncio.timeout(START_S):
            line = await self._process.stdout.readline()
        assert line == b"ready\n", self._log.read_text(encoding="utf-8")

    async def kill(self) -> None:
        """kill -9; it must have been alive until now."""
        if self._process is not None:
            assert self._process.returncode is None, self._log.read_text(encoding="utf-8")
            self._process.kill()
            await self._process.communicate()
            self._process = None

    async def pause(self, seconds: float) -> None:
        """Stop it in the middle of whatever it does, and let it go on after so long."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)
        await asyncio.sleep(seconds)  # the pause is the fault
        self._process.send_signal(signal.SIGCONT)


def far_side(role: str, target: str, folder: Path, number: int) -> Outsider:
    """A runtime or a gateway, all of one role with one journal."""
    log = folder / f"{role}-{number}.log"
    return Outsider(log, str(FAR_SIDE), role, target, str(journal_of(folder, role)))


def journal_of(folder: Path, role: str) -> Path:
    """Where those of one role note what they do."""
    return folder / f"{role}.txt"
