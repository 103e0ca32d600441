"""Clients that call all along, while somebody changes the server under them; every failed call is kept."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager

from sessiontools import Client, SessionToolsError
from sessiontools.v1 import run_pb2
from sessiontools.v1 import session_tools_service_pb2 as pb

WORKERS = 6
Dial = Callable[[], Client]


class Load:
    """Workers that send, list and wait, round after round; the last of them has a new connection for every round."""

    def __init__(self, dial: Dial, token: str) -> None:
        self.token = token  # the one for the next rounds
        self.calls: Counter[str] = Counter()
        self.failed: list[str] = []
        self._dial = dial
        self._rounds: Counter[int] = Counter()
        self._done = asyncio.Condition()

    async def go_on(self, rounds: int = 2) -> None:
        """Return when every worker has begun and ended so many more rounds."""
        wanted = {worker: self._rounds[worker] + rounds + 1 for worker in range(WORKERS)}
        async with self._done:
            await self._done.wait_for(lambda: all(self._rounds[each] >= wanted[each] for each in wanted))

    async def work(self, number: int) -> None:
        """Round after round, until cancelled."""
        async with self._dial() as client:
            while True:
                if number == WORKERS - 1:
                    async with self._dial() as newcomer:
                        await self._round(newcomer, number)
                else:
                    await self._round(client, number)
                async with self._done:
                    self._rounds[number] += 1
                    self._done.notify_all()

    async def _round(self, client: Client, number: int) -> None:
        client = client.with_token(self.token)
        key = f"agent:main:load-{number}"
        for name, call in (("send", _send), ("list", _list), ("wait", _wait)):
            self.calls[name] += 1
            try:
                await call(client, key)
            except SessionToolsError as problem:
                self.failed.append(f"{name}: {problem}")


async def _send(client: Client, key: str) -> None:
    """Send and wait for the reply; a server that stops in between says so, and the run goes on."""
    never = pb.ANNOUNCE_POLICY_NEVER
    sent = await client.SessionsSend(pb.SessionsSendRequest(session_key=key, message="hello", announce=never))
    assert (sent.status, sent.reply) in ((pb.SEND_STATUS_OK, "echo: hello"), (pb.SEND_STATUS_TIMEOUT, "")), sent


async def _list(client: Client, key: str) -> None:
    listed = await client.SessionsList(pb.SessionsListRequest(limit=200))
    assert key in {each.key for each in listed.sessions}


async def _wait(client: Client, key: str) -> None:
    """Send, and follow the run to its end."""
    request = pb.SessionsSendRequest(session_key=key, message="again", timeout_seconds=0)
    run_id = (await client.SessionsSend(request)).run_id
    async with aclosing(client.wait_run(pb.WaitRunRequest(run_id=run_id))) as events:
        told = [event async for event in events]
    assert told[-1].ended.reason == run_pb2.END_REASON_RUN_TERMINAL
    assert told[-1].ended.run.reply == "echo: again"


@asynccontextmanager
async def loaded(dial: Dial, token: str) -> AsyncIterator[Load]:
    """A load for the time of the context; whatever a worker raises ends it all."""
    load = Load(dial, token)
    async with asyncio.TaskGroup() as tasks:
        workers = [tasks.create_task(load.work(number)) for number in range(WORKERS)]
        await load.go_on()
        yield load
        await load.go_on()
        for worker in workers:
            worker.cancel()
    print(f"{sum(load.calls.values())} calls {dict(load.calls)}, {len(load.failed)} failed")
