"""Every rpc under random and hostile requests, on each database: no fault, no lost run, nothing broken (X1, X6)."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import grpc

from tests.fuzz.aftermath import check_sqlite, faults_in, ordinary_day, settle, strangers_in
from tests.fuzz.finds import Finds
from tests.fuzz.methods import all_methods
from tests.fuzz.sockets import Sockets
from tests.fuzz.stage import CONFIG, furnish
from tests.fuzz.storm import Tally, storm
from tests.fuzz.watch import watching
from tests.system.checker import problems_of
from tests.system.house import read_house
from tests.system.server_process import ServerProcess, serving

CONNECTIONS = 4
SHARE_WITHOUT_PURGE = 0.6  # of the time; the checker can't tell what was purged from what was lost
MOST_MIB = 1024
REOPENED = "'dead', '"  # an owner retried or discarded a dead delivery, which the checker takes for a second outcome


async def test_no_request_however_hostile_is_met_with_a_fault(
    store_url: str, tmp_path: Path, seed: str, seconds: float
) -> None:  # X1, X6
    tally = Tally()
    async with serving(tmp_path, store_url, **CONFIG) as server:
        async with watching(server) as watch, connected(server) as channels:
            await furnish(channels[0])
            await _storm_and_calm(server, channels, tally, seed, seconds * SHARE_WITHOUT_PURGE, may_purge=False)
            problems = [each for each in problems_of(read_house(store_url)) if REOPENED not in each]
            await _storm_and_calm(server, channels, tally, seed, seconds * (1 - SHARE_WITHOUT_PURGE), may_purge=True)
            await ordinary_day(channels[0])
        print(f"{tally}\nhealth was asked {watch.checks} times; the server took at most {watch.most_mib} MiB")
        assert await server.stop() == 0
    faults = faults_in((tmp_path / "server.log").read_bytes())

    assert not tally.breaches, tally.told()
    assert not problems, "\n".join(problems)
    assert not faults, "\n".join(faults)
    assert not strangers_in(tmp_path)
    assert watch.most_mib < MOST_MIB
    assert {method.name for method in all_methods()} <= {name for name, _ in tally.calls}
    if store_url.startswith("sqlite"):
        check_sqlite(store_url)


async def _storm_and_calm(
    server: ServerProcess,
    channels: Sequence[grpc.aio.Channel],
    tally: Tally,
    seed: str,
    seconds: float,
    *,
    may_purge: bool,
) -> None:
    """Callers and sockets at once, and then all that they set off comes to its end."""
    over = asyncio.get_running_loop().time() + seconds
    rng = random.Random(f"{seed} sockets {may_purge}")  # noqa: S311 - not for secrets
    async with Sockets(server.port, rng) as sockets, asyncio.TaskGroup() as tasks:
        tasks.create_task(storm(channels, Finds(), tally, f"{seed} {may_purge}", over, may_purge=may_purge))
        tasks.create_task(sockets.strike_on(over))
    print(f"{sockets.strikes.total()} hostile connections")
    await settle(channels[0])


@asynccontextmanager
async def connected(server: ServerProcess) -> AsyncIterator[list[grpc.aio.Channel]]:
    """Several connections to the server."""
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(server.channel()) for _ in range(CONNECTIONS)]
