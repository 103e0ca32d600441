"""What a client saw, without what is different every time, so that it can be compared with what another one saw."""

from __future__ import annotations

import re
from typing import Any

_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<=call-)[0-9a-f]{12}")
_TOOK = re.compile(r"(?<=Stats: runtime )\S+")
_TIME = re.compile(r".*_time|.*_at|lease_expires")
_OPAQUE = frozenset(
    {"cursor", "page_token", "next_page_token", "lease_token", "run_token", "etag", "trace_id", "traceparent"}
)
_DATED = ("snapshot", "heartbeat", "ended")  # messages that say when they were made, not when something happened


def steady(event: dict[str, Any]) -> dict[str, Any]:
    """A message of a wait as every wait tells it: a snapshot is of its moment, and so left out but for being one."""
    if "snapshot" in event:
        event = {**event, "snapshot": {}}
    if any(name in event for name in _DATED):
        event = {name: value for name, value in event.items() if name != "event_time"}
    return event


def normalised(transcript: list[Any]) -> list[Any]:
    """The transcript with ids, times and tokens replaced by what tells only which of them are the same."""
    found: list[Any] = _Replacing().value(transcript)
    return found


class _Replacing:
    def __init__(self) -> None:
        self._known: dict[str, str] = {}

    def value(self, value: Any, name: str = "") -> Any:
        match value:
            case dict():
                return {key: self.value(each, key) for key, each in _told(value).items()}
            case list():
                return [self.value(each, name) for each in value]
            case str() if value and _TIME.fullmatch(name):
                return "<time>"
            case str() if value and name in _OPAQUE:
                return self._called(value, name)
            case str():
                return _TOOK.sub("<time>", _ID.sub(lambda found: self._called(found[0], "id"), value))
            case _:
                return value

    def _called(self, value: str, kind: str) -> str:
        return self._known.setdefault(value, f"<{kind} {len(self._known) + 1}>")


def _told(fields: dict[str, Any]) -> dict[str, Any]:
    if "snapshot" in fields:
        return steady(fields)
    if fields.get("reason") == "RATE_LIMITED":  # it says when, from now on
        return {**fields, "retry_after_seconds": fields["retry_after_seconds"] > 0}
    if "retry_after_seconds" in fields and (not fields["reason"] or fields["code"] == "UNAVAILABLE"):
        # Each gRPC has words of its own for what is not the service's, and for what it tried again in vain.
        return {name: each for name, each in fields.items() if name != "message"}
    return fields
