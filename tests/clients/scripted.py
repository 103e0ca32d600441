"""A server that says what a case tells it to: what a newer one may say, and what ours says only in trouble."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import grpc
from google.protobuf.message import Message
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status

from tests.clients.contract import METHODS, Method, shown
from tests.clients.newer import newer

Turn = dict[str, Any]
_BY_PATH = {method.path: method for method in METHODS.values()}
_EXHAUSTED: Turn = {"refused": {"code": "FAILED_PRECONDITION", "message": "the script has no further turn for this"}}


class Scripted:
    """For each call of a method it takes the next of the method's turns: `answers`, and then `refused` if it has that.

    Its messages are those of a later version of the contract (newer.py).
    """

    def __init__(self) -> None:
        self._script: dict[str, list[Turn]] = {}
        self._server: grpc.aio.Server | None = None
        self.asked: dict[str, list[dict[str, Any]]] = {}
        self.port = 0

    def begin(self, script: dict[str, list[Turn]]) -> None:
        """Take another script, and forget what was asked."""
        self._script = {name: list(turns) for name, turns in script.items()}
        self.asked = {name: [] for name in METHODS}

    async def start(self) -> None:
        """Start it."""
        self._server = grpc.aio.server()
        self._server.add_generic_rpc_handlers((_Handlers(self),))
        self.port = self._server.add_insecure_port(f"127.0.0.1:{self.port}")
        await self._server.start()

    async def stop(self) -> None:
        """Stop it, with what it is at."""
        assert self._server is not None, "the server is not started"
        await self._server.stop(None)

    async def end(self) -> None:
        """Stop it, if it was started."""
        if self._server is not None:
            await self.stop()

    def turn(self, method: Method, request: bytes, context: Any) -> Turn:
        """Note what is asked; what to do about it."""
        metadata = dict(context.invocation_metadata())
        self.asked[method.name].append(
            {
                "request": shown(method.request.FromString(request)),
                "authorization": metadata.get("authorization", ""),
                "acting_session": metadata.get("acting-session", ""),
            }
        )
        turns = self._script.get(method.name)
        return turns.pop(0) if turns else _EXHAUSTED


class _Handlers(grpc.GenericRpcHandler):
    """Every method of the contract, whatever the script says of it."""

    def __init__(self, scripted: Scripted) -> None:
        self._scripted = scripted

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> Any:
        method = _BY_PATH[handler_call_details.method]

        async def stream(request: bytes, context: Any) -> AsyncIterator[bytes]:
            turn = self._scripted.turn(method, request, context)
            for answer in turn.get("answers", ()):
                yield newer(method.name, answer)
            await _refuse(turn, context)

        async def unary(request: bytes, context: Any) -> bytes:
            turn = self._scripted.turn(method, request, context)
            await _refuse(turn, context)
            (answer,) = turn["answers"]
            return newer(method.name, answer)

        if method.is_stream:
            return grpc.unary_stream_rpc_method_handler(stream)
        return grpc.unary_unary_rpc_method_handler(unary)


async def _refuse(turn: Turn, context: Any) -> None:
    """End the call with the status that the turn has, if it has one."""
    if refused := turn.get("refused"):
        status = status_pb2.Status(code=code_pb2.Code.Value(refused["code"]), message=refused.get("message", ""))
        for detail in _details(refused):
            status.details.add().Pack(detail)
        await context.abort_with_status(rpc_status.to_status(status))


def _details(refused: Turn) -> Iterator[Message]:
    if "reason" in refused:
        yield error_details_pb2.ErrorInfo(
            reason=refused["reason"],
            domain=refused.get("domain", "sessiontools"),
            metadata=refused.get("metadata", {}),
        )
    if "fields" in refused:
        names = [error_details_pb2.BadRequest.FieldViolation(field=name) for name in refused["fields"]]
        yield error_details_pb2.BadRequest(field_violations=names)
    if "retry_after_seconds" in refused:
        retry = error_details_pb2.RetryInfo()
        retry.retry_delay.FromMilliseconds(int(refused["retry_after_seconds"] * 1000))
        yield retry
