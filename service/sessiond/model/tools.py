"""Which session tools a session may use (P6)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase

SPAWN = "sessions_spawn"
SESSION_TOOLS = (
    *("sessions_list", "sessions_history", "sessions_send", SPAWN, "agents_list"),
    *("get_run", "wait_run", "wait_runs", "cancel_run"),
)


@dataclass(frozen=True)
class ToolPolicy:
    """What may be used: everything that `allow` names (empty = anything) and `deny` does not."""

    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()

    def allows(self, tool: str) -> bool:
        """Whether the tool may be used; deny wins."""
        if any(fnmatchcase(tool, pattern) for pattern in self.deny):
            return False
        return not self.allow or any(fnmatchcase(tool, pattern) for pattern in self.allow)

    def stored(self) -> str:
        """As kept on the session's row, so that a later configuration widens nothing."""
        return json.dumps([self.allow, self.deny])

    @classmethod
    def parse(cls, stored: str) -> ToolPolicy:
        """Back from the session's row; a session without one may use everything."""
        if not stored:
            return cls()
        allow, deny = json.loads(stored)
        return cls(tuple(allow), tuple(deny))


def subagent_policy(lifted: Iterable[str], denied: Iterable[str], requester: ToolPolicy) -> ToolPolicy:
    """A child's tools: the requester's at most; session tools only where lifted; spawning never."""
    lifts = ToolPolicy(allow=tuple(lifted) or ("",))
    kept = [tool for tool in SESSION_TOOLS if tool == SPAWN or not lifts.allows(tool)]
    return ToolPolicy(requester.allow, tuple(dict.fromkeys([*requester.deny, *denied, *kept])))
