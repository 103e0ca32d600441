"""What the figures were taken on."""

from __future__ import annotations

import os
import platform
import subprocess
import time
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from statistics import median

import psutil

from bench.load import generator

SYNCS = 100
SYNC_BYTES = 4096


def description(databases: Iterable[str], folder: Path) -> list[str]:
    """Processor, memory, the disk of the stores, and the versions that matter."""
    memory_gib = psutil.virtual_memory().total / 2**30
    generated = subprocess.run([generator(), "--version"], check=True, stdout=subprocess.PIPE, text=True).stdout
    return [
        f"{os.cpu_count()} cores ({_processor()}), {memory_gib:.0f} GiB of memory, {platform.system()}",
        f"a disk on which a sync of {SYNC_BYTES // 1024} kB takes {_sync_ms(folder):.2f} ms",
        f"{platform.python_implementation()} {platform.python_version()}, gRPC {version('grpcio')}",
        *databases,
        generated.strip(),
    ]


def _processor() -> str:
    """The processor's name where the system tells it, else its architecture."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _sync_ms(folder: Path) -> float:
    """The median of writing a little more to a file until it is on the disk."""
    took_ms: list[float] = []
    with (folder / "sync").open("wb", buffering=0) as file:
        for _ in range(SYNCS):
            began = time.perf_counter()
            file.write(bytes(SYNC_BYTES))
            os.fsync(file.fileno())
            took_ms.append((time.perf_counter() - began) * 1000)
    return median(took_ms)
