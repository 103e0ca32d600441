"""The openai runtime: any OpenAI-compatible endpoint, with the session tools in the model's hands."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING

from sessiond.model.messages import Draft, ToolCall, Usage
from sessiond.model.problems import Problem
from sessiond.model.runs import Failure
from sessiond.worker.builtin.arguments import ArgumentsError, parse_arguments
from sessiond.worker.builtin.backoff import Backoff
from sessiond.worker.builtin.deltas import well_formed
from sessiond.worker.builtin.openai_answer import Answer, AskedCall, ModelError, add_usage
from sessiond.worker.builtin.openai_messages import MAX_NAME, Json, messages_as_json, tools_as_json
from sessiond.worker.builtin.openai_prompt import prompt_of
from sessiond.worker.builtin.tool_messages import call_id, calls_message, result_message
from sessiond.worker.execution import Execution, Outcome, Provider, ToolAnswer

if TYPE_CHECKING:
    from sessiond.worker.builtin.openai_endpoint import Endpoint

MAX_RAW = 2_000


class OpenAi(Provider):
    """One model at one endpoint. Close it to let go of its connections."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None,
        api_key: str | None,
        timeout_s: float,
        max_tool_rounds: int,
        backoff: Backoff | None = None,
    ) -> None:
        self._endpoint = _endpoint(model_name, base_url, api_key, timeout_s, backoff or Backoff())
        self._max_tool_rounds = max_tool_rounds

    async def close(self) -> None:
        """Let go of the connections."""
        await self._endpoint.close()

    async def execute(self, execution: Execution) -> Outcome:
        """Ask, call the tools that the model asks for, and ask again, until it answers in words."""
        said = [message.draft for message in (*execution.history, execution.input)]
        usage: Usage | None = None
        numbers = count(1)
        for rounds_left in range(self._max_tool_rounds, -1, -1):
            try:
                answer = await self._ask(execution, said)
            except ModelError as failed:
                return Outcome(failed.failure, usage)
            usage = add_usage(usage, answer.usage)
            problem = answer.problem()
            if problem is not None or not answer.calls:
                return Outcome(problem or answer.text, usage)
            if rounds_left:
                said += await _use_tools(execution, answer, numbers)
        text = f"the model asked for tools in more than {self._max_tool_rounds} rounds (maxToolRounds)"
        return Outcome(Failure("TOOL_ROUNDS", text), usage)

    async def _ask(self, execution: Execution, said: list[Draft]) -> Answer:
        prompt = prompt_of(execution)
        first: list[Json] = [{"role": "system", "content": prompt}] if prompt else []
        tools = tools_as_json(execution.tools) if self._max_tool_rounds else []
        return await self._endpoint.ask([*first, *messages_as_json(said)], tools, execution.delta)


def _endpoint(
    model_name: str, base_url: str | None, api_key: str | None, timeout_s: float, backoff: Backoff
) -> Endpoint:
    """The package is an extra: a server without such models starts without it, and faster."""
    try:
        from sessiond.worker.builtin.openai_endpoint import Endpoint
    except ModuleNotFoundError as problem:
        if problem.name != "openai":
            raise
        text = "a model with provider openai needs the openai package: pip install 'sessiontools[openai]'"
        raise Problem(text) from None
    return Endpoint(model_name, base_url, api_key, timeout_s, backoff)


async def _use_tools(execution: Execution, answer: Answer, numbers: Iterator[int]) -> list[Draft]:
    """Call what the model asked for, one after the other, and write calls and results into the transcript."""
    run = execution.run
    asked = [_read(call, call_id(run, next(numbers))) for call in answer.calls]
    written = [calls_message(run, [call for call, _ in asked], answer.text, answer.usage)]
    await execution.write(written[0])
    for call, problem in asked:
        written.append(result_message(run, call, problem or await _call(execution, call)))
        await execution.write(written[-1])
    return written


def _read(asked: AskedCall, new_id: str) -> tuple[ToolCall, ToolAnswer | None]:
    """The call, and what is wrong with it, if anything: models write JSON that is none."""
    name = well_formed(asked.name)[:MAX_NAME]
    try:
        return ToolCall(new_id, name, parse_arguments(asked.arguments)), None
    except ArgumentsError as problem:
        call = ToolCall(new_id, name, {"unreadable": well_formed(asked.arguments)[:MAX_RAW]})
        return call, ToolAnswer(f"the arguments can't be read: {problem}", is_error=True)


async def _call(execution: Execution, call: ToolCall) -> ToolAnswer:
    names = [tool.name for tool in execution.tools]
    if call.name not in names:
        return ToolAnswer(f"there is no tool {call.name!r}; there are {', '.join(names) or 'none'}", is_error=True)
    return await execution.call_tool(call.name, call.arguments)
