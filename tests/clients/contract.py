"""The contract as data: methods by their names, messages as proto JSON with the names of the .proto files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from google.protobuf import json_format, message_factory
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message

from sessiontools.v1 import gateway_service_pb2, runtime_service_pb2, session_tools_service_pb2
from sessiontools.v1.error_reason_pb2 import ErrorReason

FILES = (session_tools_service_pb2, gateway_service_pb2, runtime_service_pb2)


@dataclass(frozen=True)
class Method:
    """A method of one of the three services."""

    name: str
    path: str
    is_stream: bool
    request: type[Message]
    response: type[Message]

    def asked(self, data: dict[str, Any]) -> bytes:
        """A request, as it travels."""
        return json_format.ParseDict(data, self.request()).SerializeToString()

    def told(self, data: bytes) -> dict[str, Any]:
        """A response, as data."""
        return shown(self.response.FromString(data))


def shown(message: Message) -> dict[str, Any]:
    """A message as data: what is not set is left out, but for fields for which that means the same as 0 or empty."""
    return json_format.MessageToDict(
        message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )


def _method(found: MethodDescriptor) -> Method:
    return Method(
        found.name,
        f"/{found.containing_service.full_name}/{found.name}",
        found.server_streaming,
        message_factory.GetMessageClass(found.input_type),
        message_factory.GetMessageClass(found.output_type),
    )


METHODS = {
    found.name: _method(found)
    for file in FILES
    for service in file.DESCRIPTOR.services_by_name.values()
    for found in service.methods
}
REASONS = [name.removeprefix("ERROR_REASON_") for name in ErrorReason.keys()[1:]]
