"""Random requests from the contract's descriptors: from almost right to altogether wrong."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

from google.protobuf import message_factory
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

from sessiontools.v1 import session_tools_service_pb2 as tools_pb
from tests.fuzz.edges import floating, number, one_of_enum
from tests.fuzz.finds import NOUNS, Finds, Record
from tests.fuzz.sane import sane
from tests.fuzz.scripts import script
from tests.fuzz.structs import struct
from tests.fuzz.texts import KEYS, giant, mangled, nasty

MAX_DEPTH = 6
# How many of a request's values are wrong: few requests are right in all, few are wrong in all.
WILDNESS = (0.0, 0.02, 0.02, 0.1, 0.5)
GIANT = 0.004
# What a request must have to get anywhere.
NEEDED = frozenset(
    {
        *("session_key", "message", "task", "run_id", "delivery_id", "lease_token", "runtime_id", "max_runs", "role"),
        *("max_deliveries", "waits", "leases", "channel", "to", "first_sequence", "reason", "events"),
    }
)
# Fields of which a right request has only one.
ALTERNATIVES = (
    frozenset({"ChatSendRequest.text", "ChatSendRequest.content"}),
    frozenset({"SessionsSendRequest.session_key", "SessionsSendRequest.label"}),
    frozenset({f"SessionsResolveRequest.{name}" for name in ("session_key", "session_id", "label")}),
)
# What ends things for good; only a storm that may purge sets these.
PURGING = frozenset({"SessionsDeleteRequest.purge", "SessionsSpawnRequest.cleanup"})
SPOKEN = frozenset({"message", "task", "text", "reply", "delta"})
# Fields that hold what others call by another name.
ALIKE = {
    "AcquireRunsRequest.agent_ids": "agent_id",
    "HeartbeatRunsRequest.leases": "lease_token",
    "AckDeliveryRequest.lease_token": "delivery_lease",
    "NackDeliveryRequest.lease_token": "delivery_lease",
}
_TOOLS = tools_pb.DESCRIPTOR.services_by_name["SessionToolsService"].methods_by_name


class Generator:
    """Makes requests by chance, of what was found so far; one a worker, so that a seed tells all that it makes."""

    def __init__(self, rng: random.Random, finds: Finds, may_purge: bool, is_in_script: bool = False) -> None:
        self._rng = rng
        self._finds = finds
        self._may_purge = may_purge
        self._is_in_script = is_in_script
        self._wildness = 0.0
        self._record: Record = {}

    def request(self, descriptor: Descriptor) -> Message:
        """A request of this type."""
        self._wildness = self._rng.choice(WILDNESS)
        self._remember(descriptor)
        return self._filled(descriptor, 0)

    def _remember(self, descriptor: Descriptor) -> None:
        """Look for real things that belong together, as many as this message can hold."""
        self._record = self._finds.record(self._rng, frozenset(map(_noun_of, descriptor.fields)))

    def _filled(self, descriptor: Descriptor, depth: int) -> Message:
        if descriptor.full_name == "google.protobuf.Struct":
            return struct(self._rng, self._is_nasty())
        made: Message = message_factory.GetMessageClass(descriptor)()
        left_out, chosen = self._choices(descriptor)
        for field in descriptor.fields:
            if field.name in chosen or (field.name not in left_out and self._is_set(field, depth)):
                self._set(made, field, depth)
        return made

    def _choices(self, descriptor: Descriptor) -> tuple[set[str], set[str]]:
        """What is left out, and what is not: one of the fields that exclude each other, and nothing that purges."""
        names = {f"{descriptor.name}.{field.name}" for field in descriptor.fields}
        left_out = set() if self._may_purge else set(PURGING & names)
        groups = [sorted(each) for each in ALTERNATIVES if each <= names] + _oneofs(descriptor)
        chosen = {self._rng.choice(group) for group in groups if not self._is_nasty()}
        left_out |= {name for group in groups for name in group if chosen & {*group}} - chosen
        return _last_words(left_out), _last_words(chosen)

    def _is_set(self, field: FieldDescriptor, depth: int) -> bool:
        if field.message_type is not None and depth >= MAX_DEPTH:
            return False
        return self._rng.random() < (1 - self._wildness / 4 if field.name in NEEDED else 0.3)

    def _set(self, made: Message, field: FieldDescriptor, depth: int) -> None:
        if field.is_repeated:
            for _ in range(self._many()):
                if field.message_type is not None:
                    self._remember(field.message_type)
                getattr(made, field.name).append(self._value(field, depth))
        elif field.message_type is not None:
            getattr(made, field.name).CopyFrom(self._value(field, depth))
        else:
            setattr(made, field.name, self._value(field, depth))

    def _many(self) -> int:
        return self._rng.choice((0, 2, 3, 20, 101, 300) if self._is_nasty() else (1, 1, 2, 3))

    def _value(self, field: FieldDescriptor, depth: int) -> Any:
        if field.message_type is not None:
            return self._filled(field.message_type, depth + 1)
        if field.enum_type is not None:
            return one_of_enum(self._rng, field.enum_type, self._is_nasty())
        match field.type:
            case FieldDescriptor.TYPE_STRING:
                return self._text(_noun_of(field))
            case FieldDescriptor.TYPE_BYTES:
                return self._rng.randbytes(self._rng.choice((0, 1, 100, 70_000 if self._is_nasty() else 10)))
            case FieldDescriptor.TYPE_BOOL:
                return self._rng.random() < 0.5
            case FieldDescriptor.TYPE_DOUBLE:
                return floating(self._rng, self._is_nasty())
        found = self._record.get(field.name)
        return number(self._rng, field, self._is_nasty()) if found is None or self._is_nasty() else found

    def _text(self, name: str) -> str:
        if self._rng.random() < GIANT and self._wildness:
            return giant(self._rng)
        if self._is_nasty():
            found = self._finds.one(self._rng, name) if name in NOUNS else None
            return mangled(self._rng, found) if found and self._rng.random() < 0.5 else nasty(self._rng)
        if name in SPOKEN:
            return self._spoken()
        if name in NOUNS and name != "page_token":  # which is good for one request only; that is asked again as it is
            return self._noun(name)
        return sane(self._rng, name)

    def _noun(self, name: str) -> str:
        """Something real, most of all what belongs to the other things in this request."""
        if name == "session_key" and self._rng.random() < 0.3:
            return self._rng.choice(KEYS)
        found = self._record.get(name) if self._rng.random() < 0.7 else None
        found = found or self._finds.one(self._rng, name)
        return found if found and self._rng.random() < 0.9 else sane(self._rng, name)

    def _spoken(self) -> str:
        match self._rng.randrange(4):
            case 0 if not self._is_in_script:
                return script(self._rng, self._asked_in_script)
            case 1:
                return nasty(self._rng)
        return f"hello {self._rng.randrange(1000)}"

    def _asked_in_script(self, tool: str) -> Message:
        """A request inside a script, whose own texts are no scripts: the storm has an end."""
        method = _TOOLS["".join(word.title() for word in tool.split("_"))]
        inner = Generator(self._rng, self._finds, self._may_purge, is_in_script=True)
        return inner.request(method.input_type)

    def _is_nasty(self) -> bool:
        return self._rng.random() < self._wildness


def _noun_of(field: FieldDescriptor) -> str:
    owner: Any = field.containing_type
    return ALIKE.get(f"{owner.name}.{field.name}", field.name)


def _oneofs(descriptor: Descriptor) -> list[list[str]]:
    """The fields of each oneof that is written as such; a field with presence has one of its own."""
    written = [oneof for oneof in descriptor.oneofs if not oneof.name.startswith("_")]
    return [[field.full_name for field in oneof.fields] for oneof in written]


def _last_words(names: Iterable[str]) -> set[str]:
    return {name.rpartition(".")[2] for name in names}
