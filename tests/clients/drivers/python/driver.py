"""The driver of the Python client for the conformance cases: commands on standard input, answers on standard output."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from sessiontools import Client, SessionToolsError, connect
from tests.clients.drivers.python.waits import Wait
from tests.clients.drivers.python.wire import LINE_BYTES, Command, answer, decoded, encoded, failure


class Driver:
    """Does what the commands say; a fault of its own ends the program."""

    def __init__(self) -> None:
        self._client: Client | None = None
        self._waits: dict[Any, Wait] = {}  # by the id of the command that opened it

    async def obey(self, command: Command) -> None:
        """One command, beside others."""
        match command["op"]:
            case "dial":
                await self._dial(command)
            case "call":
                await self._call(command)
            case "stream":
                await self._stream(command)
            case "wait":
                self._wait(command)
            case "next":
                await self._waits[command["wait"]].take(command)
            case "cancel":
                await self._waits[command["wait"]].cancel()
                answer(command, done=True)
            case unknown:
                raise ValueError(f"unknown command {unknown!r}")

    async def close(self) -> None:
        """End the connection."""
        if self._client:
            await self._client.close()

    async def _dial(self, command: Command) -> None:
        before, self._client = (
            self._client,
            connect(
                command["target"],
                token=command.get("token", ""),
                acting_session=command.get("acting_session", ""),
                plaintext=True,
            ),
        )
        if before:
            await before.close()
        answer(command, done=True)

    async def _call(self, command: Command) -> None:
        method = getattr(self._caller(command), command["method"])
        try:
            response = await method(decoded(command, command["method"]), timeout=command.get("deadline_seconds"))
        except SessionToolsError as error:
            answer(command, error=failure(error))
        else:
            answer(command, response=encoded(response))

    async def _stream(self, command: Command) -> None:
        """Read the answers of WaitRuns to their end."""
        method = self._caller(command).WaitRuns
        try:
            async for event in method(decoded(command, "WaitRuns"), timeout=command.get("deadline_seconds")):
                answer(command, event=encoded(event))
        except SessionToolsError as error:
            answer(command, error=failure(error))
        else:
            answer(command, done=True)

    def _wait(self, command: Command) -> None:
        request, timeout = decoded(command, "WaitRun"), command.get("deadline_seconds")
        self._waits[command["id"]] = Wait(self._caller(command).wait_run(request, timeout=timeout))
        answer(command, done=True)

    def _caller(self, command: Command) -> Client:
        """The client with the credentials of a command."""
        client = self._client
        if client is None:
            raise ValueError("not dialed yet")
        if "token" in command:
            client = client.with_token(command["token"])
        if "acting_session" in command:
            client = client.acting_as(command["acting_session"])
        return client


async def main() -> None:
    """Obey until the input ends."""
    lines = asyncio.StreamReader(limit=LINE_BYTES)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    driver = Driver()
    async with asyncio.TaskGroup() as tasks:
        started = set()
        while line := await lines.readline():
            started.add(task := tasks.create_task(driver.obey(json.loads(line))))
            task.add_done_callback(started.discard)
        for task in started:
            task.cancel()
    await driver.close()


asyncio.run(main())
