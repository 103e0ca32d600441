"""`python a2a_server.py DATABASE_URL [--tuned]`: an a2a-sdk gRPC server on its SQL task store, whose agent echoes.

Run by the Python of build/peers, where the SDK is installed; it imports nothing of this project. Everything is put
together as the SDK's own sample does, with the task store on a database. The one line that it prints is JSON: its
address, its contract, and how the database says it stores.
"""

from __future__ import annotations

import asyncio
import base64
import json
import signal
import sys

import grpc
import sqlalchemy as sa
from a2a.helpers import new_task  # type: ignore[import-not-found] # in build/peers only, as all of a2a
from a2a.server.agent_execution import AgentExecutor, RequestContext  # type: ignore[import-not-found]
from a2a.server.events import EventQueue  # type: ignore[import-not-found]
from a2a.server.request_handlers import DefaultRequestHandler, GrpcHandler  # type: ignore[import-not-found]
from a2a.server.tasks import DatabaseTaskStore, TaskUpdater  # type: ignore[import-not-found]
from a2a.types import (  # type: ignore[import-not-found]
    AgentCapabilities,
    AgentCard,
    AgentInterface,
    AgentSkill,
    Part,
    TaskState,
    a2a_pb2,
    a2a_pb2_grpc,
)
from google.protobuf.descriptor import FileDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine


class Echo(AgentExecutor):  # type: ignore[misc] # its base is in build/peers only
    """Says back what it hears, in the fewest events that an executor should publish: the task, and its completion."""

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Each of the two events is one save, so a task is in the store before it is done."""
        made = new_task(context.task_id, context.context_id, TaskState.TASK_STATE_SUBMITTED, history=[context.message])
        await event_queue.enqueue_event(made)
        updater = TaskUpdater(event_queue, context.task_id, context.context_id)
        reply = updater.new_agent_message([Part(text=f"echo: {context.get_user_input()}")])
        await updater.complete(reply)

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        """Nobody cancels here."""
        raise NotImplementedError


def card(address: str) -> AgentCard:
    """The agent as the SDK wants it described."""
    skill = AgentSkill(id="echo", name="Echo", description="Says back what it hears.", tags=["echo"])
    return AgentCard(
        name="Echo",
        description="Says back what it hears.",
        version="1.0.0",
        capabilities=AgentCapabilities(streaming=True),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[skill],
        supported_interfaces=[AgentInterface(protocol_binding="GRPC", protocol_version="1.0", url=address)],
    )


def on_database(url: str, *, is_tuned: bool) -> AsyncEngine:
    """SQLAlchemy's own defaults; tuned, SQLite with a write-ahead log, and one connection so that writers don't meet.

    It is `synchronous=FULL` either way, as SQLite is by itself.
    """
    if not is_tuned:
        return create_async_engine(url)
    engine = create_async_engine(url, pool_size=1, max_overflow=0)

    @sa.event.listens_for(engine.sync_engine, "connect")
    def _write_ahead(connection: sa.engine.interfaces.DBAPIConnection, _: object) -> None:
        cursor = connection.cursor()
        cursor.execute("PRAGMA journal_mode=WAL")
        cursor.close()

    return engine


async def durability(engine: AsyncEngine) -> dict[str, str]:
    """What the database itself says of how it stores."""
    is_sqlite = engine.dialect.name == "sqlite"
    names = ("journal_mode", "synchronous") if is_sqlite else ("fsync", "synchronous_commit")
    async with engine.connect() as connection:
        ask = "PRAGMA" if is_sqlite else "SHOW"
        return {name: str((await connection.exec_driver_sql(f"{ask} {name}")).scalar_one()) for name in names}


def contract(file: FileDescriptor) -> FileDescriptorSet:
    """The file and all that it imports, each after its own imports, so that callers need no copy of the protos."""
    found: dict[str, FileDescriptor] = {}

    def add(each: FileDescriptor) -> None:
        for imported in each.dependencies:
            add(imported)
        found.setdefault(each.name, each)

    add(file)
    files = FileDescriptorSet()
    for each in found.values():
        each.CopyToProto(files.file.add())
    return files


async def main(url: str, *, is_tuned: bool) -> None:
    """Serve until SIGTERM."""
    engine = on_database(url, is_tuned=is_tuned)
    store = DatabaseTaskStore(engine)
    await store.initialize()
    server = grpc.aio.server()
    address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    handler = DefaultRequestHandler(agent_executor=Echo(), task_store=store, agent_card=card(address))
    a2a_pb2_grpc.add_A2AServiceServicer_to_server(GrpcHandler(handler), server)
    await server.start()
    types = base64.b64encode(contract(a2a_pb2.DESCRIPTOR).SerializeToString()).decode()
    print(json.dumps({"address": address, "contract": types, "durability": await durability(engine)}), flush=True)

    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    await stopping.wait()
    await server.stop(grace=5)
    await handler.aclose()
    await engine.dispose()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], is_tuned="--tuned" in sys.argv[2:]))
