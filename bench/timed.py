"""`python -m bench.timed serve …`: the server, which also notes when it heard of each commit.

Lines of `<nanoseconds> <topic>` go to the file that BENCH_TIMES names. The clock is the machine's monotonic one, the
same in every process.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sessiond.__main__ import main
from sessiond.wake import Wake

TIMES = "BENCH_TIMES"


def note_commits(file: Path) -> None:
    """Note the topics of each commit, before anybody is woken."""
    notes = file.open("a", buffering=1, encoding="utf-8")
    publish = Wake.publish

    def noted(self: Wake, news: Mapping[str, Any]) -> None:
        at_ns = time.monotonic_ns()
        notes.writelines(f"{at_ns} {topic}\n" for topic in news)
        publish(self, news)

    Wake.publish = noted  # type: ignore[method-assign]


def commits(file: Path) -> dict[str, list[int]]:
    """When the server heard of each topic."""
    heard: dict[str, list[int]] = {}
    for line in file.read_text(encoding="utf-8").splitlines():
        at_ns, topic = line.split(" ", 1)
        heard.setdefault(topic, []).append(int(at_ns))
    return heard


if __name__ == "__main__":
    note_commits(Path(os.environ[TIMES]))
    sys.exit(main())
