"""Health's List, which the package of health checks that goes with our gRPC does not have yet.

The messages are those of the protocol, built from the package's own file with List put in; reflection serves that file.
"""

from __future__ import annotations

from typing import Any

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.descriptor_pb2 import FieldDescriptorProto
from grpc_health.v1 import health_pb2 as pb

_REQUEST, _RESPONSE, _ENTRY = "HealthListRequest", "HealthListResponse", "StatusesEntry"
_PACKAGE = pb.DESCRIPTOR.package


def health_file() -> descriptor_pb2.FileDescriptorProto:
    """The file of grpc.health.v1, with List."""
    file = descriptor_pb2.FileDescriptorProto()
    pb.DESCRIPTOR.CopyToProto(file)
    if _RESPONSE in {each.name for each in file.message_type}:
        return file
    file.message_type.add(name=_REQUEST)
    response = file.message_type.add(name=_RESPONSE)
    entry = response.nested_type.add(name=_ENTRY, options=descriptor_pb2.MessageOptions(map_entry=True))
    optional, repeated = FieldDescriptorProto.LABEL_OPTIONAL, FieldDescriptorProto.LABEL_REPEATED
    entry.field.add(name="key", number=1, label=optional, type=FieldDescriptorProto.TYPE_STRING)
    of_message = {"type": FieldDescriptorProto.TYPE_MESSAGE}
    checked = f".{_PACKAGE}.HealthCheckResponse"
    entry.field.add(name="value", number=2, label=optional, type_name=checked, **of_message)
    entries = f".{_PACKAGE}.{_RESPONSE}.{_ENTRY}"
    response.field.add(name="statuses", number=1, label=repeated, type_name=entries, json_name="statuses", **of_message)
    method = {"input_type": f".{_PACKAGE}.{_REQUEST}", "output_type": f".{_PACKAGE}.{_RESPONSE}"}
    file.service[0].method.add(name="List", **method)
    return file


_pool = descriptor_pool.DescriptorPool()
_pool.Add(health_file())
ListRequest: Any = message_factory.GetMessageClass(_pool.FindMessageTypeByName(f"{_PACKAGE}.{_REQUEST}"))
ListResponse: Any = message_factory.GetMessageClass(_pool.FindMessageTypeByName(f"{_PACKAGE}.{_RESPONSE}"))


def add_list(server: grpc.aio.Server, answer: Any) -> None:
    """Serve List beside the methods of the package."""
    method = grpc.unary_unary_rpc_method_handler(answer, ListRequest.FromString, ListResponse.SerializeToString)
    handler = grpc.method_handlers_generic_handler(f"{_PACKAGE}.Health", {"List": method})
    server.add_generic_rpc_handlers([handler])
