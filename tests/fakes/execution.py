"""An execution without a store: what a provider shows, writes and calls is kept for the test to look at."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sessiond.model.messages import Block, Draft, Message, Provenance, Role, Text, message_id
from sessiond.model.runs import Run, RunKind, RunRow
from sessiond.runtime.assignments import StepContext
from sessiond.worker.execution import Execution, ToolAnswer, ToolSpec

RUN_ID = "01900000-0000-7000-8000-00000000abcd"
_ZEROS: dict[str, Any] = {"int": 0, "str": "", "int | None": None, "str | None": None, "float | None": None}


def a_run(kind: RunKind = RunKind.CHAT, **columns: Any) -> Run:
    """A running run of this kind; columns that nobody asks for are empty."""
    row = {name: _ZEROS[of_type.__forward_arg__] for name, of_type in RunRow.__annotations__.items()}
    row |= {"id": RUN_ID, "kind": kind.value, "state": "running", "agent_id": "main", "model": "the-model"}
    return Run(**(row | {"attempt": 1} | columns))


def a_message(
    *content: Block | str, role: Role = Role.USER, provenance: Provenance | None = None, sequence: int = 1
) -> Message:
    """A stored message; plain strings become text."""
    blocks = tuple(Text(block) if isinstance(block, str) else block for block in content)
    return Message(message_id("session", sequence), sequence, 0, Draft(role, blocks, provenance))


@dataclass
class FakeExecution:
    """One run under way, with everything on record."""

    input: Message
    run: Run = field(default_factory=a_run)
    session_key: str = "agent:main:main"
    history: list[Message] = field(default_factory=list)
    step: StepContext | None = None
    tools: list[ToolSpec] = field(default_factory=list)
    answers: list[ToolAnswer] = field(default_factory=list)
    """What the tools answer, in order; after that, `{}`."""
    deltas: list[str] = field(default_factory=list)
    written: list[Draft] = field(default_factory=list)
    called: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)
    record: list[str] = field(default_factory=list)
    """What happened, in order: `delta`, `write assistant`, `call sessions_send` and the like."""
    has_shown: asyncio.Event = field(default_factory=asyncio.Event)
    has_called: asyncio.Event = field(default_factory=asyncio.Event)
    is_stuck_in_tools: bool = False

    async def delta(self, text: str) -> None:
        """Keep a piece."""
        self.deltas.append(text)
        self.record.append("delta")
        self.has_shown.set()

    async def write(self, draft: Draft) -> None:
        """Keep a message."""
        self.written.append(draft)
        self.record.append(f"write {draft.role}")

    async def call_tool(self, name: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        """Answer as the test said."""
        self.called.append((name, arguments))
        self.record.append(f"call {name}")
        self.has_called.set()
        if self.is_stuck_in_tools:
            await asyncio.Event().wait()
        return self.answers.pop(0) if self.answers else ToolAnswer("{}")


def asked(text: str, kind: RunKind = RunKind.CHAT, step: StepContext | None = None, **more: Any) -> FakeExecution:
    """An execution of a run that is to answer this text."""
    return FakeExecution(a_message(text), a_run(kind), step=step, **more)


async def soon(event: asyncio.Event) -> None:
    """Wait for what must happen; a test that would hang fails instead."""
    async with asyncio.timeout(30):
        await event.wait()


_: type[Execution] = FakeExecution  # the type checker holds the fake to the interface
