"""kill -9 in the middle of mirroring: after the next start every file is whole again (L9, X2)."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from sessiond.store.opening import open_database
from sessiond.transcripts.folder import Folder
from sessiontools.v1 import gateway_service_pb2 as pb
from sessiontools.v1.gateway_service_pb2_grpc import GatewayServiceStub
from tests.system.server_process import ServerProcess, serving
from tests.transcripts.reading_back import expected, held

SESSIONS = 20


async def test_every_file_is_whole_after_the_next_start(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'data' / 'sessiontools.db'}"
    folder = Folder(tmp_path / "data" / "transcripts")
    async with serving(tmp_path, url) as server:
        await _talk(server, "before")
        await server.kill()
        _tear(folder)

        await server.start()
        await _talk(server, "after")
        assert await server.stop() == 0

    db = await open_database(url, lambda topics: None)
    wanted = await expected(db)
    await db.close()
    assert len(wanted) == SESSIONS
    assert held(folder) == wanted


async def _talk(server: ServerProcess, text: str) -> None:
    """A message to each session; returns when they are accepted, whatever became of their runs and files."""
    async with server.channel() as channel:
        stub: Any = GatewayServiceStub(channel)
        requests = [pb.ChatSendRequest(session_key=f"hook:{number}", text=text) for number in range(SESSIONS)]
        await asyncio.gather(*(stub.ChatSend(request, wait_for_ready=True) for request in requests))


def _tear(folder: Folder) -> None:
    """As if the machine had died in the middle of writing."""
    for session_id in list(folder.session_ids())[::2]:
        file = folder.file_of(session_id)
        file.write_bytes(file.read_bytes()[:-7])
