"""Every rpc that the server serves, from the descriptors: a new one is fuzzed without being named here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from google.protobuf import message_factory
from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2

from sessiontools.v1 import gateway_service_pb2, runtime_service_pb2, session_tools_service_pb2

FILES: tuple[Any, ...] = (
    session_tools_service_pb2,
    gateway_service_pb2,
    runtime_service_pb2,
    health_pb2,
    reflection_pb2,
)
HEALTH = "grpc.health.v1.Health"
# The same service under a second name.
ALIASES = {"grpc.reflection.v1alpha.ServerReflection": "grpc.reflection.v1.ServerReflection"}
TOOLS = "sessiontools.v1.SessionToolsService"
UNKNOWN = ((TOOLS, "No"), ("sessiontools.v2.X", "Y"), (TOOLS, ""), ("", ""), (TOOLS, "SessionsList/"), ("..", "é%00"))


@dataclass(frozen=True)
class Method:
    """One rpc: where it is, and what goes in and comes out."""

    service: str
    name: str
    request: Descriptor
    response: Descriptor
    is_streaming: bool = False  # answers; requests that come as a stream are one request here, the same on the wire

    @property
    def path(self) -> str:
        """As it stands in a request."""
        return f"/{self.service}/{self.name}"

    @property
    def is_ours(self) -> bool:
        """Whether the contract has it; health and reflection have contracts of their own."""
        return self.service.startswith("sessiontools.")

    def read_request(self, data: bytes) -> Message:
        """A request from its bytes; DecodeError when they are none."""
        return message_factory.GetMessageClass(self.request).FromString(data)

    def read_response(self, data: bytes) -> Message:
        """An answer from its bytes; DecodeError when they are none."""
        return message_factory.GetMessageClass(self.response).FromString(data)


def all_methods() -> list[Method]:
    """The contract's, health's, and reflection's under both of its names."""
    services = [service for file in FILES for service in file.DESCRIPTOR.services_by_name.values()]
    found = [(service.full_name, method) for service in services for method in service.methods]
    found += [(ALIASES[name], method) for name, method in found if name in ALIASES]
    return [_method(name, method) for name, method in found]


def unknown_methods() -> list[Method]:
    """What no server of ours has."""
    nothing: Any = health_pb2.HealthCheckRequest.DESCRIPTOR
    return [Method(service, name, nothing, nothing) for service, name in UNKNOWN]


def _method(service: str, method: Any) -> Method:
    types = method.input_type, method.output_type
    return Method(service, method.name, *types, method.server_streaming)
