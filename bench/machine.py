"""What the figures were taken on."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from pathlib import Path

import psutil

from bench.stores import Pair


def description(pairs: Iterable[Pair]) -> list[str]:
    """Processor, memory, and the versions that matter."""
    memory_gib = psutil.virtual_memory().total / 2**30
    return [
        f"{os.cpu_count()} cores ({_processor()}), {memory_gib:.0f} GiB of memory, {platform.system()}",
        f"{platform.python_implementation()} {platform.python_version()}",
        *(pair.version for pair in pairs),
    ]


def _processor() -> str:
    """The processor's name where the system tells it, else its architecture."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
