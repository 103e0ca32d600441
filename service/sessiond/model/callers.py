"""Who calls: identity comes from the credential, never from the request (V1, V6)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from sessiond.model.runs import Run, RunState

_TRACEPARENT = re.compile(r"[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}")


class CallerRole(StrEnum):
    """What a credential makes its holder."""

    OWNER = "owner"
    GATEWAY = "gateway"
    RUNTIME = "runtime"
    AGENT = "agent"


@dataclass(frozen=True)
class RunToken:
    """What makes its holder the agent of one run, for as long as one lease of it lasts."""

    run_id: str
    session: int
    attempt: int
    fence: int

    @classmethod
    def of(cls, run: Run) -> RunToken:
        """What a token for this lease of the run says."""
        return cls(run.id, run.session, run.attempt, run.fence)

    def opens(self, run: Run | None) -> bool:
        """Whether the run is still under the lease that this token was made for: as long as its runtime may write."""
        if run is None or run.state not in (RunState.RUNNING, RunState.CANCELLING):
            return False
        return RunToken.of(run) == self


@dataclass(frozen=True)
class Caller:
    """One caller: its role, its credential's name, and the session or run it acts from."""

    role: CallerRole
    name: str
    acting_reference: str = ""
    run_token: RunToken | None = None
    traceparent: str = ""

    @property
    def scope(self) -> str:
        """Within what request ids are unique: the credential; for an agent, its run (R8)."""
        return f"{self.role}:{self.name}"

    @property
    def is_acting(self) -> bool:
        """Whether it calls from a session, so that what it sees depends on that."""
        return self.run_token is not None or bool(self.acting_reference)

    @property
    def trace_id(self) -> str:
        """The trace the caller says it is part of; empty when it says none."""
        match = _TRACEPARENT.fullmatch(self.traceparent) if self.traceparent else None
        return match[1] if match else ""
