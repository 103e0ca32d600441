"""Two PostgreSQL servers, one of which follows the other in step: the first is killed, the second takes its place.

They talk over sockets in folders of their own, so that no port is taken from anybody.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
import psycopg
import sqlalchemy as sa

from tests.postgres import migrated
from tests.system.postgres_binaries import Binaries

# What is acknowledged is on both. Beside speed and the standby's patience only one thing differs from a server's own
# settings: it goes by indexes, as it does once there are many rows, also while there are few.
SETTINGS = {
    "listen_addresses": "''",
    "wal_retrieve_retry_interval": "'200ms'",
    "wal_receiver_timeout": "'5s'",
    "wal_keep_size": "'256MB'",
    "shared_buffers": "'32MB'",
    "max_connections": "80",
    "enable_seqscan": "off",
}
STEP_S = 0.05
IN_STEP_S = 60  # only a standby that never comes back takes so long


class Node:
    """One server: its data, its socket, and its processes."""

    def __init__(self, folder: Path, pg: Binaries) -> None:
        self.folder = folder
        self.data = folder / "data"
        self._pg = pg

    def make(self) -> None:
        """A new, empty cluster."""
        self._pg.run("initdb", "--auth=trust", "--encoding=utf8", "--no-sync", "-U", "postgres", "-D", str(self.data))
        lines = [f"{name} = {value}" for name, value in SETTINGS.items()]
        lines.append(f"unix_socket_directories = '{self.folder}'")
        with (self.data / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")

    def copy_of(self, other: Node) -> None:
        """Begin anew as the other's standby; what was here is thrown away."""
        shutil.rmtree(self.data, ignore_errors=True)
        source = ("-h", str(other.folder), "-U", "postgres", "-D", str(self.data))
        self._pg.run("pg_basebackup", *source, "-R", "-X", "stream", "-c", "fast", "--no-sync")
        with (self.data / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.write(f"unix_socket_directories = '{self.folder}'\n")  # the last one counts

    def start(self) -> None:
        """Start it, and wait until it answers."""
        self._pg.ctl(self.data, "-l", str(self.folder / "log"), "start")

    def stop(self) -> None:
        """As in a crash, but what was committed stays."""
        self._pg.ctl(self.data, "-m", "immediate", "stop")

    def kill(self) -> None:
        """kill -9 of all its processes."""
        processes = self._processes()
        for process in processes:
            with suppress(psutil.NoSuchProcess):  # a child that saw its parent die first
                process.kill()
        psutil.wait_procs(processes)

    def promote(self) -> None:
        """Be the one that writes."""
        self._pg.ctl(self.data, "promote")

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        """The answer to a query, on a connection of its own."""
        where = f"host={self.folder} user=postgres dbname=postgres"
        with psycopg.connect(where, autocommit=True) as connection:
            cursor = connection.execute(query.encode())
            return cursor.fetchall() if cursor.description else []

    def _processes(self) -> list[psutil.Process]:
        """The first of them first; none where it is down."""
        try:
            pid = (self.data / "postmaster.pid").read_text(encoding="utf-8").split()[0]
            postmaster = psutil.Process(int(pid))
            is_ours = str(self.data) in postmaster.cmdline()  # and not a later process of the same number
            return [postmaster, *postmaster.children()] if is_ours else []
        except (FileNotFoundError, psutil.NoSuchProcess):
            return []


class PostgresPair:
    """A primary and its synchronous standby; they change places at a failover."""

    def __init__(self, folder: Path) -> None:
        pg = Binaries(folder)
        self._nodes = [Node(pg.folder(folder / name), pg) for name in ("a", "b")]

    @property
    def url(self) -> str:
        """Of both, for a store that finds the one that writes."""
        hosts = "&".join(f"host={node.folder}" for node in self._nodes)
        return f"postgresql+psycopg://postgres@/postgres?{hosts}"

    @property
    def primary(self) -> Node:
        """The one that writes."""
        return self._nodes[0]

    @property
    def standby(self) -> Node:
        """The one that follows."""
        return self._nodes[1]

    async def make(self) -> None:
        """Both from nothing, with the schema."""
        await asyncio.to_thread(self.primary.make)
        await asyncio.to_thread(self.primary.start)
        await asyncio.to_thread(lambda: migrated(sa.make_url(self.url)).dispose())
        await self._follow()

    async def restart(self, away_s: float) -> None:
        """The primary crashes and comes back; the standby follows on."""
        await self.in_step()
        await asyncio.to_thread(self.primary.stop)
        await asyncio.sleep(away_s)  # how long it is away is part of the fault
        await asyncio.to_thread(self.primary.start)

    async def fail_over(self) -> None:
        """The primary is killed for good, its standby promoted, and a new standby made where the old primary was."""
        await self.in_step()  # else the standby lacks what the primary alone has, as any operator knows
        await asyncio.to_thread(self.primary.kill)
        await asyncio.to_thread(self.standby.promote)
        self._nodes.reverse()
        await self._follow()

    async def in_step(self) -> None:
        """Wait until every commit is on both before it is acknowledged."""
        async with asyncio.timeout(IN_STEP_S):
            query = "SELECT sync_state, state FROM pg_stat_replication"
            while ("sync", "streaming") not in await asyncio.to_thread(self.primary.ask, query):  # noqa: ASYNC110
                await asyncio.sleep(STEP_S)  # PostgreSQL tells nobody when it is

    async def end(self) -> None:
        """Nothing of them is needed any more."""
        for node in self._nodes:
            await asyncio.to_thread(node.kill)

    async def _follow(self) -> None:
        """Have the second follow the first, and only then wait for it at every commit."""
        await asyncio.to_thread(self.standby.copy_of, self.primary)
        await asyncio.to_thread(self.standby.start)
        await asyncio.to_thread(self.primary.ask, "ALTER SYSTEM SET synchronous_standby_names = '*'")
        await asyncio.to_thread(self.primary.ask, "SELECT pg_reload_conf()")
        await self.in_step()


@asynccontextmanager
async def postgres_pair() -> AsyncIterator[PostgresPair]:
    """A started pair for the time of the context."""
    with tempfile.TemporaryDirectory(prefix="st-pair-") as name:
        folder = Path(name)
        os.chmod(folder, 0o755)  # noqa: PTH101, S103 - its servers may be another user's
        pair = PostgresPair(folder)
        try:
            await pair.make()
            yield pair
        finally:
            await pair.end()
