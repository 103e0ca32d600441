"""A later version of the contract, made from this one: what a server that is newer than its clients may send.

Every message has a further field `later_field`, every enum a further value `…_LATER`, and a run a further kind of
event, `later_event`.
"""

from __future__ import annotations

from typing import Any

from google.protobuf import descriptor_pool, json_format, message_factory
from google.protobuf.descriptor import FileDescriptor
from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
)

from tests.clients.contract import FILES, METHODS

PACKAGE = "sessiontools.v1"
LATER_FIELD, LATER_EVENT = 1000, 1001
LATER_VALUE = 99


def newer(method: str, data: dict[str, Any]) -> bytes:
    """A response of this method as the later version sends it."""
    return json_format.ParseDict(data, _RESPONSES[method]()).SerializeToString()


def _later_pool() -> descriptor_pool.DescriptorPool:
    pool = descriptor_pool.DescriptorPool()
    added: set[str] = set()
    for file in FILES:
        _add(pool, file.DESCRIPTOR, added)
    return pool


def _add(pool: descriptor_pool.DescriptorPool, file: FileDescriptor, added: set[str]) -> None:
    """Add a file after those that it needs."""
    if file.name in added:
        return
    added.add(file.name)
    for needed in file.dependencies:
        _add(pool, needed, added)
    content = FileDescriptorProto()
    file.CopyToProto(content)
    if content.package == PACKAGE:
        _extend(content)
    pool.Add(content)


def _extend(file: FileDescriptorProto) -> None:
    for enum in file.enum_type:
        _add_value(enum)
    for message in file.message_type:
        _add_field(message, "later_field", LATER_FIELD)
        if message.name == "WaitRunResponse":
            event = _add_field(message, "later_event", LATER_EVENT)
            event.oneof_index = [oneof.name for oneof in message.oneof_decl].index("event")


def _add_value(enum: EnumDescriptorProto) -> None:
    prefix = enum.value[0].name.removesuffix("UNSPECIFIED")
    enum.value.add(name=f"{prefix}LATER", number=LATER_VALUE)


def _add_field(message: DescriptorProto, name: str, number: int) -> FieldDescriptorProto:
    return message.field.add(
        name=name,
        number=number,
        label=FieldDescriptorProto.LABEL_OPTIONAL,
        type=FieldDescriptorProto.TYPE_STRING,
    )


_POOL = _later_pool()
_RESPONSES = {
    name: message_factory.GetMessageClass(_POOL.FindMessageTypeByName(method.response.DESCRIPTOR.full_name))
    for name, method in METHODS.items()
}
