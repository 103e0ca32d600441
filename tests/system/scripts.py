"""Messages of every sort, with what a run must come to that answers them."""

from __future__ import annotations

import random
from dataclasses import dataclass

EXTERNAL = ("far", "again")  # agents with runtimes of their own
AGENTS = ("main", *EXTERNAL)


@dataclass(frozen=True)
class Script:
    """A message; `outcome` is the reply, or the reason of the failure."""

    text: str
    outcome: str


def script_for(rng: random.Random, number: int, key: str) -> Script:
    """A message to a session, with a number that no other has."""
    if key.split(":")[1] in EXTERNAL:
        return Script(f"hello {number}", f"far: hello {number}")
    return rng.choice(_SCRIPTS)(number)


def keys_of(sessions: int) -> list[str]:
    """Sessions of all agents in turn, on a channel."""
    return [f"agent:{AGENTS[each % len(AGENTS)]}:telegram:direct:p{each}" for each in range(sessions)]


def plain(number: int) -> Script:
    """Echoed."""
    return Script(f"hello {number}", f"echo: hello {number}")


def slow(number: int) -> Script:
    """Takes a while, so that there is something to cancel and to lose."""
    return Script(f"#!\ndelta so\nsleep 0.3\ndelta slow\nreply slow {number}", f"slow {number}")


def talkative(number: int) -> Script:
    """Shows pieces and uses a tool."""
    steps = "delta so\ndelta far\ntool look {} -> nothing new\nsleep 0.02\ndelta so good"
    return Script(f"#!\n{steps}\nreply told {number}\n@reply\nreply more\n@reply\nskip", f"told {number}")


def failing(number: int) -> Script:
    """Fails, and says why."""
    return Script(f"#!\ndelta oh\nfail BROKEN message {number}", "BROKEN")


_SCRIPTS = (plain, slow, talkative, talkative, failing)
