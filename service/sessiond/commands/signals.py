"""What a command does when it is told to stop, or to read its configuration again."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Mapping


def on_signals(actions: Mapping[signal.Signals, Callable[[], None]]) -> None:
    """Do this at each of these signals; they come to the event loop, between two of its steps."""
    loop = asyncio.get_running_loop()
    for number, act in actions.items():
        loop.add_signal_handler(number, act)
