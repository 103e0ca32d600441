"""Closed sets: the model's words and the contract's numbers, matched by name."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, TypeVar

from sessiond.model.deliveries import DeliveryState
from sessiond.model.errors import invalid
from sessiond.model.exchanges import AnnouncePolicy
from sessiond.model.keys import ChatType, SessionKind
from sessiond.model.messages import Role
from sessiond.model.runs import RunKind, RunState
from sessiond.model.sessions import PolicyAction
from sessiond.model.waits import EndReason, WaitMode, WaitUntil
from sessiontools.v1 import delivery_pb2, message_pb2, run_pb2, session_pb2, session_tools_service_pb2

Word = TypeVar("Word", bound=StrEnum)


class EnumMap:
    """One enum of the contract and its twin in the model."""

    def __init__(self, wrapper: Any, words: type[Word], prefix: str) -> None:
        self._numbers: Mapping[str, int] = {word.value: wrapper.Value(f"{prefix}_{word.name}") for word in words}
        self._words = {number: words(value) for value, number in self._numbers.items()}

    def number(self, word: str | None) -> Any:
        """The contract's number; 0 for none."""
        return self._numbers[word] if word else 0

    def word(self, number: int, field: str) -> Any:
        """The model's word; UNSPECIFIED or one that this version does not know is refused."""
        found = self._words.get(number)
        if found is None:
            raise invalid(field, f"{number} is not one of {', '.join(self._words.values())}")
        return found

    def word_or_none(self, number: int, field: str) -> Any:
        """As `word`, but UNSPECIFIED means none."""
        return self.word(number, field) if number else None


SESSION_KIND = EnumMap(session_pb2.SessionKind, SessionKind, "SESSION_KIND")
CHAT_TYPE = EnumMap(session_pb2.ChatType, ChatType, "CHAT_TYPE")
POLICY_ACTION = EnumMap(session_pb2.PolicyAction, PolicyAction, "POLICY_ACTION")
RUN_STATE = EnumMap(run_pb2.RunState, RunState, "RUN_STATE")
RUN_KIND = EnumMap(run_pb2.RunKind, RunKind, "RUN_KIND")
END_REASON = EnumMap(run_pb2.EndReason, EndReason, "END_REASON")
WAIT_UNTIL = EnumMap(run_pb2.WaitUntil, WaitUntil, "WAIT_UNTIL")
WAIT_MODE = EnumMap(run_pb2.WaitMode, WaitMode, "WAIT_MODE")
ANNOUNCE_POLICY = EnumMap(session_tools_service_pb2.AnnouncePolicy, AnnouncePolicy, "ANNOUNCE_POLICY")
ROLE = EnumMap(message_pb2.Role, Role, "ROLE")
DELIVERY_STATE = EnumMap(delivery_pb2.DeliveryState, DeliveryState, "DELIVERY_STATE")
