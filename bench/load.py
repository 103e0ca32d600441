"""The load generator: h2load in processes of its own, as fast as the server answers.

h2load, because at the ceiling of the no-op server it takes a quarter of a core where ghz takes three quarters: on a
machine of two cores the rest of that would be missing at the server and at PostgreSQL. It sends one body, so each body
gets a process. It knows nothing of gRPC: a refusal is HTTP 200 without data, so the answers are weighed.
"""

from __future__ import annotations

import asyncio
import os
import re
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles

import psutil

CORES = os.cpu_count() or 1
MAX_CONNECTIONS = 64
MAX_PROCESSES = 32
# How much longer the load goes on for each of them, since they don't begin and end at one moment.
START_S = 0.02
# In less than this not each of them gets an answer from a slow server.
LEAST_S = 1.0
# How often it is tried until they are at it together for long enough; a machine that is busy otherwise needs a second.
TRIES = 4
HEADERS = ("-H", "content-type: application/grpc", "-H", "te: trailers")
PREFIX_BYTES = 5
# Answers of one kind differ by a few bytes (places in a queue, times); a refusal is missing whole.
LEAST_WEIGHT = 0.98
_REQUESTS = re.compile(r"requests: .* (\d+) succeeded, (\d+) failed, (\d+) errored, (\d+) timeout")
_TRAFFIC = re.compile(r"traffic: .* \((\d+)\) data")


class LoadProblem(Exception):  # noqa: N818 - says what is so
    """The load is not what it was to be: calls failed, or the generator is missing."""


@dataclass(frozen=True)
class Target:
    """What is called, and the least that an answer weighs; each body is sent on connections of its own."""

    address: str
    method: str
    bodies: Sequence[bytes]
    answer_bytes: int


@dataclass(frozen=True)
class Load:
    """What came of it while every process was at it; `calls` are all that were answered.

    `share` is the generator's of a core; `cores` is how many were busy, whatever with, where that was looked at.
    """

    rps: float
    p50_ms: float
    p99_ms: float
    share: float
    calls: int
    cores: float = 0.0


@dataclass(frozen=True)
class _Shape:
    """Of one process: its connections, and the calls under way on each."""

    connections: int
    streams: int

    @property
    def at_once(self) -> int:
        return self.connections * self.streams


@dataclass(frozen=True)
class _Call:
    began_us: int
    took_us: int

    @property
    def ended_us(self) -> int:
        return self.began_us + self.took_us


async def load(target: Target, concurrency: int, seconds: float, most_connections: int = MAX_CONNECTIONS) -> Load:
    """Call for so long with so many calls under way; raises when a call fails."""
    connections = min(concurrency, most_connections)
    processes = min(len(target.bodies), connections, MAX_PROCESSES)
    shape = _Shape(connections // processes, concurrency // connections)
    if connections % processes or concurrency % connections:
        raise LoadProblem(f"{concurrency} calls at once can't be shared out among {processes} processes")
    seconds, calls = max(seconds, LEAST_S), 0
    for _ in range(TRIES):
        logged = await asyncio.to_thread(
            _logged, target, target.bodies[:processes], shape, seconds + START_S * processes
        )
        calls += sum(map(len, logged.calls))
        if found := _figures(logged, seconds / 2, calls):
            return found
    raise LoadProblem("the processes of h2load were never at it together for long; the machine is too busy")


@dataclass(frozen=True)
class _Logged:
    """The calls of each process, the share of a core that all of them took, and the cores that were busy."""

    calls: Sequence[Sequence[_Call]]
    share: float
    cores: float


def _logged(target: Target, bodies: Sequence[bytes], shape: _Shape, seconds: float) -> _Logged:
    """Started without a pause between them, so that they are at it together for nearly all of the time."""
    began, cpu_s, idle_s = time.monotonic(), _cpu_of_children(), _idle()
    with tempfile.TemporaryDirectory(prefix="bench-load-") as folder:
        files = [Path(folder) / str(number) for number in range(len(bodies))]
        for file, body in zip(files, bodies, strict=True):
            file.write_bytes(b"\0" + len(body).to_bytes(PREFIX_BYTES - 1, "big") + body)
        for process in [_start(target, file, shape, seconds) for file in files]:
            process.wait()
        passed = time.monotonic() - began
        share = (_cpu_of_children() - cpu_s) / passed
        cores = CORES - (_idle() - idle_s) / passed
        for file in files:
            _require_answers(target, file.with_suffix(".out").read_text(), shape.at_once)
        return _Logged([_calls(file.with_suffix(".log")) for file in files], share, cores)


def _start(target: Target, file: Path, shape: _Shape, seconds: float) -> subprocess.Popen[bytes]:
    """One process, which sends what the file has."""
    command = [
        *(generator(), "-D", f"{round(seconds * 1000)}ms", "-c", str(shape.connections), "-m", str(shape.streams)),
        *("-d", str(file), *HEADERS, f"--log-file={file.with_suffix('.log')}"),
        f"http://{target.address}{target.method}",
    ]
    with file.with_suffix(".out").open("wb") as output:
        return subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)


def _calls(log: Path) -> list[_Call]:
    lines = (line.split("\t") for line in log.read_text().splitlines())
    return [_Call(int(began), int(took)) for began, _, took, *_ in lines]


def _require_answers(target: Target, output: str, at_once: int) -> None:
    """All that came must weigh enough, but for the answers that came just as the time was over."""
    requests, traffic = _REQUESTS.search(output), _TRAFFIC.search(output)
    if requests is None or traffic is None:
        raise LoadProblem(f"h2load gave no figures for {target.method}:\n{output}")
    succeeded, *failed = map(int, requests.groups())
    weight = int(traffic[1])
    if any(failed) or weight < LEAST_WEIGHT * (succeeded - at_once) * (PREFIX_BYTES + target.answer_bytes):
        raise LoadProblem(f"{target.method} was refused: {weight} bytes came in {succeeded} answers\n{output}")


def _figures(logged: _Logged, least_s: float, calls: int) -> Load | None:
    """Of the time in which all processes were at it, since they don't begin and end at one moment; None: too short."""
    if not all(logged.calls):
        return None
    begin = max(min(call.began_us for call in each) for each in logged.calls)
    end = min(max(call.ended_us for call in each) for each in logged.calls)
    counted = [call.took_us / 1000 for each in logged.calls for call in each if begin <= call.ended_us <= end]
    if end - begin < least_s * 1_000_000 or len(counted) < 2:
        return None
    hundredths = quantiles(counted, n=100)
    rps = len(counted) / (end - begin) * 1_000_000
    return Load(rps, hundredths[49], hundredths[98], logged.share, calls, logged.cores)


def generator() -> str:
    """Where h2load is."""
    found = shutil.which("h2load")
    if found is None:
        raise LoadProblem("h2load is needed: it is in the package nghttp2-client (Debian) or nghttp2 (Homebrew)")
    return found


def _idle() -> float:
    """Seconds that the machine's cores have not worked, all of them together."""
    times = psutil.cpu_times()
    return float(times.idle + getattr(times, "iowait", 0.0))


def _cpu_of_children() -> float:
    """Seconds of those that have ended; servers go on, so between two looks only the generator ends."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
