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
    "server": {"listen": "127.0.0.1:0", "maxWaitsPerCaller": 100_000, "maxWaits": 100_000},
}


@dataclass(frozen=True)
class Server:
    """Where it listens, and its process."""

    address: str
    pid: int


@asynccontextmanager
async def serving() -> AsyncIterator[Server]:
    """A server on an empty SQLite store, for the time of the context."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        (Path(folder) / "sessiontools.json5").write_text(json.dumps(CONFIG), encoding="utf-8")
        command = [sys.executable, "-m", "sessiond", "serve"]
        process = await asyncio.create_subprocess_exec(*command, cwd=folder, stdout=PIPE)
        try:
            assert process.stdout is not None  # noqa: S101 - it was asked for
            ready = (await process.stdout.readline()).decode()
            yield Server(ready.split()[-1], process.pid)
        finally:
            process.terminate()
            await process.wait()
