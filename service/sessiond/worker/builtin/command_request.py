"""What a program is told on its standard input: one run as a JSON document, fields named as in the contract."""

from __future__ import annotations

import base64
import json
from dataclasses import asdict
from typing import Any

from sessiond.model.messages import Block, Image, Message, Text, Thinking, ToolCall, ToolResult
from sessiond.worker.execution import Execution, ToolSpec


def request_of(execution: Execution) -> bytes:
    """The run, its input and all that a program may want to know for an answer."""
    run = execution.run
    document = {
        "run_id": run.id,
        "kind": run.kind,
        "session_key": execution.session_key,
        "agent_id": run.agent_id,
        "model": run.model,
        "input": _message(execution.input),
        "history": [_message(message) for message in execution.history],
        "context": execution.step._asdict() if execution.step else None,
        "tools": [_tool(tool) for tool in execution.tools],
    }
    return json.dumps(document, ensure_ascii=False).encode()


def _message(message: Message) -> dict[str, Any]:
    draft = message.draft
    return {
        "id": message.id,
        "sequence": message.sequence,
        "role": draft.role,
        "text": message.text,
        "content": [_block(block) for block in draft.content],
        "provenance": draft.provenance._asdict() if draft.provenance else None,
    }


def _block(block: Block) -> dict[str, Any]:
    match block:
        case Text():
            return {"text": asdict(block)}
        case Thinking():
            return {"thinking": asdict(block)}
        case ToolCall():
            return {"tool_call": asdict(block)}
        case ToolResult():
            return {"tool_result": asdict(block)}
        case Image(mime_type, data):
            return {"image": {"mime_type": mime_type, "data": base64.b64encode(data).decode()}}


def _tool(tool: ToolSpec) -> dict[str, Any]:
    return {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}
