"""Who calls: identity comes from the credential, never from the request (V1, V6)."""

from __future__ import annotations

import hashlib
import hmac
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
    """What makes its holder the agent of one run, for as long as that lease of it lasts."""

    run_id: str
    fence: int
    proof: str

    def __str__(self) -> str:
        return f"run.{self.run_id}.{self.fence}.{self.proof}"

    @classmethod
    def of(cls, run: Run) -> RunToken:
        """The token of a leased run; it can't be turned back into the lease's own."""
        digest = hashlib.sha256(f"run:{run.id}:{run.fence}:{run.lease_secret}".encode()).hexdigest()
        return cls(run.id, run.fence, digest)

    @classmethod
    def parse(cls, text: str) -> RunToken | None:
        """The token behind this text; None when it is none of ours."""
        parts = text.split(".")
        if len(parts) != 4 or parts[0] != "run" or not (parts[2].isascii() and parts[2].isdigit()):
            return None
        return cls(parts[1], int(parts[2][:18]), parts[3])

    def opens(self, run: Run | None) -> bool:
        """Whether the run is still under the lease that this token was made for."""
        if run is None or run.state not in (RunState.RUNNING, RunState.CANCELLING):
            return False
        return hmac.compare_digest(str(RunToken.of(run)).encode(), str(self).encode())


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
        return f"{self.role.value}:{self.name}"

    @property
    def trace_id(self) -> str:
        """The trace the caller says it is part of; empty when it says none."""
        match = _TRACEPARENT.fullmatch(self.traceparent)
        return match[1] if match else ""
