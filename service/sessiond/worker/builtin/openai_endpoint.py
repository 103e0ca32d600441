"""One OpenAI-compatible endpoint, through the official client; imports the `openai` package."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from itertools import count
from typing import Any, cast

import openai
from openai.types.chat import ChatCompletionChunk

from sessiond.model.problems import Problem
from sessiond.model.runs import Failure
from sessiond.worker.builtin.backoff import Backoff
from sessiond.worker.builtin.deltas import Deltas, with_pauses
from sessiond.worker.builtin.openai_answer import Answer, ModelError
from sessiond.worker.builtin.openai_failures import StreamCutError, diagnose

CONNECT_S = 10.0
# Endpoints of one's own often want no key, but the client does.
NO_KEY = "none"

Show = Callable[[str], Awaitable[None]]
# All that can go wrong between the endpoint and us, the stream's own text included.
_TROUBLES = (openai.OpenAIError, json.JSONDecodeError, UnicodeDecodeError, StreamCutError)


class Endpoint:
    """Asks a model and reads its answer as it is written."""

    def __init__(
        self, model_name: str, base_url: str | None, api_key: str | None, timeout_s: float, backoff: Backoff
    ) -> None:
        self._model_name = model_name
        self._timeout_s = timeout_s
        self._backoff = backoff
        self._key = _key(base_url, api_key)
        self._client = openai.AsyncOpenAI(
            api_key=self._key or NO_KEY,
            base_url=base_url,
            timeout=openai.Timeout(timeout_s, connect=min(timeout_s, CONNECT_S)),
            max_retries=0,  # we know what was shown already, the client does not
        )

    async def close(self) -> None:
        """Let go of the connections."""
        await self._client.close()

    async def ask(self, messages: list[dict[str, Any]], tools: list[dict[str, Any]], show: Show) -> Answer:
        """The model's answer, or ModelError."""
        request: dict[str, Any] = {"model": self._model_name, "messages": messages}
        if tools:
            request["tools"] = tools
        try:
            async with asyncio.timeout(self._timeout_s) as limit:
                return await self._ask_again(request, show, cast("float", limit.when()))
        except TimeoutError:
            if not limit.expired():
                raise
            text = f"the model took longer than its timeoutSeconds of {self._timeout_s:g}"
            raise ModelError(Failure("MODEL_TIMEOUT", text, is_retryable=True)) from None

    async def _ask_again(self, request: dict[str, Any], show: Show, until: float) -> Answer:
        """Ask until there is an answer; never again once a part of one has been shown."""
        for attempt in count(1):
            deltas = Deltas(show)
            try:
                return await self._ask_once(request, deltas)
            except _TROUBLES as problem:
                trouble = diagnose(problem, self._key)
            left_s = until - asyncio.get_running_loop().time()
            pause_s = self._backoff.pause_s(attempt, trouble.retry_after_s, left_s)
            if pause_s is None or deltas.is_shown or not trouble.is_transient:
                raise ModelError(trouble.failure)
            await self._backoff.sleep(pause_s)
        raise AssertionError("counting ended")

    async def _ask_once(self, request: dict[str, Any], deltas: Deltas) -> Answer:
        answer = Answer()
        stream = cast(
            "openai.AsyncStream[ChatCompletionChunk]",
            await self._client.chat.completions.create(**request, stream=True, stream_options={"include_usage": True}),
        )
        async with stream, aclosing(with_pauses(stream, lambda: deltas.due_in_s)) as chunks:
            async for chunk in chunks:
                if chunk is None:
                    await deltas.show_whole()
                else:
                    await deltas.add(answer.add(chunk))
        if not answer.finish_reason:
            raise StreamCutError
        await deltas.end()
        return answer


def _key(base_url: str | None, api_key: str | None) -> str:
    """The key to show; the one in OPENAI_API_KEY is never shown to an endpoint that the configuration names."""
    key = (api_key or ("" if base_url else os.environ.get("OPENAI_API_KEY", ""))).strip()
    if not key and not base_url:
        raise Problem("a model with provider openai needs apiKey, apiKeyEnv or OPENAI_API_KEY in the environment")
    if not key.isascii() or not key.isprintable():
        raise Problem("the key of a model with provider openai has characters that no header can carry")
    return key
