"""Replicas behind proxies, runtimes and gateways outside, on one store: everything that faults may strike."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.proxy import Proxy
from tests.system.outsider import Outsider, far_side
from tests.system.postgres_pair import PostgresPair
from tests.system.server_process import PROGRAM, ServerProcess
from tests.system.small_disk import SmallDisk
from tests.system.targets import target_of

SHIFTED = Path(__file__).with_name("shifted_server.py")
LEASE_S = 2
MAX_ATTEMPTS = 3
CONFIG: Mapping[str, Any] = {
    "runtime": {"leaseSeconds": LEASE_S, "cancelGraceSeconds": 2},  # so that what was lost is known soon
    "deliveries": {"leaseSeconds": LEASE_S},
    "agents": {
        "defaults": {"subagents": {"maxChildren": 10_000}},
        "list": [
            {"id": "main", "subagents": {"allowAgents": ["*"]}},
            {"id": "far", "runtime": "external", "subagents": {"allowAgents": ["*"]}},
            {
                "id": "again",
                "runtime": "external",
                "onRuntimeLoss": "requeue",
                "maxAttempts": MAX_ATTEMPTS,
                "subagents": {"allowAgents": ["*"]},
            },
        ],
    },
    "tools": {"agentToAgent": {"enabled": True}},
    "session": {"agentToAgent": {"maxRunsPerTrace": 100_000}},
    "store": {"statementSeconds": 10, "poolSize": 6},
}


class Replica:
    """One server, and the proxy through which everybody reaches it."""

    def __init__(self, folder: Path, store_url: str, shift_s: int = 0) -> None:
        folder.mkdir()
        self.server = ServerProcess(folder, store_url, CONFIG)
        self.shift_clock(shift_s)
        self.victim = asyncio.Lock()  # held by the fault that it suffers

    async def start(self) -> Proxy:
        """Start it; the proxy is to be entered by whoever ends both."""
        await self.server.start()
        self.proxy = Proxy(self.server.port)
        return self.proxy

    def shift_clock(self, seconds: int) -> None:
        """From its next start on, its clock is off by so much."""
        self.server.program = (sys.executable, str(SHIFTED), str(seconds)) if seconds else (str(PROGRAM),)

    async def pause(self, seconds: float) -> None:
        """Stop it in the middle of whatever it does, and let it go on after so long."""
        os.kill(self.server.pid, signal.SIGSTOP)
        await asyncio.sleep(seconds)  # the pause is the fault
        os.kill(self.server.pid, signal.SIGCONT)


@dataclass
class Stage:
    """All that there is."""

    folder: Path
    store_url: str
    replicas: list[Replica] = field(default_factory=list)
    runtimes: list[Outsider] = field(default_factory=list)
    gateways: list[Outsider] = field(default_factory=list)
    postgres: PostgresPair | None = None
    disk: SmallDisk | None = None
    store_victim: asyncio.Lock = field(default_factory=asyncio.Lock)

    @property
    def target(self) -> str:
        """Where clients connect to."""
        return target_of(replica.proxy.address for replica in self.replicas)

    async def stop(self) -> None:
        """Let every server end in order."""
        for replica in self.replicas:
            code = await replica.server.stop()
            assert code == 0, f"it ended with {code}\n{replica.server.log}"


@asynccontextmanager
async def staged(stage: Stage, shifts_s: Sequence[int], outsiders: int) -> AsyncIterator[Stage]:
    """A replica for each of these clocks, and so many runtimes and gateways, started, for the time of the context."""
    async with AsyncExitStack() as stack:
        for number, shift_s in enumerate(shifts_s):
            replica = Replica(stage.folder / f"replica-{number}", stage.store_url, shift_s)
            stack.push_async_callback(replica.server.end)
            await stack.enter_async_context(await replica.start())
            stage.replicas.append(replica)
        for role, group in (("runtime", stage.runtimes), ("gateway", stage.gateways)):
            for number in range(outsiders):
                outsider = far_side(role, stage.target, stage.folder, number)
                stack.push_async_callback(outsider.kill)
                await outsider.start()
                group.append(outsider)
        yield stage
