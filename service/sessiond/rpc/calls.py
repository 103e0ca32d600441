"""What is known of the call under way, for the one log line at its end."""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass

from sessiond.model.callers import Caller


@dataclass(slots=True)
class CallRecord:
    """One call: its method, and its caller as soon as the credential has been read."""

    method: str
    caller: Caller | None = None


_current: ContextVar[CallRecord] = ContextVar("sessiond_call")


def begin_call(method: str) -> CallRecord:
    """A record for the call of this task; grpc runs every call in a task of its own, so it needs no reset."""
    record = CallRecord(method)
    _current.set(record)
    return record


def current_call() -> CallRecord:
    """The record of the call that this code runs for."""
    return _current.get()


def the_caller() -> Caller:
    """The caller of the call under way."""
    caller = current_call().caller
    assert caller is not None  # noqa: S101 - admission has set it, or the handler would not run
    return caller
