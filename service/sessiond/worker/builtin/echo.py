"""The echo runtime: says back what it hears, or does what a script tells it; every path shows without a model."""

from __future__ import annotations

import asyncio
from itertools import count

from sessiond.model.exchanges import ANNOUNCE_SKIP, REPLY_SKIP
from sessiond.model.messages import ToolCall
from sessiond.model.runs import Failure, RunKind
from sessiond.runtime.assignments import StepContext
from sessiond.worker.builtin.script import (
    Action,
    CallTool,
    Fail,
    Hang,
    Reply,
    Script,
    ScriptError,
    Show,
    Skip,
    Sleep,
    UseTool,
    is_script,
    parse_script,
)
from sessiond.worker.builtin.tool_messages import call_id, calls_message, result_message
from sessiond.worker.execution import Execution, Outcome, Provider, ToolAnswer

ANNOUNCED_CHARACTERS = 200
# These act on what began their exchange; every other kind acts on its own input.
_LATER_KINDS = frozenset({RunKind.REPLY, RunKind.ANNOUNCE, RunKind.SPAWN_ANNOUNCE})


class Echo(Provider):
    """Deterministic: the same message gives the same answer."""

    reads_history = False

    async def execute(self, execution: Execution) -> Outcome:
        """Echo plain text; run a script."""
        step = execution.step or StepContext()
        text = step.original_request if execution.run.kind in _LATER_KINDS else execution.input.text
        if not is_script(text):
            return Outcome(_unscripted(execution, step))
        try:
            actions = _actions(parse_script(text), execution.run.kind, step)
        except ScriptError as problem:
            return Outcome(Failure("SCRIPT_ERROR", str(problem)))
        if actions is None:
            return Outcome(_unscripted(execution, step))
        return Outcome(await _perform(execution, actions))


def _unscripted(execution: Execution, step: StepContext) -> str:
    match execution.run.kind:
        case RunKind.REPLY:
            return REPLY_SKIP
        case RunKind.ANNOUNCE | RunKind.SPAWN_ANNOUNCE:
            return f"echo: announced {_one_line(step.latest_reply or step.first_reply) or '(no reply)'}"
        case _:
            return f"echo: {execution.input.text}"


def _one_line(reply: str) -> str:
    """The reply, fit for a channel: short, and without the words that are for programs only."""
    words = reply.replace(REPLY_SKIP, "").replace(ANNOUNCE_SKIP, "").split()
    return " ".join(words)[:ANNOUNCED_CHARACTERS]


def _actions(script: Script, kind: str, step: StepContext) -> list[Action] | None:
    match kind:
        case RunKind.REPLY:
            return script.reply_at(step.turn)
        case RunKind.ANNOUNCE | RunKind.SPAWN_ANNOUNCE:
            return script.announce
        case _:
            return script.main


async def _perform(execution: Execution, actions: list[Action]) -> str | Failure:
    numbers = count(1)
    for action in actions:
        match action:
            case Reply(text):
                return text
            case Skip():
                return (execution.step and execution.step.skip_token) or REPLY_SKIP
            case Fail(failure):
                return failure
            case Hang():
                await asyncio.Event().wait()
            case Sleep(seconds):
                await asyncio.sleep(seconds)
            case Show(text):
                await execution.delta(text)
            case UseTool() | CallTool():
                await _use(execution, action, next(numbers))
    return ""


async def _use(execution: Execution, action: UseTool | CallTool, number: int) -> None:
    run = execution.run
    call = ToolCall(call_id(run, number), action.name, action.arguments)
    await execution.write(calls_message(run, [call]))
    if isinstance(action, UseTool):
        answer = ToolAnswer(action.result)
    else:
        answer = await execution.call_tool(action.name, action.arguments)
    await execution.write(result_message(run, call, answer))
