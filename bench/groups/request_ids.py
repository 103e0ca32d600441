"""What a request_id costs: the same sends with and without one."""

from __future__ import annotations

from functools import partial
from itertools import count, cycle
from uuid import uuid4

from bench.clients import Client, driven
from bench.load import Load
from bench.report import Table
from bench.requests import a_send, make_sessions
from bench.serving import Server
from bench.sides import each_server
from bench.stores import Bench
from bench.turns import HEADERS, Measure, cells, in_turns
from sessiontools.v1.session_tools_service_pb2 import SessionsSendRequest

CONCURRENCY = 16
WITHOUT, WITH = "without", "with"
ABOUT = (
    f"Sends without a wait by {CONCURRENCY} tasks of one client for Python with a connection each, since h2load can't "
    "give each its own `request_id`; the ratio is to the same without."
)
_numbers = count()


async def tables(bench: Bench) -> list[Table]:
    """Both databases, with and without, in turns."""
    async with each_server(bench) as servers:
        sides: dict[tuple[str, str], Measure] = {
            (name, how): partial(_sends, server, how == WITH)
            for name, server in servers.items()
            for how in (WITHOUT, WITH)
        }
        loads = await in_turns(sides, bench.options)
    rows = [[name, how, *cells(each, loads[name, WITHOUT])] for (name, how), each in loads.items()]
    return [Table("SessionsSend with a request_id", ABOUT, ("server", "request_id", *HEADERS), rows)]


async def _sends(server: Server, has_id: bool, seconds: float) -> Load:
    keys = await make_sessions(server.address, f"ids-{next(_numbers):04}", CONCURRENCY)
    bodies = cycle([a_send(key).body for key in keys])

    async def send(client: Client) -> None:
        request = SessionsSendRequest.FromString(next(bodies))
        if has_id:
            request.request_id = str(uuid4())
        await client.tools.SessionsSend(request)

    return await driven(server.address, send, CONCURRENCY, seconds)
