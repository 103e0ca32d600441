"""`python -m bench.profiled serve …`: the server under cProfile, in each of its threads.

SIGUSR1 begins it anew, so that the start is not in it. At the end the file that BENCH_PROFILE names becomes JSON: for
each kind of thread the places in the code, each with its calls, own seconds and total seconds.
"""

from __future__ import annotations

import cProfile
import json
import os
import signal
import sys
import threading
from collections import defaultdict
from pathlib import Path
from types import CodeType
from typing import Any

from sessiond.__main__ import main

PROFILE = "BENCH_PROFILE"
LOOP = "event loop"
Figures = tuple[int, float, float]
Seen = dict[str, dict[str, Figures]]
Raw = list[tuple[str, list[Any]]]

_profiles: list[tuple[str, cProfile.Profile]] = []


def profile_threads() -> None:
    """Every thread that is started from now on profiles itself."""
    run = threading.Thread.run

    def profiled(self: threading.Thread) -> None:
        profile = cProfile.Profile()
        _profiles.append((self.name.rstrip("0123456789_-"), profile))
        profile.runcall(run, self)

    threading.Thread.run = profiled  # type: ignore[method-assign]


def raw() -> Raw:
    """What was seen so far, as it is: this is called on a thread that is profiled too."""
    return [(kind, profile.getstats()) for kind, profile in list(_profiles)]


def since(start: Raw, end: Raw) -> Seen:
    """What came after the start, threads of one kind together."""
    kinds: Seen = defaultdict(dict)
    for sign, threads in ((1, end), (-1, start)):
        for kind, entries in threads:
            places = kinds[kind]
            for entry in entries:
                calls, own_s, total_s = places.get(place := _place(entry.code), (0, 0.0, 0.0))
                figures = (calls + sign * entry.callcount, own_s + sign * entry.inlinetime)
                places[place] = (*figures, total_s + sign * entry.totaltime)
    return kinds


def _place(code: CodeType | str) -> str:
    """Beginning at the package, so that the same code has the same place on every machine."""
    if isinstance(code, str):
        return code
    path = Path(code.co_filename)
    for root in sorted((entry for entry in sys.path if entry), key=len, reverse=True):
        if path.is_relative_to(root):
            path = path.relative_to(root)
            break
    return f"{path}:{code.co_firstlineno} {code.co_name}"


def serve() -> int:
    """The server, until it is told to end."""
    started: list[Raw] = [[]]

    def begin_anew(*_: object) -> None:
        started[0] = raw()

    signal.signal(signal.SIGUSR1, begin_anew)
    profile_threads()
    loop = cProfile.Profile()
    _profiles.append((LOOP, loop))
    try:
        return loop.runcall(main)
    finally:
        Path(os.environ[PROFILE]).write_text(json.dumps(since(started[0], raw())), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(serve())
