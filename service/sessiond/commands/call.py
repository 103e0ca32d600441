"""`sessiontools call`: any method of the contract from the command line, for those without grpcurl."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from typing import Any

import grpc
from google.protobuf import json_format, message_factory
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from sessiond.commands.server_address import add_arguments, channel_to_server, metadata_of, settings_of
from sessiontools.v1 import gateway_service_pb2, runtime_service_pb2, session_tools_service_pb2

_CONTRACT = (session_tools_service_pb2, gateway_service_pb2, runtime_service_pb2)


def add_parser(subparsers: Any, parents: list[argparse.ArgumentParser]) -> None:
    """Register the command."""
    about = "call a method of a running server"
    parser = subparsers.add_parser("call", parents=parents, help=about, description=about)
    parser.add_argument("method", help="such as SessionsList, or GatewayService/ChatSend")
    parser.add_argument("request", nargs="?", default="{}", help="the request as JSON; default {}")
    parser.add_argument("--timeout", type=float, metavar="SECONDS", help="give up after so long")
    add_arguments(parser)
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print each answer as JSON; 1 when the server refuses, 2 when the call itself is wrong."""
    method = _method(args.method)
    if method is None:
        print(f"no method {args.method!r}; known: {', '.join(sorted(_methods()))}", file=sys.stderr)
        return 2
    try:
        request = json_format.Parse(args.request, message_factory.GetMessageClass(method.input_type)())
    except json_format.ParseError as problem:
        print(f"the request is not a {method.input_type.name}: {problem}", file=sys.stderr)
        return 2
    settings = settings_of(args)
    with channel_to_server(args, settings) as channel:
        try:
            for answer in _answers(channel, method, request, metadata_of(args, settings), args.timeout):
                print(json_format.MessageToJson(answer, preserving_proto_field_name=True), flush=True)
        except grpc.RpcError as refusal:
            print(explained(refusal), file=sys.stderr)
            return 1
    return 0


def _methods() -> dict[str, MethodDescriptor]:
    services = [service for module in _CONTRACT for service in module.DESCRIPTOR.services_by_name.values()]
    return {method.name: method for service in services for method in service.methods}


def _method(name: str) -> MethodDescriptor | None:
    service, _, short = name.rpartition("/")
    found = _methods().get(short)
    matches = found is not None and (not service or found.containing_service.full_name.endswith(service))
    return found if matches else None


def _answers(
    channel: grpc.Channel,
    method: MethodDescriptor,
    request: Message,
    metadata: Iterable[tuple[str, str]],
    timeout: float,
) -> Iterator[Message]:
    path = f"/{method.containing_service.full_name}/{method.name}"
    answer_class = message_factory.GetMessageClass(method.output_type)
    codec: dict[str, Any] = {
        "request_serializer": type(request).SerializeToString,
        "response_deserializer": answer_class.FromString,
    }
    if method.server_streaming:
        yield from channel.unary_stream(path, **codec)(request, timeout=timeout, metadata=tuple(metadata))
    else:
        yield channel.unary_unary(path, **codec)(request, timeout=timeout, metadata=tuple(metadata))


def explained(refusal: Any) -> str:
    """Code, text and details of a refusal, one a line."""
    lines = [f"{refusal.code().name}: {refusal.details()}"]
    status = rpc_status.from_call(refusal)
    for detail in status.details if status else ():
        info = error_details_pb2.ErrorInfo()
        if detail.Unpack(info):
            lines.append(f"  reason {info.reason} {json.dumps(dict(info.metadata), ensure_ascii=False)}")
    return "\n".join(lines)
