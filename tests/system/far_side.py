"""What stands outside of the server, in a process of its own: `python far_side.py runtime|gateway TARGET FILE`.

Both are written with the Python client. What they do is noted in FILE before they do it, and they say `ready` first.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

os.environ["GRPC_ENABLE_FORK_SUPPORT"] = "0"

from sessiontools import Assignment, DeliveryError, connect
from sessiontools.pauses import Clock
from sessiontools.taking import persist
from sessiontools.v1.delivery_pb2 import Delivery
from sessiontools.v1.message_pb2 import ROLE_TOOL_RESULT, ContentBlock, Message, ToolResultBlock
from sessiontools.v1.run_pb2 import RUN_KIND_CHAT, RUN_KIND_SEND, RUN_KIND_SPAWN
from sessiontools.v1.runtime_service_pb2 import RunEvent
from sessiontools.v1.session_tools_service_pb2 import AgentsListRequest

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.system.targets import OPTIONS

RUNS_AT_ONCE = 8
WORK_S = 0.05
WITH_TOOLS = frozenset({RUN_KIND_CHAT, RUN_KIND_SEND})
ASKED = frozenset({RUN_KIND_CHAT, RUN_KIND_SEND, RUN_KIND_SPAWN})


class Journal:
    """A file that outlives whoever writes to it, shared by all."""

    def __init__(self, file: str) -> None:
        self._file = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def note(self, *words: object) -> None:
        """One line, whole or not at all."""
        os.write(self._file, (" ".join(str(word) for word in words) + "\n").encode())


async def think(run: Assignment, journal: Journal) -> str:
    """Show something, use a tool with the run's own token, take a while, and answer."""
    journal.note(run.run_id, run.assigned.run.attempt, run.assigned.lease_token)
    await run.delta("far ")
    await run.append(RunEvent(delta="away"), RunEvent(message=_note(await _tool(run))))
    await asyncio.sleep(WORK_S)
    if run.assigned.run.kind not in ASKED:
        return run.assigned.context.skip_token
    return f"far: {run.text}"


async def send(delivery: Delivery, journal: Journal) -> str:
    """Refuse the first attempt of some, and send the others."""
    is_refused = delivery.attempts == 1 and delivery.id.endswith(("a", "b"))
    words = ("again" if delivery.possibly_delivered else "new", "refused" if is_refused else "sent")
    journal.note(delivery.id, *words, delivery.lease_token)
    if is_refused:
        raise DeliveryError("not now", retry_after=1)
    return delivery.id


async def _tool(run: Assignment) -> str:
    """Call a session tool as the agent, where it may: sub-agents have none."""
    if run.assigned.run.kind not in WITH_TOOLS:
        return "none"
    answer = await persist(Clock(), lambda: run.agent.AgentsList(AgentsListRequest()))
    return answer.requester_agent_id


def _note(agent_id: str) -> Message:
    result = ToolResultBlock(tool_call_id="1", name="agents_list", text=agent_id)
    return Message(role=ROLE_TOOL_RESULT, content=[ContentBlock(tool_result=result)])


async def main(role: str, target: str, file: str) -> None:
    """Serve until killed."""
    journal = Journal(file)
    async with connect(target, plaintext=True, options=OPTIONS) as client:
        print("ready", flush=True)
        if role == "gateway":
            await client.serve_deliveries(lambda delivery: send(delivery, journal))
        name = f"far-{os.getpid()}"
        await client.serve_runs(lambda run: think(run, journal), runtime_id=name, max_runs=RUNS_AT_ONCE)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
