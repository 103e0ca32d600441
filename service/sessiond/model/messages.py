"""A transcript entry and its content blocks; stored byte for byte as sent."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

MAX_MESSAGE_BYTES = 1024 * 1024
# Levels of objects and lists in the arguments of a tool call. Each is up to three messages within each other on the
# wire, and protobuf reads no more than a hundred, those around the arguments among them.
MAX_DEPTH = 28


class Role(StrEnum):
    """Who speaks in a message."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL_RESULT = "toolResult"
    SYSTEM = "system"


class ProvenanceKind(StrEnum):
    """Where a message came from; set by the server only."""

    USER = "user"
    INTER_SESSION = "inter_session"
    SUBAGENT_TASK = "subagent_task"
    REPLY_BACK = "reply_back"
    ANNOUNCE_STEP = "announce_step"
    SUBAGENT_ANNOUNCE = "subagent_announce"
    SYSTEM = "system"


class Provenance(NamedTuple):
    """Where a message came from, and through what."""

    kind: ProvenanceKind
    source_session_key: str = ""
    source_run_id: str = ""
    tool: str = ""


@dataclass(frozen=True)
class Text:
    """Plain text."""

    text: str


@dataclass(frozen=True)
class Thinking:
    """A model's reasoning, with the provider's signature over it."""

    text: str
    signature: str = ""


@dataclass(frozen=True)
class ToolCall:
    """A tool the model asked for."""

    id: str
    name: str
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ToolResult:
    """What a tool answered."""

    tool_call_id: str
    name: str
    text: str
    is_error: bool = False


@dataclass(frozen=True)
class Image:
    """A picture, as bytes."""

    mime_type: str
    data: bytes


Block = Text | Thinking | ToolCall | ToolResult | Image


@dataclass(frozen=True)
class Usage:
    """Tokens and money that a turn took."""

    input_tokens: int = 0
    output_tokens: int = 0
    total_tokens: int = 0
    cost_usd: float | None = None


class Draft(NamedTuple):
    """A message before the store gives it its place: sequence, id and time."""

    role: Role
    content: tuple[Block, ...]
    provenance: Provenance | None = None  # None = the session's own agent wrote it
    run_id: str = ""
    model: str = ""
    usage: Usage | None = None


class Message(NamedTuple):
    """A stored message."""

    id: str
    sequence: int
    created_ms: int
    draft: Draft

    @property
    def text(self) -> str:
        """The words of the message, without thinking, tools and pictures."""
        return "\n".join(block.text for block in self.draft.content if isinstance(block, Text))


def message_id(session_id: str, sequence: int) -> str:
    """A message's id: its place, so that it needs no index of its own."""
    return f"{session_id}:{sequence}"


def is_too_deep(value: Any, levels: int = MAX_DEPTH) -> bool:
    """Whether a value nests objects and lists so deep that no client could read it."""
    if not isinstance(value, dict | list):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(is_too_deep(each, levels - 1) for each in inner)


def shallow(value: Any, levels: int = MAX_DEPTH) -> Any:
    """The value, with what is nested too deep as JSON text in its place."""
    if not isinstance(value, dict | list):
        return value
    if levels == 0:
        return json.dumps(value)
    if isinstance(value, dict):
        return {name: shallow(each, levels - 1) for name, each in value.items()}
    return [shallow(each, levels - 1) for each in value]
