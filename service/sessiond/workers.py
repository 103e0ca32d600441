"""Several servers on one port: started together, started again when they die, and drained together (X5).

The workers share nothing but the database and the port, which the kernel spreads connections over.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import socket
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Sequence

from sessiond.model.problems import Problem

log = logging.getLogger("sessiond.workers")

FIRST_PAUSE_S = 0.2
MAX_PAUSE_S = 10.0
# A worker that has served for this long was not ended by what ended the one before.
STABLE_S = 60.0


class WorkerProblem(Problem):
    """The workers can't be started; what they wrote says why."""


def reserve(host: str, port: int) -> socket.socket:
    """A socket that keeps the port for the workers, and takes no connection itself since it does not listen."""
    family, *_, where = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    kept = socket.socket(family, socket.SOCK_STREAM)
    kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    try:
        kept.bind(where)
    except OSError as problem:
        kept.close()
        raise WorkerProblem(f"can't listen on {host}:{port}: {problem.strerror}") from problem
    return kept


class Workers:
    """The processes of one service."""

    def __init__(self, command: Sequence[str], number: int) -> None:
        self._command = tuple(command)
        self._number = number
        self._processes: dict[int, Process] = {}
        self._is_stopping = asyncio.Event()

    async def run(self, on_ready: Callable[[], None]) -> int:
        """Start all, tell when all are ready, keep them running until `stop`; the exit code."""
        first = await asyncio.gather(*(self._start(place) for place in range(self._number)))
        if not all(first):
            self._signal(signal.SIGTERM)
            await asyncio.gather(*(each.wait() for each in self._processes.values()))
            raise WorkerProblem("the workers did not start; what they wrote above says why")
        if not self._is_stopping.is_set():
            on_ready()
        codes = await asyncio.gather(*(self._keep(place) for place in range(self._number)))
        return max(codes)

    def stop(self) -> None:
        """Let all of them drain."""
        self._is_stopping.set()
        self._signal(signal.SIGTERM)

    def reload(self) -> None:
        """Let all of them read their configuration again."""
        self._signal(signal.SIGHUP)

    async def _start(self, place: int) -> bool:
        """Start one, and tell whether it came to be ready."""
        # Its input is a pipe: when this process is gone, however it went, the pipe ends, and so does the worker.
        process = await asyncio.create_subprocess_exec(*self._command, stdin=PIPE, stdout=PIPE)
        self._processes[place] = process
        assert process.stdout is not None  # noqa: S101 - asked for above
        is_ready = bool(await process.stdout.readline())
        if is_ready:
            log.info("worker %d is ready", place, extra={"pid": process.pid})
        return is_ready

    async def _keep(self, place: int) -> int:
        """Start the worker again whenever it ends unasked; its exit code when it was asked to."""
        pause = FIRST_PAUSE_S
        loop = asyncio.get_running_loop()
        while True:
            began = loop.time()
            code = await self._processes[place].wait()
            if self._is_stopping.is_set():
                return max(code, 0)
            pause = FIRST_PAUSE_S if loop.time() - began > STABLE_S else min(2 * pause, MAX_PAUSE_S)
            log.error("worker %d ended with code %d; started again in %.1f s", place, code, pause)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._is_stopping.wait(), pause)
            if self._is_stopping.is_set():
                return 0
            await self._start(place)
            if self._is_stopping.is_set():  # asked while it was starting: it may have missed the signal
                self._signal(signal.SIGTERM)

    def _signal(self, number: signal.Signals) -> None:
        for process in self._processes.values():
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.send_signal(number)
