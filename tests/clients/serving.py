"""What the process of a server does. It is copied from one that has imported sessiond.app, and imports little else."""

from __future__ import annotations

import asyncio
import os
import signal
from multiprocessing.connection import Connection
from pathlib import Path

from sessiond.app import running
from sessiond.settings import load


def serve(folder: Path, port: int, ready: Connection) -> None:
    """Serve on the configuration and the store in this folder until SIGTERM, then drain; tells its port."""
    os.dup2(os.open(folder / "server.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND), 2)
    asyncio.run(_serve(folder, port, ready))


async def _serve(folder: Path, port: int, ready: Connection) -> None:
    flags = {
        "server.listen": f"127.0.0.1:{port}",
        "store.url": f"sqlite:///{folder / 'sessiontools.db'}",
        "transcripts.enabled": False,
    }
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    async with running(load(folder / "sessiontools.json5", {}, flags).settings) as server:
        ready.send(server.port)
        await stop.wait()
