"""The a2a-sdk's gRPC server, started by the Python that has it; its messages are made from the contract it tells."""

from __future__ import annotations

import asyncio
import base64
import json
import os
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.message_factory import GetMessages

from bench.peers.side import REPLY, Answer, Running, Side
from bench.requests import MESSAGE
from bench.serving import Server

PROGRAM = Path(__file__).with_name("a2a_server.py")
# Spans that nobody collects cost time; the SDK documents this as the way to do without.
ENVIRONMENT = {"OTEL_INSTRUMENTATION_A2A_SDK_ENABLED": "false"}
PACKAGE = "lf.a2a.v1"
COMPLETED = "TASK_STATE_COMPLETED"
_tasks = sa.table("tasks", sa.column("status", sa.JSON))


class Theirs(Side):
    """A send without a task makes a new one, in a context of its own."""

    def __init__(self, server: Server, store_url: str, told: Mapping[str, Any]) -> None:
        """Made from what the server told when it was ready; its store is looked into from outside."""
        stores = ", ".join(f"{name}={value}" for name, value in told["durability"].items())
        running = Running(server, f"/{PACKAGE}.A2AService/SendMessage", f"/{PACKAGE}.A2AService/GetTask", stores)
        super().__init__(running, may_fail=True)  # on SQLite it may answer that the database is locked
        contract = FileDescriptorSet.FromString(base64.b64decode(told["contract"]))
        self._types: dict[str, Any] = GetMessages(contract.file)
        self._engine = sa.create_engine(store_url, poolclass=sa.NullPool)

    async def begin(self, places: int) -> None:
        """There is nothing to make: each task is a new one anyway."""

    def send(self, place: int) -> bytes:
        """A blocking send, as it is by default; the SDK makes a task of each, whatever the message's id."""
        message = {"message_id": "message", "role": "ROLE_USER", "parts": [{"text": MESSAGE}]}
        return self._request("SendMessageRequest", message=message)

    def get(self, work_id: str) -> bytes:
        """The task."""
        return self._request("GetTaskRequest", id=work_id)

    def read_send(self, answer: bytes) -> Answer:
        """The task as it was when it had ended."""
        return self._read(self._types[f"{PACKAGE}.SendMessageResponse"].FromString(answer).task)

    def read_get(self, answer: bytes) -> Answer:
        """The task as it is now."""
        return self._read(self._types[f"{PACKAGE}.Task"].FromString(answer))

    def completed(self) -> int:
        """Tasks that are completed."""
        state, text = _tasks.c.status["state"], _tasks.c.status[("message", "parts", 0, "text")]
        done = sa.select(sa.func.count()).where(state.as_string() == COMPLETED, text.as_string() == REPLY)
        with self._engine.connect() as connection:
            return connection.execute(done.select_from(_tasks)).scalar_one()

    def _request(self, name: str, **fields: Any) -> bytes:
        made: bytes = self._types[f"{PACKAGE}.{name}"](**fields).SerializeToString()
        return made

    def _read(self, task: Any) -> Answer:
        states = task.status.DESCRIPTOR.fields_by_name["state"].enum_type.values_by_number
        text = "".join(part.text for part in task.status.message.parts)
        return Answer(task.id, states[task.status.state].name == COMPLETED, text)


@asynccontextmanager
async def theirs(python: Path, log: Path, store_url: str, *, is_tuned: bool = False) -> AsyncIterator[Side]:
    """The peer on this store; what it has to complain of goes to the log."""
    url = sa.make_url(store_url)
    driver = {"sqlite": "sqlite+aiosqlite", "postgresql": "postgresql+asyncpg"}[url.get_backend_name()]
    its_url = url.set(drivername=driver).render_as_string(hide_password=False)
    command = [str(python), "-I", str(PROGRAM), its_url, *(["--tuned"] if is_tuned else [])]
    with log.open("wb") as errors:
        process = await asyncio.create_subprocess_exec(
            *command, env=os.environ | ENVIRONMENT, stdout=PIPE, stderr=errors
        )
    try:
        assert process.stdout is not None  # noqa: S101 - it was asked for
        ready = await process.stdout.readline()
        if not ready:
            raise RuntimeError(f"the peer did not start; {log} says why")
        told = json.loads(ready)
        yield Theirs(Server(told["address"], process.pid), store_url, told)
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()
