"""kill -9 of the server or of a runtime, at random moments of a busy time: nothing lost, nothing doubled (X2, R4)."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa

from sessiond.store.opening import engine_of
from sessiond.store.schema import metadata
from tests.system.checker import check_store
from tests.system.client import Client
from tests.system.conftest import Rounds
from tests.system.house import FINAL, House, text_of
from tests.system.runtime_process import RuntimeProcess, executing
from tests.system.server_process import ServerProcess, serving
from tests.system.traffic import AGENTS, Gateway, Traffic, errands, keys_of

SESSIONS, RUNS, KILLS = 50, 200, 2
ROUND_S = 240  # only a run that is never over takes so long
CONFIG = {
    "runtime": {"leaseSeconds": 1},  # so that what was lost is known soon
    "deliveries": {"leaseSeconds": 1},
    "agents": {"list": [{"id": AGENTS[0]}, {"id": AGENTS[1], "runtime": "external"}]},
    "tools": {"agentToAgent": {"enabled": True}},
    "session": {"agentToAgent": {"maxRunsPerTrace": 100_000}},
}


@pytest.mark.parametrize("victim", ["server", "runtime"])
async def test_what_was_accepted_survives_kills_and_nothing_runs_twice(
    victim: str, store_url: str, tmp_path: Path, rounds: Rounds
) -> None:  # X2, R2, R4
    for number, rng in enumerate(rounds()):
        folder = tmp_path / f"round-{number}"
        folder.mkdir()
        async with asyncio.timeout(ROUND_S), serving(folder, store_url, **CONFIG) as server:
            async with executing(folder, server.address) as runtime, server.channel() as channel:
                traffic = Traffic(Client(channel), errands(rng, keys_of(SESSIONS), RUNS))
                kill_and_start = _killing(victim, server, runtime, store_url)

                await _busy_time(traffic, Client(channel), kill_and_start, rng)

            assert await server.stop() == 0
        _nothing_is_lost_or_doubled(check_store(store_url), traffic, runtime)
        _empty(store_url)


def _killing(
    victim: str, server: ServerProcess, runtime: RuntimeProcess, store_url: str
) -> Callable[[], Awaitable[None]]:
    async def server_dies() -> None:
        await server.kill()
        check_store(store_url)
        await server.start()

    async def runtime_dies() -> None:
        await runtime.kill()
        await runtime.start()

    return server_dies if victim == "server" else runtime_dies


async def _busy_time(
    traffic: Traffic, client: Client, kill_and_start: Callable[[], Awaitable[None]], rng: random.Random
) -> None:
    """All errands sent, all that came of them over; somewhere in between the kills."""
    await client.make_sessions(*keys_of(SESSIONS))
    async with _delivering(client), asyncio.TaskGroup() as tasks:
        tasks.create_task(traffic.send_all())
        for accepted in sorted(rng.randint(1, RUNS) for _ in range(KILLS)):
            await traffic.accepted(accepted)
            await asyncio.sleep(rng.uniform(0, 0.3))  # the moment is left to chance
            await kill_and_start()
        await traffic.accepted(RUNS)
        await traffic.settled()


@asynccontextmanager
async def _delivering(client: Client) -> AsyncIterator[None]:
    async with asyncio.TaskGroup() as tasks:
        delivering = tasks.create_task(Gateway(client).run())
        yield
        delivering.cancel()


def _nothing_is_lost_or_doubled(house: House, traffic: Traffic, runtime: RuntimeProcess) -> None:
    assert {run.id for run in house.asked_for} == traffic.runs.keys()
    for run_id, errand in traffic.runs.items():
        run = house.runs[run_id]
        outcome = run.reply if run.state == "succeeded" else run.failure_reason
        assert outcome in (errand.outcome, "RUNTIME_LOST"), f"{errand} came to {run}"
        assert text_of(house.messages[run.input_place]) == errand.text
    for run in house.runs.values():
        assert (run.state in FINAL, run.attempt, house.starts_of(run.id)) == (True, 1, 1), house.changes_of(run.id)
    twice = {run_id: times for run_id, times in runtime.executed().items() if times > 1}
    assert not twice, f"begun more than once: {twice}"
    print(_summary(house))


def _summary(house: House) -> str:
    ends = sorted(run.failure_reason or run.state for run in house.runs.values())
    return f"{len(ends)} runs: " + ", ".join(f"{ends.count(end)} {end}" for end in dict.fromkeys(ends))


def _empty(store_url: str) -> None:
    """The next round begins with nothing."""
    engine = engine_of(store_url)
    with engine.begin() as connection:
        for table in metadata.sorted_tables:
            connection.execute(sa.delete(table))
    engine.dispose()
