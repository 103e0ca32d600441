"""What a run writes into the transcript when it uses a tool: the call, then what came of it."""

from __future__ import annotations

from collections.abc import Sequence

from sessiond.model.messages import Draft, Role, Text, ToolCall, ToolResult, Usage
from sessiond.model.runs import Run
from sessiond.worker.execution import ToolAnswer

# A page of history can be 3 MiB; a message is at most 1 MiB, and no model reads even that with profit.
MAX_RESULT_BYTES = 256 * 1024


def call_id(run: Run, number: int) -> str:
    """An id for the run's n-th call: unique in the transcript, also when a second attempt takes the same steps."""
    return f"call-{run.id[-12:]}-{run.attempt}-{number}"


def calls_message(run: Run, calls: Sequence[ToolCall], text: str = "", usage: Usage | None = None) -> Draft:
    """The assistant asks for tools, perhaps with some words before."""
    words = (Text(text),) if text else ()
    return Draft(Role.ASSISTANT, (*words, *calls), run_id=run.id, model=run.model, usage=usage)


def result_message(run: Run, call: ToolCall, answer: ToolAnswer) -> Draft:
    """What the tool answered."""
    result = ToolResult(call.id, call.name, _shortened(answer.text), answer.is_error)
    return Draft(Role.TOOL_RESULT, (result,), run_id=run.id, model=run.model)


def _shortened(text: str) -> str:
    data = text.encode()
    if len(data) <= MAX_RESULT_BYTES:
        return text
    kept = data[:MAX_RESULT_BYTES].decode(errors="ignore")
    return f"{kept}\n[{len(data) - len(kept.encode())} bytes more were left out]"
