"""A tiny OpenAI-compatible endpoint: it answers what the test has lined up, and remembers what it was asked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from types import TracebackType
from typing import Any, Literal, cast

Ending = Literal["done", "without finish", "cut", "hang"]


@dataclass(frozen=True)
class Streams:
    """Chunks of an answer, then one of the ways in which a stream ends."""

    events: Sequence[Mapping[str, Any] | str]
    ending: Ending = "done"


@dataclass(frozen=True)
class Status:
    """Not an answer, but a status with an error."""

    code: int
    error: Mapping[str, Any] = field(default_factory=lambda: {"message": "went wrong"})
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Silence:
    """Takes the request and never answers."""


@dataclass(frozen=True)
class Hangup:
    """Takes the request and closes the connection."""


Reaction = Streams | Status | Silence | Hangup


@dataclass(frozen=True)
class Request:
    """What the endpoint was asked."""

    path: str
    headers: Mapping[str, str]
    body: Any


def chunk(delta: Mapping[str, Any] | None = None, finish: str | None = None, **more: Any) -> dict[str, Any]:
    """One event of a stream."""
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "fake", "choices": choices}
    return head | more


def usage(read: int, written: int) -> dict[str, Any]:
    """The event that tells the tokens."""
    counts = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
    return chunk(usage=counts)


def says(*pieces: str, tokens: tuple[int, int] | None = None, finish: str = "stop", ending: Ending = "done") -> Streams:
    """An answer in words; one that does not come to its end has no finish either."""
    events = [chunk({"role": "assistant", "content": ""}), *(chunk({"content": piece}) for piece in pieces)]
    if ending == "done":
        events += [chunk({}, finish), *([usage(*tokens)] if tokens else [])]
    return Streams(events, ending)


def asks_for(*calls: tuple[str, str], text: str = "", tokens: tuple[int, int] | None = None) -> Streams:
    """An answer that asks for tools, each with its arguments, which come in two pieces."""
    events = [chunk({"role": "assistant", "content": text or None})]
    for index, (name, arguments) in enumerate(calls):
        half = len(arguments) // 2
        begin = {"id": f"id-{index}", "type": "function", "function": {"name": name, "arguments": arguments[:half]}}
        events.append(chunk({"tool_calls": [{"index": index} | begin]}))
        events.append(chunk({"tool_calls": [{"index": index, "function": {"arguments": arguments[half:]}}]}))
    return Streams([*events, chunk({}, "tool_calls"), *([usage(*tokens)] if tokens else [])])


class FakeOpenAi:
    """The endpoint, on a port of its own."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self._serving: set[asyncio.Task[Any]] = set()
        self.reactions: list[Reaction] = []
        self.was_asked = asyncio.Event()
        self.was_left = asyncio.Event()
        """A client closed the connection on which it was waiting."""

    async def __aenter__(self) -> FakeOpenAi:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, limit=1 << 24)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        await self._server.wait_closed()
        if self._serving:  # whoever still waits here was not let go of by its client
            await asyncio.wait_for(asyncio.gather(*self._serving), 30)

    @property
    def url(self) -> str:
        """Its base URL."""
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"

    def will(self, *reactions: Reaction) -> None:
        """Line up what the next requests get, in order."""
        self.reactions += reactions

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._serving.add(cast("asyncio.Task[Any]", asyncio.current_task()))
        self.requests.append(await _request(reader))
        self.was_asked.set()
        match self.reactions.pop(0) if self.reactions else Status(418, {"message": "nothing is lined up"}):
            case Status(code, error, headers):
                _send(writer, code, json.dumps({"error": error}).encode(), headers)
            case Streams(events, ending):
                _send_stream(writer, events, is_whole=ending in ("done", "without finish"))
                if ending == "hang":
                    await self._wait_for_goodbye(reader)
            case Silence():
                await self._wait_for_goodbye(reader)
            case Hangup():
                pass
        writer.close()

    async def _wait_for_goodbye(self, reader: asyncio.StreamReader) -> None:
        await reader.read()
        self.was_left.set()


async def _request(reader: asyncio.StreamReader) -> Request:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
    body = await reader.readexactly(int(headers["content-length"]))
    return Request(head[0].split()[1], headers, json.loads(body))


def _send(writer: asyncio.StreamWriter, code: int, body: bytes, headers: Mapping[str, str]) -> None:
    lines = {"content-type": "application/json", "content-length": str(len(body)), "connection": "close"} | dict(
        headers
    )
    _send_head(writer, code, lines)
    writer.write(body)


def _send_stream(writer: asyncio.StreamWriter, events: Sequence[Mapping[str, Any] | str], is_whole: bool) -> None:
    headers = {"content-type": "text/event-stream", "transfer-encoding": "chunked", "connection": "close"}
    _send_head(writer, 200, headers)
    for event in [*events, *(["[DONE]"] if is_whole else [])]:
        data = f"data: {event if isinstance(event, str) else json.dumps(event)}\n\n".encode()
        writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
    if is_whole:
        writer.write(b"0\r\n\r\n")


def _send_head(writer: asyncio.StreamWriter, code: int, headers: Mapping[str, str]) -> None:
    lines = [f"HTTP/1.1 {code} {HTTPStatus(code).phrase}", *(f"{name}: {value}" for name, value in headers.items())]
    writer.write("\r\n".join([*lines, "", ""]).encode())
