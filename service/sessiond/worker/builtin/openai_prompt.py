"""What a model is told of the exchange that its run is a step of; made for each request, never stored."""

from __future__ import annotations

from collections.abc import Iterator

from sessiond.model.runs import RunKind
from sessiond.runtime.assignments import StepContext
from sessiond.worker.execution import Execution

MAX_QUOTE = 8_000


def prompt_of(execution: Execution) -> str:
    """The system prompt; empty for a chat."""
    if execution.step is None:
        return ""
    return "\n\n".join(_parts(RunKind(execution.run.kind), execution.step))


def _parts(kind: RunKind, step: StepContext) -> Iterator[str]:
    yield _situation(kind, step)
    if kind in (RunKind.REPLY, RunKind.ANNOUNCE, RunKind.SPAWN_ANNOUNCE):
        yield from _quotes(step)
    if step.skip_token:
        yield f"To say nothing, answer exactly {step.skip_token} and not a word more; it is shown to nobody."


def _situation(kind: RunKind, step: StepContext) -> str:
    asker, target = _asker(step), f"session {step.target_session_key}"
    match kind:
        case RunKind.SEND:
            return f"You are the agent of {target}. {asker} sent you a message; your answer goes back there."
        case RunKind.REPLY:
            return (
                f"This is turn {step.turn} of at most {step.max_turns} of a conversation between two agents: "
                f"{asker} asked, {target} answered. The newest message is the other agent's; yours goes back to it."
            )
        case RunKind.ANNOUNCE:
            return (
                f"You are the agent of {target}. The conversation with {asker} is over. Your answer to this is "
                "posted in your session's channel as it is: say there, in a few words, what came of it."
            )
        case RunKind.SPAWN:
            return f"You are a sub-agent. {asker} gave you a task; your answer is its result."
        case RunKind.SPAWN_ANNOUNCE:
            return (
                f"You are a sub-agent and your task is done. Report to {asker}: what came of it under `Result:`, "
                "and what else is worth knowing under `Notes:`."
            )
        case RunKind.CHAT:
            return "You are talking with the user."


def _asker(step: StepContext) -> str:
    if not step.requester_session_key:
        return "somebody outside of any session"
    channel = f" (channel {step.requester_channel})" if step.requester_channel else ""
    return f"the agent of session {step.requester_session_key}{channel}"


def _quotes(step: StepContext) -> Iterator[str]:
    yield from _quote("The request that began it", step.original_request)
    yield from _quote("The first reply", step.first_reply)
    if step.latest_reply != step.first_reply:
        yield from _quote("The latest reply", step.latest_reply)


def _quote(title: str, text: str) -> Iterator[str]:
    if text.strip():
        cut = "\n[the rest is left out]" if len(text) > MAX_QUOTE else ""
        yield f"{title}:\n{text[:MAX_QUOTE]}{cut}"
