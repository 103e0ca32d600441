"""A real server in its own process, for what can only be measured through gRPC."""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

# Runs of an agent without a runtime stay queued, so that a wait on one stays a wait; no log line per call is measured.
CONFIG: dict[str, Any] = {
    "log": {"level": "warning"},
    "agents": {"list": [{"id": "main", "runtime": "external"}]},
    "limits": {"queueDepth": 1_000_000},
    "server": {"listen": "127.0.0.1:0", "maxWaitsPerCaller": 100_000, "maxWaits": 100_000},
}


@dataclass(frozen=True)
class Server:
    """Where it listens, and its process."""

    address: str
    pid: int


@asynccontextmanager
async def serving(store_url: str = "", *args: str) -> AsyncIterator[Server]:
    """A server for the time of the context: on this store, else on an empty one on SQLite."""
    config = CONFIG | ({"store": {"url": store_url}} if store_url else {})
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        (Path(folder) / "sessiontools.json5").write_text(json.dumps(config), encoding="utf-8")
        command = [sys.executable, "-m", "sessiond", "serve", *args]
        process = await asyncio.create_subprocess_exec(*command, cwd=folder, stdout=PIPE)
        try:
            assert process.stdout is not None  # noqa: S101 - it was asked for
            ready = (await process.stdout.readline()).decode()
            yield Server(ready.split()[-1], process.pid)
        finally:
            process.terminate()
            await process.wait()
