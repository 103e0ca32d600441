"""A run and the states it goes through (R1); docs/run-lifecycle.md draws them."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, NamedTuple

from sessiond.model.errors import CursorMismatch
from sessiond.model.messages import Usage
from sessiond.model.sessions import Routed


class RunState(StrEnum):
    """Where a run stands."""

    QUEUED = "queued"
    RUNNING = "running"
    CANCELLING = "cancelling"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    CANCELLED = "cancelled"

    @property
    def is_final(self) -> bool:
        """Whether nothing can change any more."""
        return self not in UNFINISHED_STATES


LEASED_STATES = (RunState.RUNNING, RunState.CANCELLING)
UNFINISHED_STATES = (RunState.QUEUED, *LEASED_STATES)


class RunKind(StrEnum):
    """Why a turn happens."""

    CHAT = "chat"
    SEND = "send"
    REPLY = "reply"
    ANNOUNCE = "announce"
    SPAWN = "spawn"
    SPAWN_ANNOUNCE = "spawn_announce"


class Pool(StrEnum):
    """Runs of sub-agents have slots of their own, so that neither kind can starve the other (R2)."""

    AGENTS = "agents"
    SUBAGENTS = "subagents"


class RunRow(NamedTuple):
    """The columns of a run, first those that it is queued with; a tuple, as of sessions."""

    id: str
    session: int
    generation: int
    run_order: int
    kind: str
    state: str
    agent_id: str
    model: str
    pool: str
    is_external: int
    is_ready: int
    exchange_id: str
    turn: int
    parent_run_id: str
    root_run_id: str
    trace_id: str
    depth: int
    version: int
    queue_ms: int
    timeout_ms: int
    input_place: int | None
    event_count: int
    deliver: int
    route_channel: str
    route_to: str
    route_account_id: str
    route_thread_id: str
    # What follows a run is queued without.
    attempt: int
    start_ms: int | None
    end_ms: int | None
    reply: str | None
    is_skipped: int
    failure_reason: str | None
    failure_message: str
    failure_retryable: int
    input_tokens: int | None
    output_tokens: int | None
    total_tokens: int | None
    cost_usd: float | None
    runtime_id: str
    end_actor: str
    end_reason: str
    fence: int
    lease_secret: str
    lease_expires_ms: int | None
    due_ms: int | None
    appended: int
    cancel_reason: str
    cancel_actor: str

    @property
    def is_final(self) -> bool:
        """Whether the run has ended."""
        return self.state not in UNFINISHED_STATES

    @property
    def usage(self) -> Usage | None:
        """What the run took so far; None when nobody told."""
        if self.input_tokens is None and self.output_tokens is None and self.total_tokens is None:
            return None
        return Usage(self.input_tokens or 0, self.output_tokens or 0, self.total_tokens or 0, self.cost_usd)


@dataclass(frozen=True)
class Failure:
    """Why a run did not succeed: a word for programs, a sentence for people."""

    reason: str
    message: str = ""
    is_retryable: bool = False


@dataclass(frozen=True)
class Ending:
    """How a run ends: its final state and all that is stored with it."""

    state: RunState
    actor: str
    reason: str
    reply: str | None = None
    is_skipped: bool = False
    failure: Failure | None = None
    usage: Usage | None = None


RUNTIME = "runtime"
SERVER = "server"


def succeeded(reply: str, usage: Usage | None = None) -> Ending:
    """The agent answered."""
    return Ending(RunState.SUCCEEDED, RUNTIME, "COMPLETED", reply=reply, usage=usage)


def skipped(usage: Usage | None = None) -> Ending:
    """The agent chose silence; the token itself is stored nowhere (S11, S12)."""
    return Ending(RunState.SUCCEEDED, RUNTIME, "SKIPPED", is_skipped=True, usage=usage)


def failed(failure: Failure, usage: Usage | None = None) -> Ending:
    """The runtime says that it went wrong."""
    return Ending(RunState.FAILED, RUNTIME, failure.reason, failure=failure, usage=usage)


def cancelled(actor: str, reason: str, usage: Usage | None = None) -> Ending:
    """Somebody stopped it."""
    reason = reason or "CANCELLED"
    failure = Failure("CANCELLED", f"cancelled by {actor}: {reason}")
    return Ending(RunState.CANCELLED, actor, reason, failure=failure, usage=usage)


def timed_out(timeout_ms: int) -> Ending:
    """It took longer than it might (R5)."""
    text = f"the run took longer than its run_timeout_seconds of {timeout_ms / 1000:g}"
    return Ending(RunState.TIMED_OUT, SERVER, "TIMEOUT", failure=Failure("TIMEOUT", text, is_retryable=True))


def runtime_lost() -> Ending:
    """Its runtime stopped renewing the lease (R4)."""
    text = "the runtime stopped renewing its lease; whether it had done the work is not known"
    return Ending(RunState.FAILED, SERVER, "RUNTIME_LOST", failure=Failure("RUNTIME_LOST", text, is_retryable=True))


@dataclass(frozen=True)
class LeaseToken:
    """What the holder of a lease shows: which run, which lease of it, and a secret."""

    run_id: str
    fence: int
    secret: str

    _PARTS: ClassVar[int] = 3

    def __str__(self) -> str:
        return f"{self.run_id}.{self.fence}.{self.secret}"

    @classmethod
    def parse(cls, text: str) -> LeaseToken | None:
        """The token behind this text; None when it can't be one of ours."""
        parts = text.split(".")
        if len(parts) != cls._PARTS or not parts[1].isascii() or not parts[1].isdigit() or len(parts[1]) > 18:
            return None
        if "\0" in text:
            return None
        return cls(parts[0], int(parts[1]), parts[2])


_URL_SAFE = bytes.maketrans(b"+/", b"-_")


def cursor_of(run_id: str, sequence: int) -> str:
    """An opaque place in a run's events: everything up to this sequence has been seen (W2)."""
    # Not by way of base64, which makes three calls of it: every answer to a send has one.
    text = binascii.b2a_base64(f"{run_id}:{sequence}".encode(), newline=False)
    return text.translate(_URL_SAFE, b"=").decode()


def sequence_of(cursor: str, run_id: str) -> int:
    """The sequence behind a cursor of this run; 0 without one."""
    if not cursor:
        return 0
    try:
        owner, _, number = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode().rpartition(":")
    except (binascii.Error, ValueError):
        raise CursorMismatch from None
    if owner != run_id or not number.isascii() or not number.isdigit() or len(number) > 18:
        raise CursorMismatch
    sequence = int(number)
    if cursor_of(run_id, sequence) != cursor:  # decoding is lenient; a cursor has one form
        raise CursorMismatch
    return sequence


class Run(Routed, RunRow):
    """One row of runs, in the order in which the store selects it."""

    __slots__ = ()
