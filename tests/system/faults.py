"""The faults, each with its victim, and a schedule of them that a seed decides."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass

from tests.system.server_process import NotStarted, ServerProcess
from tests.system.stage import LEASE_S, Stage

PAST_THE_LEASE_S = (LEASE_S + 0.5, LEASE_S + 2.5)
AWAY_S = (0.0, 2.0)
MINUTES = (2, 15)
STARTS, RESTART_S = 20, 0.5  # of a server whose store is away
TOGETHER = 0.25  # how often a second fault strikes at the same time


@dataclass(frozen=True)
class Fault:
    """One fault as planned: what, on which of its possible victims, for how long."""

    kind: str
    victim: int
    away_s: float
    pause_s: float
    shift_s: int
    answers: int  # how many requests are to be answered before the next one


def schedule(rng: random.Random, kinds: dict[str, int]) -> Iterator[list[Fault]]:
    """Faults for ever, now and then two at a time; the numbers are how often each kind comes."""
    while True:
        number = 2 if rng.random() < TOGETHER else 1
        yield [planned(rng, kind) for kind in rng.choices([*kinds], [*kinds.values()], k=number)]


def each_once(rng: random.Random, kinds: dict[str, int]) -> Iterator[list[Fault]]:
    """Every kind once, in the order of chance."""
    for kind in rng.sample([*kinds], len(kinds)):
        yield [planned(rng, kind)]


def for_seconds(seconds: float, plan: Iterator[list[Fault]]) -> Iterator[list[Fault]]:
    """As much of a plan as begins within so long, from when the first is asked for."""
    until_s = time.monotonic() + seconds
    while time.monotonic() < until_s:
        yield next(plan)


def planned(rng: random.Random, kind: str) -> Fault:
    """A fault with its numbers drawn."""
    shift_s = rng.choice([-1, 1]) * rng.randint(*MINUTES) * 60
    return Fault(
        kind, rng.randrange(100), rng.uniform(*AWAY_S), rng.uniform(*PAST_THE_LEASE_S), shift_s, rng.randint(5, 30)
    )


class Injector:
    """Lets faults happen, and remembers which."""

    def __init__(self, stage: Stage, say: Callable[[str], None]) -> None:
        self._stage, self._say = stage, say
        self._began_s = time.monotonic()
        self.counts: Counter[str] = Counter()

    async def strike(self, faults: Sequence[Fault]) -> None:
        """All of these at the same time; returns when what they struck is back."""
        async with asyncio.TaskGroup() as tasks:
            for fault in faults:
                tasks.create_task(self._strike(fault))

    async def _strike(self, fault: Fault) -> None:
        began_s = time.monotonic()
        await ACTS[fault.kind](self._stage, fault)
        self.counts[fault.kind] += 1
        took_s = time.monotonic() - began_s
        self._say(f"{began_s - self._began_s:7.1f} s  {fault.kind} (victim {fault.victim}): over after {took_s:.1f} s")


async def _start_again(server: ServerProcess) -> None:
    """As a supervisor does: a server that finds its store away at the start ends, and is started once more."""
    for _ in range(STARTS):
        try:
            await server.start()
        except NotStarted as ended:
            if "can't be opened" not in str(ended).rstrip().rpartition("\n")[2]:
                raise
            await asyncio.sleep(RESTART_S)
        else:
            return
    raise AssertionError("the store stayed away")


async def _kill_replica(stage: Stage, fault: Fault) -> None:
    replica = stage.replicas[fault.victim % len(stage.replicas)]
    async with replica.victim:
        await replica.server.kill()
        await asyncio.sleep(fault.away_s)  # how long it is away is part of the fault
        await _start_again(replica.server)


async def _drain_replica(stage: Stage, fault: Fault) -> None:
    replica = stage.replicas[fault.victim % len(stage.replicas)]
    async with replica.victim:
        code = await replica.server.stop()
        assert code == 0, f"it ended with {code}\n{replica.server.log}"
        await _start_again(replica.server)


async def _shift_clock(stage: Stage, fault: Fault) -> None:
    """The last replica goes on with a clock that is off by minutes, until it is off by others."""
    replica = stage.replicas[-1]
    async with replica.victim:
        await replica.server.kill()
        replica.shift_clock(fault.shift_s)
        await _start_again(replica.server)


async def _pause_replica(stage: Stage, fault: Fault) -> None:
    replica = stage.replicas[fault.victim % len(stage.replicas)]
    async with replica.victim:
        await replica.pause(fault.pause_s)


async def _cut(stage: Stage, fault: Fault) -> None:
    """Every connection of one replica, or of all of them."""
    struck = fault.victim % (len(stage.replicas) + 1)
    for number, replica in enumerate(stage.replicas):
        if struck in (number, len(stage.replicas)):
            replica.proxy.cut()


async def _kill_runtime(stage: Stage, fault: Fault) -> None:
    runtime = stage.runtimes[fault.victim % len(stage.runtimes)]
    async with runtime.victim:
        await runtime.kill()
        await asyncio.sleep(fault.away_s)
        await runtime.start()


async def _kill_gateway(stage: Stage, fault: Fault) -> None:
    gateway = stage.gateways[fault.victim % len(stage.gateways)]
    async with gateway.victim:
        await gateway.kill()
        await asyncio.sleep(fault.away_s)
        await gateway.start()


async def _pause_runtime(stage: Stage, fault: Fault) -> None:
    runtime = stage.runtimes[fault.victim % len(stage.runtimes)]
    async with runtime.victim:
        await runtime.pause(fault.pause_s)


async def _pause_gateway(stage: Stage, fault: Fault) -> None:
    gateway = stage.gateways[fault.victim % len(stage.gateways)]
    async with gateway.victim:
        await gateway.pause(fault.pause_s)


async def _restart_postgres(stage: Stage, fault: Fault) -> None:
    assert stage.postgres is not None
    async with stage.store_victim:
        await stage.postgres.restart(fault.away_s)


async def _fail_over(stage: Stage, fault: Fault) -> None:
    assert stage.postgres is not None
    async with stage.store_victim:
        await stage.postgres.fail_over()


async def _fill_disk(stage: Stage, fault: Fault) -> None:
    assert stage.disk is not None
    [replica] = stage.replicas
    async with replica.victim:
        stage.disk.fill(replica.server.pid)
        await asyncio.sleep(fault.away_s)
        stage.disk.free(replica.server.pid)


ACTS: dict[str, Callable[[Stage, Fault], Awaitable[None]]] = {
    "replica killed (kill -9)": _kill_replica,
    "replica drained and started (SIGTERM)": _drain_replica,
    "replica paused past its leases (SIGSTOP)": _pause_replica,
    "clock of a replica off by minutes": _shift_clock,
    "connections cut": _cut,
    "runtime killed (kill -9)": _kill_runtime,
    "runtime paused past its leases (SIGSTOP)": _pause_runtime,
    "gateway killed (kill -9)": _kill_gateway,
    "gateway paused past its leases (SIGSTOP)": _pause_gateway,
    "PostgreSQL stopped and started": _restart_postgres,
    "primary killed, standby promoted": _fail_over,
    "disk full": _fill_disk,
}
_EVERYWHERE = {
    "replica killed (kill -9)": 4,
    "replica drained and started (SIGTERM)": 2,
    "replica paused past its leases (SIGSTOP)": 3,
    "connections cut": 5,
    "runtime killed (kill -9)": 3,
    "runtime paused past its leases (SIGSTOP)": 3,
    "gateway killed (kill -9)": 3,
    "gateway paused past its leases (SIGSTOP)": 2,
}
ON_POSTGRESQL = {
    **_EVERYWHERE,
    "clock of a replica off by minutes": 2,
    "PostgreSQL stopped and started": 3,
    "primary killed, standby promoted": 3,
}
ON_SQLITE = {**_EVERYWHERE, "disk full": 6}
