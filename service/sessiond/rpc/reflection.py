"""Server reflection, v1 and v1alpha, over descriptors that carry the contract's comments."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import grpc
from grpc_reflection.v1alpha import reflection_pb2 as pb

from sessiond.rpc import health
from sessiond.rpc.descriptors import Descriptors, served_files

# The two versions differ in their package only, so one handler reads and writes the messages of both.
SERVICES = ("grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection")


class Reflection:
    """Answers one question after the other; what is not found is an answer too, and the stream goes on."""

    def __init__(self, descriptors: Descriptors, services: Sequence[str]) -> None:
        self._descriptors = descriptors
        self._services = pb.ListServiceResponse(service=[pb.ServiceResponse(name=name) for name in sorted(services)])
        self._answers: dict[str, Callable[[Any], pb.ServerReflectionResponse]] = {
            "file_by_filename": lambda name: _files(descriptors.file(name)),
            "file_containing_symbol": lambda symbol: _files(descriptors.file_of_symbol(symbol)),
            "file_containing_extension": lambda asked: _files(
                descriptors.file_of_extension(asked.containing_type, asked.extension_number)
            ),
            "all_extension_numbers_of_type": self._extension_numbers,
            "list_services": lambda _: pb.ServerReflectionResponse(list_services_response=self._services),
        }

    async def ServerReflectionInfo(
        self, requests: AsyncIterator[pb.ServerReflectionRequest], context: Any
    ) -> AsyncIterator[pb.ServerReflectionResponse]:
        """Answer each request in its turn."""
        async for request in requests:
            yield self.answer(request)

    def answer(self, request: pb.ServerReflectionRequest) -> pb.ServerReflectionResponse:
        """One answer, which repeats the question as the protocol asks."""
        asked = request.WhichOneof("message_request")
        if asked is None:
            response = _problem(grpc.StatusCode.INVALID_ARGUMENT, "the request asks nothing")
        else:
            response = self._answers[asked](getattr(request, asked))
        response.valid_host = request.host
        response.original_request.CopyFrom(request)
        return response

    def _extension_numbers(self, message: str) -> pb.ServerReflectionResponse:
        numbers = self._descriptors.extension_numbers(message)
        if numbers is None:
            return _not_found()
        found = pb.ExtensionNumberResponse(base_type_name=message, extension_number=numbers)
        return pb.ServerReflectionResponse(all_extension_numbers_response=found)


def add_reflection(server: grpc.aio.Server, services: Sequence[str]) -> None:
    """Serve reflection under both names, and list these services, health, and reflection itself."""
    reflection = Reflection(Descriptors(served_files()), (*services, health.SERVICE, *SERVICES))
    method = grpc.stream_stream_rpc_method_handler(
        reflection.ServerReflectionInfo,
        pb.ServerReflectionRequest.FromString,
        pb.ServerReflectionResponse.SerializeToString,
    )
    handlers = [grpc.method_handlers_generic_handler(name, {"ServerReflectionInfo": method}) for name in SERVICES]
    server.add_generic_rpc_handlers(handlers)


def _files(found: list[bytes] | None) -> pb.ServerReflectionResponse:
    if found is None:
        return _not_found()
    files = pb.FileDescriptorResponse(file_descriptor_proto=found)
    return pb.ServerReflectionResponse(file_descriptor_response=files)


def _not_found() -> pb.ServerReflectionResponse:
    return _problem(grpc.StatusCode.NOT_FOUND, "this server serves no such file, symbol, type or extension")


def _problem(code: grpc.StatusCode, text: str) -> pb.ServerReflectionResponse:
    number: int = code.value[0]
    return pb.ServerReflectionResponse(error_response=pb.ErrorResponse(error_code=number, error_message=text))
