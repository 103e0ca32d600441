"""The small runtime in a process of its own, to be killed and started again."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.system.server_process import START_S

PROGRAM = Path(__file__).with_name("small_runtime.py")


class RuntimeProcess:
    """One runtime at a time, all of them with one journal."""

    def __init__(self, folder: Path, address: str) -> None:
        self._journal = folder / "executed.txt"
        self._log = folder / "runtime.log"
        self._address = address
        self._process: Process | None = None

    async def start(self) -> None:
        """Start it, and wait until it asks for runs."""
        with self._log.open("ab") as log:
            command = (sys.executable, str(PROGRAM), self._address, str(self._journal))
            self._process = await asyncio.create_subprocess_exec(*command, stdout=PIPE, stderr=log)
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

    def executed(self) -> Counter[str]:
        """How often each run was begun by any of them."""
        return Counter(self._journal.read_text(encoding="utf-8").split())


@asynccontextmanager
async def executing(folder: Path, address: str) -> AsyncIterator[RuntimeProcess]:
    """A started runtime for the time of the context."""
    runtime = RuntimeProcess(folder, address)
    try:
        await runtime.start()
        yield runtime
    finally:
        await runtime.kill()
