"""The server in this process."""

from __future__ import annotations

import asyncio
import gc
import signal
import sys
from collections.abc import Callable

from sessiond.app import running
from sessiond.commands.signals import on_signals
from sessiond.reloading import reload_for_ever
from sessiond.settings import Loaded, Settings

# So many looks at the younger objects come before one at all of them; Python's own number is 10.
ALL_OBJECTS_AFTER = 100
# And so many new objects before one at those; 700 is its own number, which a busy server makes every few calls.
YOUNG_OBJECTS = 5_000


async def serve_here(
    loaded: Loaded, read: Callable[[], Settings], say_ready: Callable[[str], None], *, is_worker: bool
) -> None:
    """Serve until SIGTERM or SIGINT, then drain; `read` gives the settings as they are when SIGHUP comes."""
    stop, reload = asyncio.Event(), asyncio.Event()
    on_signals({signal.SIGTERM: stop.set, signal.SIGINT: stop.set, signal.SIGHUP: reload.set})
    if is_worker:
        await _stop_without_parent(stop)
    settings = loaded.settings
    async with running(settings, reuse_port=is_worker) as app, asyncio.TaskGroup() as tasks:
        reloading = tasks.create_task(reload_for_ever(loaded.file, read, settings, app.credentials, reload))
        _calm_garbage_collection()
        host = settings.server.listen.rpartition(":")[0]
        say_ready(f"{host}:{app.port}")
        await stop.wait()
        reloading.cancel()


def _calm_garbage_collection() -> None:
    """Look at all objects more rarely, and never again at those of the start.

    Such a look stops every call for as long as it takes: with 10,000 idle waits, of some 70 objects each, for about a
    third of a second. It is still needed now and then: waits leave no circles behind, but a few refused calls in a
    hundred leave one that outlasts the looks at younger objects. A few MB more of those are the price.
    """
    gc.collect()
    gc.freeze()
    _, middle, _ = gc.get_threshold()
    gc.set_threshold(YOUNG_OBJECTS, middle, ALL_OBJECTS_AFTER)


async def _stop_without_parent(stop: asyncio.Event) -> None:
    """Stop when our input ends: whoever started us is gone, even if it could not say so."""

    class Input(asyncio.Protocol):
        def connection_lost(self, problem: Exception | None) -> None:
            stop.set()

    await asyncio.get_running_loop().connect_read_pipe(Input, sys.stdin)
