"""What a built-in runtime is given to execute one run, and what it gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from sessiond.model.messages import Draft, Message, Usage
from sessiond.model.runs import Failure, Run
from sessiond.runtime.assignments import StepContext


@dataclass(frozen=True)
class ToolSpec:
    """A session tool as a model is told of it; `parameters` is a JSON schema."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True)
class ToolAnswer:
    """What a session tool answered: JSON text, or the text of its refusal."""

    text: str
    is_error: bool = False


class Outcome(NamedTuple):
    """How an execution ended: a reply, possibly empty, or a failure."""

    result: str | Failure
    usage: Usage | None = None


class Execution(Protocol):
    """One run under way. Its task is cancelled when the run is to stop, so clean up in `finally`."""

    @property
    def run(self) -> Run:
        """The run."""

    @property
    def session_key(self) -> str:
        """The key of its session."""

    @property
    def history(self) -> list[Message]:
        """The transcript before the input, oldest first."""

    @property
    def input(self) -> Message:
        """The message to answer."""

    @property
    def step(self) -> StepContext | None:
        """The exchange it is part of; None for a chat."""

    @property
    def tools(self) -> list[ToolSpec]:
        """The session tools that it may call."""

    async def delta(self, text: str) -> None:
        """Show waiters a piece of what is being written."""

    async def write(self, draft: Draft) -> None:
        """Append a message to the transcript: a tool call of the assistant, or a tool's result."""

    async def call_tool(self, name: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        """Call a session tool with the run's own authority."""


class Provider(Protocol):
    """A way of answering: one per configured model."""

    reads_history: bool = True

    async def execute(self, execution: Execution) -> Outcome:
        """Answer the input."""
