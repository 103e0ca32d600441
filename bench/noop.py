"""`python -m bench.noop FILE [PORT]`: the ceiling, a server with the real options that answers with ready messages.

Each request is parsed and each answer serialised, as gRPC for Python does; between them nothing happens. FILE has one
line for each answer: method, request and answer, the latter two in base64; an empty request stands for any other. A
PORT that is given is shared with others, as workers share theirs.
"""

from __future__ import annotations

import asyncio
import base64
import sys
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import grpc
from google.protobuf import descriptor_pool
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from sessiond.rpc.server import ServerLimits, options
from sessiontools.v1 import gateway_service_pb2, runtime_service_pb2, session_tools_service_pb2

# Importing them fills the pool in which methods are looked up.
CONTRACT = (session_tools_service_pb2, gateway_service_pb2, runtime_service_pb2)


async def serve(file: Path, port: int) -> None:
    """Answer until killed."""
    server = grpc.aio.server(options=options(ServerLimits(reuse_port=bool(port))))
    for service, handlers in _services(_answers(file)).items():
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, handlers),))
    port = server.add_insecure_port(f"127.0.0.1:{port}")
    await server.start()
    print(f"no-op is ready on 127.0.0.1:{port}", flush=True)
    await server.wait_for_termination()


def _answers(file: Path) -> dict[str, dict[bytes, bytes]]:
    """The answers of each method, by request."""
    answers: dict[str, dict[bytes, bytes]] = defaultdict(dict)
    for line in file.read_text(encoding="ascii").splitlines():
        method, request, answer = line.split(" ")
        answers[method][base64.b64decode(request)] = base64.b64decode(answer)
    return answers


def _services(answers: dict[str, dict[bytes, bytes]]) -> dict[str, dict[str, grpc.RpcMethodHandler[Any, Any]]]:
    services: dict[str, dict[str, grpc.RpcMethodHandler[Any, Any]]] = defaultdict(dict)
    for method, ready in answers.items():
        _, service, name = method.split("/")
        found = descriptor_pool.Default().FindServiceByName(service).methods_by_name[name]
        services[service][name] = _handler(found, ready)
    return services


def _handler(method: MethodDescriptor, raw: dict[bytes, bytes]) -> grpc.RpcMethodHandler[Any, Any]:
    request_class, answer_class = GetMessageClass(method.input_type), GetMessageClass(method.output_type)
    ready = {request: answer_class.FromString(answer) for request, answer in raw.items()}
    return grpc.unary_unary_rpc_method_handler(_same, _reader(request_class, ready), answer_class.SerializeToString)


def _reader(request_class: type[Message], ready: dict[bytes, Message]) -> Callable[[bytes], Message]:
    def read(raw: bytes) -> Message:
        request_class.FromString(raw)
        return ready[raw] if raw in ready else ready[b""]

    return read


async def _same(ready: Message, context: object) -> Message:
    return ready


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0))
