"""Values that make sense for the name of their field, so that a request gets past the checks and does something."""

from __future__ import annotations

import random
from collections.abc import Callable

from sessiontools.v1 import gateway_service_pb2

AGENTS = ("main", "far", "far", "far", "box", "prog", "nobody")
CHANNELS = ("telegram", "Discord", "webchat")
PATCHED = (*gateway_service_pb2.SessionPatch.DESCRIPTOR.fields_by_name, "patch.label", "*")

_SANE: dict[str, Callable[[random.Random], str]] = {
    "session_key": lambda rng: f"agent:{rng.choice(AGENTS)}:cron:{rng.randrange(20)}",
    "agent_id": lambda rng: rng.choice(AGENTS),
    "channels": lambda rng: rng.choice(CHANNELS),
    "channel": lambda rng: rng.choice(CHANNELS),
    "label": lambda rng: rng.choice(("a label", "Ä", "x" * 64)),
    "model": lambda rng: rng.choice(("echo", "prog", "none")),
    "paths": lambda rng: rng.choice(PATCHED),
    "request_id": lambda rng: f"r{rng.randrange(300)}",
    "runtime_id": lambda rng: "rt",
    "service": lambda rng: rng.choice(("", "sessiontools.v1.GatewayService", "x")),
    "file_containing_symbol": lambda rng: rng.choice(("sessiontools.v1.Run", "sessiontools.v1.Run.id", "x")),
    "page_token": lambda rng: "",
}


def sane(rng: random.Random, name: str) -> str:
    """A text for a field of this name."""
    known = _SANE.get(name)
    return known(rng) if known else f"{name} {rng.randrange(5)}"
