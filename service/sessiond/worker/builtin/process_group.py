"""A program and everything that it starts: fed once, read within bounds, and ended as a whole."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import cast

STDIN, STDOUT = 0, 1
STDERR_BYTES = 8 * 1024
KILLED_S = 1.0


class ProcessGroup(asyncio.SubprocessProtocol):
    """A process that leads its own session, so that one signal reaches its children and theirs too."""

    def __init__(self, max_output_bytes: int) -> None:
        self.output = bytearray()
        self.errors = bytearray()  # only the end of it
        self._max_output_bytes = max_output_bytes
        self._done = asyncio.Event()
        self._gone = asyncio.Event()

    @classmethod
    async def start(cls, argv: Sequence[str], environ: Mapping[str, str], max_output_bytes: int) -> ProcessGroup:
        """Start a program without a shell; OSError when that is not possible."""
        loop = asyncio.get_running_loop()
        _, group = await loop.subprocess_exec(
            lambda: cls(max_output_bytes), *argv, env=dict(environ), start_new_session=True
        )
        return group

    @property
    def is_too_loud(self) -> bool:
        """Whether it wrote more than it may; what it wrote is not complete then."""
        return len(self.output) > self._max_output_bytes

    @property
    def exit_code(self) -> int | None:
        """How the program ended; minus the signal when it was killed."""
        return self._transport.get_returncode()

    def feed(self, data: bytes) -> None:
        """Give it its whole input. A program that does not read it is none of our business."""
        stdin = cast("asyncio.WriteTransport", self._transport.get_pipe_transport(STDIN))
        stdin.write(data)
        stdin.write_eof()

    async def wait(self) -> None:
        """Until the program itself has ended, or has written too much."""
        await self._done.wait()

    async def stop(self, grace_s: float) -> None:
        """End all that is left of the group: asked first, made to after a grace. Then the output is complete."""
        try:
            self._signal(signal.SIGTERM)
            await self._gone_within(grace_s)
        finally:  # also when cancelled in the grace; and for children that had closed the pipes
            self._signal(signal.SIGKILL)
            await self._let_go()

    async def _let_go(self) -> None:
        """The killed are gone at once; only who left the group can still hold a pipe, and is not waited for."""
        try:
            await self._gone_within(KILLED_S)
        finally:
            self._transport.close()

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):  # nobody left, or only the dead
            os.killpg(self._transport.get_pid(), number)

    async def _gone_within(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._gone.wait()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """It runs."""
        self._transport = cast("asyncio.SubprocessTransport", transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """It wrote something."""
        if fd != STDOUT:
            self.errors += data
            del self.errors[:-STDERR_BYTES]
        elif not self.is_too_loud:
            self.output += data
            if self.is_too_loud:
                self._done.set()

    def process_exited(self) -> None:
        """It ended; its children may hold the pipes open."""
        self._done.set()

    def connection_lost(self, exc: Exception | None) -> None:
        """It ended and nobody holds its pipes."""
        self._transport.close()
        self._gone.set()
