"""Scripts for the echo runtime, which call the session tools again with a run's own authority."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

from google.protobuf import json_format
from google.protobuf.message import Message

from sessiond.model.tools import SESSION_TOOLS
from tests.fuzz.texts import nasty

MAX_STEPS = 4
STEPS = ("sleep 0", "sleep 0.05", "sleep -1", "sleep nan", "sleep 1e400", "delta ", "skip", "fail", "reply", "@reply")
ENDS = ("@reply\nskip", "@announce\nskip", "@reply\nreply on\n@reply\nskip", "@announce\nreply told", "@other", "hang")
NAMES = ("session_key", "run_id", "limit", "kinds", "message", "waits", "announce", "", "a", "\x00", "é")
DEEP = (3, 30, 98, 200, 2000)

# A request of the tool of this name.
Ask = Callable[[str], Message]


def script(rng: random.Random, ask: Ask) -> str:
    """A script of a few steps, right or wrong."""
    steps = [_step(rng, ask) for _ in range(rng.randrange(MAX_STEPS))]
    ending = rng.choice(("", "reply done", f"reply {nasty(rng)}", "skip", f"fail X {nasty(rng)}", *ENDS))
    return "\n".join(["#!", *steps, ending])


def _step(rng: random.Random, ask: Ask) -> str:
    match rng.randrange(6):
        case 0:
            return f"delta {nasty(rng)}"
        case 1:
            return f"tool {rng.choice(('look', nasty(rng)))} {anything(rng)} -> {nasty(rng)}"
        case 2:
            return rng.choice(STEPS)
        case 3:
            return f"call {rng.choice((*SESSION_TOOLS, 'wait_runs', 'x'))} {anything(rng)}"
    name = rng.choice(list(SESSION_TOOLS))
    return f"call {name} {_as_json(ask(name))}"


def _as_json(request: Message) -> str:
    return json.dumps(json_format.MessageToDict(request, preserving_proto_field_name=True))


def anything(rng: random.Random) -> str:
    """JSON, more or less."""
    match rng.randrange(5):
        case 0:
            return "{" + '"a":{' * (deep := rng.choice(DEEP)) + "}" * deep + "}"
        case 1:
            return '{"a":' + "[" * (deep := rng.choice(DEEP)) + "]" * deep + "}"
        case 2:
            return nasty(rng)
    return json.dumps({rng.choice(NAMES): _value(rng, 2) for _ in range(rng.randrange(4))})


def _value(rng: random.Random, depth: int) -> Any:
    match rng.randrange(8 if depth else 5):
        case 0:
            return nasty(rng)
        case 1:
            return rng.choice((0, -1, 1.5, 2**70, 1e308, float("nan"), float("inf"), float("-inf")))
        case 2:
            return rng.choice((None, True, False))
        case 3 | 4:
            return rng.choice(("main", "SESSION_KIND_MAIN", "NEVER", 1, "1", [], {}))
        case 5 | 6:
            return [_value(rng, depth - 1) for _ in range(rng.randrange(4))]
    return {rng.choice((nasty(rng), *NAMES)): _value(rng, depth - 1) for _ in range(rng.randrange(4))}
