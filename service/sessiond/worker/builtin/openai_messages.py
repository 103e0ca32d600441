"""A transcript in the form of Chat Completions."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

from sessiond.model.messages import (
    Draft,
    Image,
    Provenance,
    ProvenanceKind,
    Role,
    Text,
    ToolCall,
    ToolResult,
)
from sessiond.worker.execution import ToolSpec

Json = dict[str, Any]
NO_RESULT = "(no result: the run ended before the tool had answered)"
# What endpoints take as the name of a function; a transcript may hold names of any kind.
MAX_NAME = 64
_NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9_-]|^$")
_SOURCES = {
    ProvenanceKind.INTER_SESSION: "was sent by the agent of session {source}, not by the user",
    ProvenanceKind.SUBAGENT_TASK: "is a task that the agent of session {source} gave you, not the user",
    ProvenanceKind.REPLY_BACK: "is a reply of the agent of session {source} to you, not a message of the user",
    ProvenanceKind.ANNOUNCE_STEP: "was written by the server, not by the user",
    ProvenanceKind.SUBAGENT_ANNOUNCE: "is the result of the sub-agent in session {source}, not a message of the user",
    ProvenanceKind.SYSTEM: "was written by the server, not by the user",
}


def tools_as_json(tools: Sequence[ToolSpec]) -> list[Json]:
    """The tools as functions that the model may call."""
    return [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)},
        }
        for tool in tools
    ]


def messages_as_json(drafts: Sequence[Draft]) -> list[Json]:
    """The conversation. Each call is followed at once by its result, as endpoints insist.

    A transcript is not that tidy: runs are cancelled in mid-call, announcements come in between, and its beginning may
    be cut off. So results are put behind their calls, calls without a result get one that says so, and results without
    a call are left out. Calls are numbered anew: ids in a transcript come from many models, with rules of their own.
    """
    results = _results(drafts)
    numbers = count(1)
    said: list[Json] = []
    for at, draft in enumerate(drafts):
        if draft.role is Role.ASSISTANT:
            said.extend(_assistant(draft, at, results, numbers))
        elif draft.role is not Role.TOOL_RESULT:
            said.extend(_other(draft))
    return said


def _results(drafts: Sequence[Draft]) -> dict[tuple[int, int], ToolResult]:
    """The result of each call, by where the call stands. An id counts until it is answered or used again."""
    results: dict[tuple[int, int], ToolResult] = {}
    waiting: dict[str, tuple[int, int]] = {}
    for at, draft in enumerate(drafts):
        for place, block in enumerate(draft.content):
            if isinstance(block, ToolCall):
                waiting[block.id] = (at, place)
            elif isinstance(block, ToolResult) and block.tool_call_id in waiting:
                results[waiting.pop(block.tool_call_id)] = block
    return results


def _assistant(
    draft: Draft, at: int, results: dict[tuple[int, int], ToolResult], numbers: Iterator[int]
) -> Iterator[Json]:
    calls: list[Json] = []
    answers: list[Json] = []
    for place, block in enumerate(draft.content):
        if isinstance(block, ToolCall):
            call_id = f"call{next(numbers):05}"  # nine letters and digits: the strictest endpoint's rule
            function = {
                "name": _NOT_IN_NAMES.sub("_", block.name)[:MAX_NAME],
                "arguments": json.dumps(block.arguments, ensure_ascii=False),
            }
            calls.append({"id": call_id, "type": "function", "function": function})
            answers.append({"role": "tool", "tool_call_id": call_id, "content": _said(results.get((at, place)))})
    text = _text(draft)
    if calls:
        yield {"role": "assistant", "content": text or None, "tool_calls": calls}
        yield from answers
    elif text:
        yield {"role": "assistant", "content": text}


def _said(result: ToolResult | None) -> str:
    if result is None:
        return NO_RESULT
    return f"Error: {result.text}" if result.is_error else result.text


def _other(draft: Draft) -> Iterator[Json]:
    """What the user, another session or the server said; whose words they are stands before them."""
    content = _content(draft)
    if not content:
        return
    source = _source(draft.provenance)
    if source:
        yield {"role": "system", "content": f"The next message {source}."}
    yield {"role": "system" if draft.role is Role.SYSTEM else "user", "content": content}


def _source(provenance: Provenance | None) -> str:
    template = _SOURCES.get(provenance.kind, "") if provenance else ""
    return template.format(source=provenance.source_session_key or "(unknown)") if provenance else ""


def _content(draft: Draft) -> str | list[Json]:
    images = [block for block in draft.content if isinstance(block, Image)]
    if not images or draft.role is Role.SYSTEM:  # only a user can show pictures
        return _text(draft)
    return [_part(block) for block in draft.content if isinstance(block, Text | Image)]


def _part(block: Text | Image) -> Json:
    if isinstance(block, Text):
        return {"type": "text", "text": block.text}
    data = base64.b64encode(block.data).decode()
    return {"type": "image_url", "image_url": {"url": f"data:{block.mime_type};base64,{data}"}}


def _text(draft: Draft) -> str:
    return "\n".join(block.text for block in draft.content if isinstance(block, Text))
