"""Calls as a `Client` makes them: with credentials, request ids and typed errors."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import grpc
from google.protobuf.message import Message

from sessiontools.errors import UNDECODABLE, SessionToolsError, error_of
from sessiontools.request_ids import with_request_id

Request = TypeVar("Request", bound=Message)
Response = TypeVar("Response", bound=Message)
Metadata = Sequence[tuple[str, str | bytes]]
Codec = Callable[[Any], Any]


@dataclass(frozen=True)
class Credentials:
    """Say who calls."""

    token: str = ""
    acting_session: str = ""

    def __post_init__(self) -> None:
        for name, value in (("token", self.token), ("acting session", self.acting_session)):
            if not (value.isascii() and value.isprintable()):
                raise ValueError(f"the {name} must be of printable ASCII characters, since gRPC sends no others")

    @property
    def metadata(self) -> Metadata:
        """As the server reads them."""
        told = (("authorization", self.token and f"Bearer {self.token}"), ("acting-session", self.acting_session))
        return [(key, value) for key, value in told if value]


class Unary(Generic[Request, Response]):
    """A method with one answer: `await client.GetRun(request, timeout=5)`."""

    def __init__(self, method: grpc.aio.UnaryUnaryMultiCallable[Request, Response], who: Credentials) -> None:
        self._method = method
        self._who = who

    async def __call__(
        self,
        request: Request,
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - the server is told of it
        metadata: Metadata = (),
    ) -> Response:
        """The answer. `timeout` is in seconds, and `asyncio.timeout` does as well; `metadata` goes with this call."""
        metadata = [*self._who.metadata, *metadata]
        try:
            answer = await self._method(with_request_id(request), timeout=timeout, metadata=metadata)
        except grpc.aio.AioRpcError as problem:
            raise error_of(problem) from problem
        return decoded(answer)


class Stream(Generic[Request, Response]):
    """A method with many answers: `async for message in client.WaitRuns(request)`."""

    def __init__(self, method: grpc.aio.UnaryStreamMultiCallable[Request, Response], who: Credentials) -> None:
        self._method = method
        self._who = who

    async def __call__(
        self,
        request: Request,
        *,
        timeout: float | None = None,  # noqa: ASYNC109 - the server is told of it
        metadata: Metadata = (),
    ) -> AsyncGenerator[Response, None]:
        """One stream. It ends with an error when it is cut, and is closed when the loop is left."""
        call = self._method(request, timeout=timeout, metadata=[*self._who.metadata, *metadata])
        try:
            async for answer in call:
                yield decoded(answer)
        except grpc.aio.AioRpcError as problem:
            raise error_of(problem) from problem
        finally:
            call.cancel()


def decoded(answer: Response | None) -> Response:
    """The answer; gRPC gives nothing where it has bytes that are none."""
    if answer is None:
        raise SessionToolsError(grpc.StatusCode.INTERNAL, UNDECODABLE)
    return answer


class Calls:
    """A channel as the generated stubs use one.

    It is not a set of interceptors, since clients with different credentials share one connection.
    """

    def __init__(self, channel: grpc.aio.Channel, who: Credentials) -> None:
        self._channel = channel
        self._who = who

    def unary_unary(
        self, method: str, request_serializer: Codec, response_deserializer: Codec, **_: Any
    ) -> Unary[Any, Any]:
        """For methods with one answer."""
        return Unary(self._channel.unary_unary(method, request_serializer, response_deserializer), self._who)

    def unary_stream(
        self, method: str, request_serializer: Codec, response_deserializer: Codec, **_: Any
    ) -> Stream[Any, Any]:
        """For methods with many answers."""
        return Stream(self._channel.unary_stream(method, request_serializer, response_deserializer), self._who)
