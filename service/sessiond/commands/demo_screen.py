"""Where the demo is shown: colours on a terminal, plain lines anywhere else."""

from __future__ import annotations

import os
import threading
import time
from typing import TextIO

_BOLD, _DIM, _GREEN, _PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[32m", "\x1b[0m"


class Screen:
    """Lines with the time since the start; several threads may write."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._has_colour = stream.isatty() and "NO_COLOR" not in os.environ
        self._lock = threading.Lock()
        self._began = time.monotonic()

    def scene(self, title: str) -> None:
        """A heading."""
        self._write(f"\n{self._in(_BOLD, title)}")

    def say(self, text: str) -> None:
        """What happens."""
        self._write(f"{self._in(_DIM, self._clock())}  {text}")

    def deliver(self, text: str) -> None:
        """What reaches a person's phone, however many lines it has."""
        for line in text.splitlines():
            self._write(f"{self._in(_DIM, self._clock())}  {self._in(_GREEN, f'| {line}')}")

    def _clock(self) -> str:
        return f"{time.monotonic() - self._began:5.1f}s"

    def _in(self, colour: str, text: str) -> str:
        return f"{colour}{text}{_PLAIN}" if self._has_colour else text

    def _write(self, line: str) -> None:
        with self._lock:
            print(line, file=self._stream, flush=True)
