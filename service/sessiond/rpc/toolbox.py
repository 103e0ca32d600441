"""The session tools for built-in runtimes: JSON in, JSON out, through the same handlers and with a run's authority."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from google.protobuf import json_format, message_factory
from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor
from google.protobuf.message import Message

from sessiond.model.callers import Caller
from sessiond.model.errors import Refusal
from sessiond.model.tools import SESSION_TOOLS
from sessiond.rpc.authority import PolicyOf, authorize
from sessiond.rpc.calls import begin_call
from sessiond.rpc.descriptors import contract_files
from sessiond.rpc.session_tools import SessionTools
from sessiond.worker.execution import ToolAnswer, ToolSpec
from sessiontools.v1 import session_tools_service_pb2 as pb

_FILE = pb.DESCRIPTOR.name
_SERVICE = pb.DESCRIPTOR.services_by_name["SessionToolsService"]
_NUMBERS = frozenset({FieldDescriptor.CPPTYPE_UINT32, FieldDescriptor.CPPTYPE_INT64})


class NoDeadline:
    """Stands for the call's context where there is no call: a run's own time is its only limit."""

    def time_remaining(self) -> None:
        """No deadline."""


class Toolbox:
    """Every session tool by its name, such as `sessions_send`."""

    def __init__(self, tools: SessionTools, policy_of: PolicyOf) -> None:
        self._tools = tools
        self._policy_of = policy_of
        comments = dict(_comments())
        self._methods = {_snake(method.name): method for method in _SERVICE.methods}
        self._specs = [_spec(name, self._methods[name], comments) for name in SESSION_TOOLS]

    def specs(self, allows: Callable[[str], bool]) -> list[ToolSpec]:
        """The tools that may be used, as a model is told of them; following a stream is not for models."""
        return [spec for spec in self._specs if allows(spec.name) and not self._methods[spec.name].server_streaming]

    async def call(self, caller: Caller, name: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        """Call one; a refusal is an answer too."""
        method = self._methods.get(name)
        if method is None:
            return ToolAnswer(f"no such tool; known: {', '.join(SESSION_TOOLS)}", is_error=True)
        try:
            request = json_format.ParseDict(dict(arguments), message_factory.GetMessageClass(method.input_type)())
        except json_format.ParseError as problem:
            return ToolAnswer(f"the arguments do not fit {name}: {problem}", is_error=True)
        begin_call(f"tool/{name}").caller = caller
        try:
            await authorize(caller, f"{_SERVICE.full_name}/{method.name}", self._policy_of)
            answer = await self._answer(method, request)
        except Refusal as refusal:
            return ToolAnswer(json.dumps({"error": refusal.text, "reason": refusal.reason}), is_error=True)
        return ToolAnswer(json_format.MessageToJson(answer, preserving_proto_field_name=True, indent=None))

    async def _answer(self, method: MethodDescriptor, request: Message) -> Message:
        handler = getattr(self._tools, method.name)
        if not method.server_streaming:
            answer: Message | bytes = await handler(request, NoDeadline())
            return _read(method, answer) if isinstance(answer, bytes) else answer
        async for each in handler(request, NoDeadline()):
            last: Message = each
        return last


def _read(method: MethodDescriptor, answer: bytes) -> Message:
    """An answer that its handler gave as it goes over the wire."""
    return message_factory.GetMessageClass(method.output_type).FromString(answer)


def _spec(name: str, method: MethodDescriptor, comments: Mapping[str, str]) -> ToolSpec:
    request = method.input_type
    fields = {field.name: _schema(field, comments) for field in request.fields}
    parameters = {"type": "object", "properties": fields, "additionalProperties": False}
    return ToolSpec(name, comments.get(method.full_name, name), parameters)


def _schema(field: FieldDescriptor, comments: Mapping[str, str]) -> dict[str, Any]:
    schema = {"description": comments.get(field.full_name, ""), **_type_of(field)}
    return {"type": "array", "items": schema} if field.is_repeated else schema


def _type_of(field: FieldDescriptor) -> dict[str, Any]:
    if field.cpp_type == FieldDescriptor.CPPTYPE_BOOL:
        return {"type": "boolean"}
    if field.cpp_type in _NUMBERS:
        return {"type": "integer"}
    if field.enum_type is not None:
        return {"type": "string", "enum": [value.name for value in field.enum_type.values if value.number]}
    if field.message_type is not None:
        return {"type": "object", "properties": _properties(field.message_type)}
    return {"type": "string"}


def _properties(message: Descriptor) -> dict[str, Any]:
    return {field.name: _type_of(field) for field in message.fields}


def _comments() -> Iterator[tuple[str, str]]:
    """The contract's comments on the service's methods and its messages' fields, by full name."""
    file = next(each for each in contract_files() if each.name == _FILE)
    for place in file.source_code_info.location:
        match list(place.path):
            case [6, _, 2, number]:
                yield _SERVICE.methods[number].full_name, _one_line(place.leading_comments)
            case [4, number, 2, field]:
                message = file.message_type[number]
                full_name = f"{file.package}.{message.name}.{message.field[field].name}"
                yield full_name, _one_line(place.leading_comments)


def _one_line(comment: str) -> str:
    return " ".join(comment.split())


def _snake(name: str) -> str:
    return "".join(f"_{char.lower()}" if char.isupper() else char for char in name).lstrip("_")
