"""The one interceptor: every call ends with its answer or with a status that is ours, and leaves one log line (X1)."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Any, Never, TypeAlias

import grpc
from google.protobuf.message import DecodeError
from grpc import StatusCode

from sessiond.model.errors import NotImplementedYet, Refusal, RequestTooLarge, invalid
from sessiond.rpc.calls import CallRecord, begin_call
from sessiond.rpc.status import CODES, abort

log = logging.getLogger("sessiond.calls")

Context: TypeAlias = "grpc.aio.ServicerContext[Any, Any]"
Handler: TypeAlias = "grpc.RpcMethodHandler[Any, Any]"
# What a handler does, whatever its kind: take the request (or an iterator of them), give the answer or write several.
Behavior = Callable[[Any, Context], Awaitable[Any]]
# Called before the handler with the full method name; refuses by raising, and notes the caller in `current_call()`.
Admit = Callable[[str, Context], Awaitable[None]]

MAX_REQUEST_BYTES = 4 * 1024 * 1024
# Pages are cut at 3 MiB; whatever passes this would be refused by clients with default settings.
MAX_RESPONSE_BYTES = 4 * 1024 * 1024
HEALTH = "/grpc.health."
QUIET = (HEALTH, "/grpc.reflection.")  # probes and tools: many, and never what one looks for in a log


class UnexpectedFault(Refusal):
    """What a caller is told of a fault of ours: where to find it in the log, and nothing of it."""

    reason = "INTERNAL"

    def __init__(self) -> None:
        error_id = secrets.token_hex(8)
        super().__init__(f"internal error {error_id}; the server's log says more under this id", error_id=error_id)


class ResponseTooLarge(Exception):  # noqa: N818 - says what is so
    """A fault of ours: what is answered has to be cut to pages that fit."""

    def __init__(self, size: int) -> None:
        super().__init__(f"a response of {size} bytes is over the limit of {MAX_RESPONSE_BYTES}")


class Guard(grpc.aio.ServerInterceptor):
    """Wraps each method once, at its first call; `admit`, if given, decides who may call anything but health (V1)."""

    def __init__(self, admit: Admit | None = None, max_request_bytes: int = MAX_REQUEST_BYTES) -> None:
        self._admit = admit
        self._max_request_bytes = max_request_bytes
        self._wrapped: dict[str, Handler] = {}

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Handler | None]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Handler | None:
        """The wrapped handler of a method we have; for one we have not, a refusal to whoever may ask at all."""
        method = handler_call_details.method
        if wrapped := self._wrapped.get(method):
            return wrapped
        handler = await continuation(handler_call_details)
        if handler is None:  # not kept: names that do not exist have no number
            return _unknown(method, self._admit)
        admit = None if method.startswith(HEALTH) else self._admit
        return self._wrapped.setdefault(method, wrap(method, handler, admit, self._max_request_bytes))


def wrap(method: str, handler: Handler, admit: Admit | None, max_request_bytes: int = MAX_REQUEST_BYTES) -> Handler:
    """The same handler with the guard around it, its kind decided here and not per call."""
    if handler.response_streaming:
        kind = "stream_stream" if handler.request_streaming else "unary_stream"
        respond = _writes_all(_implemented(method, getattr(handler, kind)), handler)
    else:
        kind = "stream_unary" if handler.request_streaming else "unary_unary"
        respond = _writes_one(_implemented(method, getattr(handler, kind)), handler)
    reads = _reads_many if handler.request_streaming else _reads_one
    respond = reads(respond, handler, max_request_bytes)
    make = getattr(grpc, f"{kind}_rpc_method_handler")
    wrapped: Handler = make(_guarded(method, respond, admit), None, None)
    return wrapped


def _guarded(method: str, respond: Behavior, admit: Admit | None) -> Behavior:
    """Run the handler; end the call; write its line before the answer leaves, so that who has one finds the other."""
    name = method.removeprefix("/")
    level = logging.DEBUG if method.startswith(QUIET) else logging.INFO

    async def answer(request: Any, context: Context) -> Any:
        began = time.perf_counter()
        record = begin_call(name)
        try:
            if admit is not None:
                await admit(method, context)
            response = await respond(request, context)
        except asyncio.CancelledError:
            _note(level, record, StatusCode.CANCELLED, began)
            raise
        except grpc.aio.AbortError:
            _note(level, record, _code_of(context, StatusCode.CANCELLED), began)
            raise
        except Exception as fault:
            if _is_of_a_lost_call(fault):
                _note(level, record, StatusCode.CANCELLED, began)
                raise asyncio.CancelledError from fault  # anything else grpc would log as a fault of ours
            refusal = _refusal_of(fault)
            _note_refusal(level, record, refusal, began, fault)
            await _end(context, refusal)
        if log.isEnabledFor(level):
            _note(level, record, _code_of(context, StatusCode.OK), began)
        return response

    return answer


async def _end(context: Context, refusal: Refusal) -> Never:
    """Tell the refusal; to a caller that has left there is nobody to tell it to."""
    try:
        await abort(context, refusal)
    except grpc.aio.AbortError:
        raise
    except grpc.aio.BaseError as gone:
        raise asyncio.CancelledError from gone


def _implemented(method: str, behavior: Behavior) -> Behavior:
    """The handler itself, or a refusal where the generated code's own stub stands in for one."""
    return _refuses(method) if getattr(behavior, "__module__", "").endswith("_pb2_grpc") else behavior


def _unknown(method: str, admit: Admit | None) -> Handler:
    """A handler of any method: it takes any number of requests and gives any number of answers, here none."""
    handler: Handler = grpc.stream_stream_rpc_method_handler(_guarded(method, _refuses(method), admit))
    return handler


def _refuses(method: str) -> Behavior:
    async def refuse(request: Any, context: Context) -> None:
        raise NotImplementedYet(method.removeprefix("/"))

    return refuse


def _reads_one(respond: Behavior, handler: Handler, max_bytes: int) -> Behavior:
    """Parse the request inside the guard: bytes that are no message are the caller's mistake, not a fault."""

    def parsed(raw: bytes, context: Context) -> Awaitable[Any]:
        return respond(_parsed(handler, raw, max_bytes), context)

    return parsed


def _reads_many(respond: Behavior, handler: Handler, max_bytes: int) -> Behavior:
    """The same for each of several requests."""

    def parsed(raws: AsyncIterator[bytes], context: Context) -> Awaitable[Any]:
        return respond((_parsed(handler, raw, max_bytes) async for raw in raws), context)

    return parsed


def _parsed(handler: Handler, raw: bytes, max_bytes: int) -> Any:
    if len(raw) > max_bytes:
        raise RequestTooLarge("request", len(raw), max_bytes, "server.maxRequestBytes")
    read = handler.request_deserializer or bytes
    try:
        return read(raw)
    except DecodeError:
        raise invalid("request", "not a message of this method, or it has text that is not UTF-8") from None


def _writes_one(behavior: Behavior, handler: Handler) -> Behavior:
    """Serialize the response inside the guard, so that a wrong one is a fault like any other."""
    write = handler.response_serializer or bytes

    async def respond(request: Any, context: Context) -> bytes:
        return _serialized(write, await behavior(request, context))

    return respond


def _writes_all(behavior: Callable[[Any, Context], Any], handler: Handler) -> Behavior:
    """Write what an async generator yields, in the call's own task: a caller that leaves closes it at once."""
    write = handler.response_serializer or bytes

    def respond(request: Any, context: Context) -> Awaitable[None]:
        given: Awaitable[None] | AsyncGenerator[Any, None] = behavior(request, context)
        return _write_all(given, write, context) if isinstance(given, AsyncGenerator) else given

    return respond


async def _write_all(responses: AsyncGenerator[Any, None], write: Callable[[Any], bytes], context: Context) -> None:
    async with aclosing(responses):
        async for response in responses:
            await context.write(_serialized(write, response))
            del response  # a stream may be idle for long, and there may be many


def _serialized(write: Callable[[Any], bytes], response: Any) -> bytes:
    """As it leaves; bytes are it already. grpc would drop one that is too large as if the caller had gone."""
    raw = response if isinstance(response, bytes) else write(response)
    if len(raw) > MAX_RESPONSE_BYTES:
        raise ResponseTooLarge(len(raw))
    return raw


def _is_of_a_lost_call(fault: Exception) -> bool:
    """Whether grpc could not go on with the call: the caller is gone, or the server has stopped."""
    return isinstance(fault, grpc.aio.BaseError) and not isinstance(fault, grpc.aio.UsageError)


def _code_of(context: Context, otherwise: StatusCode) -> StatusCode:
    code: StatusCode | None = context.code()
    return otherwise if code is None else code


def _refusal_of(fault: Exception) -> Refusal:
    return fault if isinstance(fault, Refusal) and fault.reason in CODES else UnexpectedFault()


def _note(level: int, record: CallRecord, code: StatusCode, began: float) -> None:
    log.log(level, "call", extra=_fields(record, code, began))


def _note_refusal(level: int, record: CallRecord, refusal: Refusal, began: float, fault: Exception) -> None:
    fields = _fields(record, CODES[refusal.reason], began) | {"reason": refusal.reason}
    if refusal is fault:
        log.log(level, "call", extra=fields)
    else:
        log.error("call", extra=fields | {"error_id": refusal.facts["error_id"]}, exc_info=fault)


def _fields(record: CallRecord, code: StatusCode, began: float) -> dict[str, Any]:
    who = record.caller
    return {
        "method": record.method,
        "caller": who.name if who else "",
        "role": who.role.value if who else "",
        "code": code.name,
        "ms": round((time.perf_counter() - began) * 1000, 2),
    }
