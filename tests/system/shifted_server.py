"""`python shifted_server.py SECONDS serve …`: the server on a machine whose clock is off by so much."""

from __future__ import annotations

import sys
import time

_time, _time_ns = time.time, time.time_ns


def shift(seconds: int) -> None:
    """Put the wall clock off; what measures durations goes on as before."""
    time.time = lambda: _time() + seconds
    time.time_ns = lambda: _time_ns() + seconds * 1_000_000_000


if __name__ == "__main__":
    shift(int(sys.argv[1]))
    from sessiond.__main__ import main  # only now, so that nobody has kept the right clock

    sys.exit(main(sys.argv[2:]))
