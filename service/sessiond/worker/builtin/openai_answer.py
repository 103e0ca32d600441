"""One answer of a model, put together from the chunks of its stream."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sessiond.model.messages import MAX_MESSAGE_BYTES, Usage
from sessiond.model.runs import Failure
from sessiond.worker.builtin.deltas import well_formed

if TYPE_CHECKING:  # the package is an extra
    from openai.types import CompletionUsage
    from openai.types.chat import ChatCompletionChunk
    from openai.types.chat.chat_completion_chunk import ChoiceDeltaToolCall


class ModelError(Exception):
    """The model gave no answer, and here is why."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


@dataclass
class AskedCall:
    """A tool call as the model wrote it."""

    id: str
    name: str
    arguments: str


@dataclass
class Answer:
    """What has come so far."""

    pieces: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    calls: list[AskedCall] = field(default_factory=list)
    finish_reason: str = ""
    usage: Usage | None = None
    size: int = 0
    _call_at: dict[int | None, AskedCall] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The words of the answer."""
        return well_formed("".join(self.pieces))

    def add(self, chunk: ChatCompletionChunk) -> str:
        """Take a chunk; the words that it brought."""
        if chunk.usage is not None:  # of all chunks so far: the last one counts
            self.usage = _usage(chunk.usage)
        if not chunk.choices:
            return ""
        choice = chunk.choices[0]
        self.finish_reason = choice.finish_reason or self.finish_reason
        self.refusals.append(choice.delta.refusal or "")
        for call in choice.delta.tool_calls or ():
            self._add_call(call)
        text = choice.delta.content or ""
        self.pieces.append(text)
        self._take_room(text, self.refusals[-1])
        return text

    def _add_call(self, piece: ChoiceDeltaToolCall) -> None:
        """Pieces belong together by index; some endpoints give every call index 0 and only another id."""
        call = self._call_at.get(piece.index)
        if call is None or (piece.id and call.id and piece.id != call.id):
            call = self._call_at[piece.index] = AskedCall("", "", "")
            self.calls.append(call)
        call.id = call.id or piece.id or ""
        if piece.function is not None:
            name, arguments = piece.function.name or "", piece.function.arguments or ""
            call.name += name
            call.arguments += arguments
            self._take_room(name, arguments)

    def _take_room(self, *texts: str) -> None:
        self.size += sum(map(len, texts))
        if self.size > MAX_MESSAGE_BYTES:
            raise ModelError(Failure("OUTPUT_TOO_LARGE", f"the model wrote more than {MAX_MESSAGE_BYTES} characters"))

    def problem(self) -> Failure | None:
        """Why a stream that came to its end is no answer."""
        refusal = well_formed("".join(self.refusals)).strip()
        if refusal:
            return Failure("MODEL_REFUSED", f"the model refused: {refusal[:500]}")
        if self.finish_reason == "content_filter":
            return Failure("MODEL_REFUSED", "the endpoint's content filter stopped the answer")
        if self.finish_reason == "length" and not self.text.strip() and not self.calls:
            return Failure("MODEL_ERROR", "the model reached its output limit before it had written a word")
        return None


def _usage(usage: CompletionUsage) -> Usage:
    return Usage(usage.prompt_tokens or 0, usage.completion_tokens or 0, usage.total_tokens or 0)


def add_usage(one: Usage | None, other: Usage | None) -> Usage | None:
    """The sum over rounds; what an endpoint did not tell is left out."""
    if one is None or other is None:
        return one or other
    return Usage(
        one.input_tokens + other.input_tokens,
        one.output_tokens + other.output_tokens,
        one.total_tokens + other.total_tokens,
    )
