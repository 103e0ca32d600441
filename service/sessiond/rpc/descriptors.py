"""The files that reflection can serve, and where each symbol is found."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from importlib import resources
from typing import Any

from google.protobuf import any_pb2, descriptor_pb2, duration_pb2, empty_pb2, wrappers_pb2
from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet
from google.rpc import error_details_pb2, status_pb2
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2

from sessiond.rpc.health_list import health_file

# What is served beside the contract: the other services here, and what statuses and their details are made of.
AROUND_THE_CONTRACT = (
    *(health_pb2, reflection_pb2, status_pb2, error_details_pb2),
    *(any_pb2, duration_pb2, empty_pb2, wrappers_pb2, descriptor_pb2),
)


class Descriptors:
    """An index over files, made once: every symbol, every extension, every file with all that it imports."""

    def __init__(self, files: Iterable[FileDescriptorProto]) -> None:
        self._files: dict[str, FileDescriptorProto] = {}
        for file in files:  # the first of a name stays, so the files with comments come first
            self._files.setdefault(file.name, file)
        self._bytes = {name: file.SerializeToString() for name, file in self._files.items()}
        self._symbols = {symbol: name for name, file in self._files.items() for symbol in symbols_of(file)}
        self._messages = {
            full_name for file in self._files.values() for full_name, _ in messages_in(file.package, file.message_type)
        }
        self._extensions = {
            (each.extendee.removeprefix("."), each.number): name
            for name, file in self._files.items()
            for each in extensions_of(file)
        }

    def services(self) -> list[str]:
        """The full names of all services, sorted."""
        return sorted(_join(file.package, each.name) for file in self._files.values() for each in file.service)

    def file(self, name: str | None) -> list[bytes] | None:
        """The file of this name, then every file that it needs; None when there is none."""
        if name not in self._files:
            return None
        names = [name]
        for each in names:  # grows while it is walked
            names.extend(needed for needed in self._files[each].dependency if needed not in names)
        return [self._bytes[each] for each in names]

    def file_of_symbol(self, symbol: str) -> list[bytes] | None:
        """The file in which a message, field, oneof, enum, enum value, service or method stands."""
        return self.file(self._symbols.get(symbol))

    def file_of_extension(self, message: str, number: int) -> list[bytes] | None:
        """The file that extends this message with this number."""
        return self.file(self._extensions.get((message, number)))

    def extension_numbers(self, message: str) -> list[int] | None:
        """The numbers of a message's extensions, sorted; None when there is no such message."""
        if message not in self._messages:
            return None
        return sorted(number for extended, number in self._extensions if extended == message)


def contract_files() -> Sequence[FileDescriptorProto]:
    """Our own files as `buf build` wrote them: with the comments, which generated Python code leaves out."""
    packed = resources.files("sessiond.rpc").joinpath("contract.binpb").read_bytes()
    return FileDescriptorSet.FromString(packed).file


def served_files() -> Iterator[FileDescriptorProto]:
    """All that reflection serves: the contract, what stands around it, and reflection v1, which no package has."""
    yield from contract_files()
    yield health_file()  # before the package's own, which has no List
    for module in AROUND_THE_CONTRACT:
        yield from _with_imports(module.DESCRIPTOR)
    yield reflection_v1()


def reflection_v1() -> FileDescriptorProto:
    """Reflection v1 from v1alpha, whose messages and method are the same but for the package."""
    file = _proto_of(reflection_pb2.DESCRIPTOR)
    file.name, file.package = "grpc/reflection/v1/reflection.proto", "grpc.reflection.v1"
    for message in file.message_type:
        for field in message.field:
            if field.HasField("type_name"):  # an empty one, once set, makes the field a broken one
                field.type_name = _as_v1(field.type_name)
    for method in file.service[0].method:
        method.input_type, method.output_type = _as_v1(method.input_type), _as_v1(method.output_type)
    return file


def symbols_of(file: FileDescriptorProto) -> Iterator[str]:
    """The full name of everything in a file; an enum's values stand beside the enum, as in C++."""
    for name, message in messages_in(file.package, file.message_type):
        yield name
        yield from (_join(name, each.name) for each in (*message.field, *message.extension))
        yield from (_join(name, each.name) for each in message.oneof_decl)
        yield from _enum_symbols(name, message.enum_type)
    yield from _enum_symbols(file.package, file.enum_type)
    yield from (_join(file.package, each.name) for each in file.extension)
    for service in file.service:
        name = _join(file.package, service.name)
        yield from (name, *(_join(name, each.name) for each in service.method))


def messages_in(scope: str, messages: Iterable[DescriptorProto]) -> Iterator[tuple[str, DescriptorProto]]:
    """The messages with their full names, and those inside them."""
    for message in messages:
        name = _join(scope, message.name)
        yield name, message
        yield from messages_in(name, message.nested_type)


def extensions_of(file: FileDescriptorProto) -> Iterator[FieldDescriptorProto]:
    """The extensions that a file declares, wherever in it."""
    yield from file.extension
    for _, message in messages_in(file.package, file.message_type):
        yield from message.extension


def _enum_symbols(scope: str, enums: Iterable[descriptor_pb2.EnumDescriptorProto]) -> Iterator[str]:
    for enum in enums:
        yield _join(scope, enum.name)
        yield from (_join(scope, each.name) for each in enum.value)


def _with_imports(descriptor: Any) -> Iterator[FileDescriptorProto]:
    yield _proto_of(descriptor)
    for needed in descriptor.dependencies:
        yield from _with_imports(needed)


def _proto_of(descriptor: Any) -> FileDescriptorProto:
    file = FileDescriptorProto()
    descriptor.CopyToProto(file)
    return file


def _as_v1(type_name: str) -> str:
    return type_name.replace(".grpc.reflection.v1alpha.", ".grpc.reflection.v1.")


def _join(scope: str, name: str) -> str:
    return f"{scope}.{name}" if scope else name
