"""`sessiontools demo`: the whole story, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = Path(sys.executable).with_name("sessiontools")
STORY = [
    "starting a server",
    "is ready on 127.0.0.1:",
    "1. main asks research",
    "sessions_send to agent:research:telegram:group:lab: accepted",
    "delta     The library closes",
    "message   assistant: The library closes at six.",
    "turn      1 in main",
    "main says: On Fridays too?",
    "turn      2 in agent:research:telegram:group:lab",
    "research says: No, on Fridays it is open until eight.",
    "turn      3 in main",
    "main says: Good, then we meet on Friday.",
    "announce  in agent:research:telegram:group:lab",
    "delivery  delivered to telegram lab",
    "ended     succeeded",
    "2. main spawns a sub-agent",
    "sessions_spawn: accepted, the child is agent:research:subagent:",
    "message   assistant: (calls web_search)",
    "delivery  delivered to telegram alice",
    "ended     succeeded",
    "3. a channel that the send policy denies",
    "is refused: PERMISSION_DENIED: session.sendPolicy.rules[0] denies",
    "4. a sub-agent that would never end",
    "delta     counting every grain of sand",
    "cancelling it",
    "state     cancelling -> cancelled",
    "delivery  delivered to telegram alice",
    "ended     cancelled",
    "the end",
]
# What the demo's gateway tells, in a thread of its own: a delivery may be shown before the state that it comes from.
DELIVERED = [
    "gateway   delivers to telegram lab:",
    "| We meet in the library on Friday; it is open until eight.",
    "gateway   delivers to telegram alice:",
    "| Status: success",
    "| Result: Take the 9:05, it needs 2 h 50 min.",
    "| - seats are still free",
    "| Stats: runtime ",
    "| Status: cancelled",
]
# Long enough that only a demo that hangs ever takes it.
PATIENCE_S = 180


def test_it_plays_to_the_end_and_leaves_nothing_behind(tmp_path: Path) -> None:
    environ = os.environ | {"TMPDIR": str(tmp_path), "SESSIONTOOLS_SERVER__LISTEN": "nonsense"}

    done = subprocess.run(
        [PROGRAM, "demo"], capture_output=True, text=True, timeout=PATIENCE_S, env=environ, cwd=tmp_path, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert _first_missing(STORY, done.stdout) is None
    assert _first_missing(DELIVERED, done.stdout) is None
    assert "\x1b" not in done.stdout  # plain where no terminal is
    assert "SKIP" not in done.stdout
    assert list(tmp_path.iterdir()) == []


def _first_missing(parts: list[str], told: str) -> str | None:
    """The first of the parts that does not come, in their order."""
    lines = iter(told.splitlines())
    return next((part for part in parts if not any(part in line for line in lines)), None)
