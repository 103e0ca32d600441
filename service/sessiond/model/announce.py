"""What a sub-agent's requester is told: status, result and notes in one form, then the stats line (P8, P9).

A reply may bring its own headings. A heading is the word Status, Result or Notes at the start of a line, in any case,
after an optional bullet (`-`, `*`, `+`, `•`, `1.`, `1)`), `#` marks and emphasis (`*`, `_`), and before a colon; where
the word has `#` marks or closed emphasis and stands alone, the colon may be missing. Inside a code fence nothing is a
heading. A status is one line; every other line belongs to the heading above it, or to the result.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import dropwhile
from typing import Literal

from sessiond.model.messages import Usage
from sessiond.model.runs import RunState

StatsStyle = Literal["full", "compact", "off"]

NOT_AVAILABLE = "(not available)"
NO_NOTES = "- (none)"
_WORDS_FOR_NONE = frozenset({"(none)", "none", "none.", "n/a"})
_STATUS_WORDS = {
    RunState.SUCCEEDED: "success",
    RunState.FAILED: "error",
    RunState.TIMED_OUT: "timeout",
    RunState.CANCELLED: "cancelled",
}
_BULLET = r"(?:[-*+•]|\d{1,2}[.)])[ \t]+"
_LEADING_BULLET = re.compile(rf"\A[ \t]*{_BULLET}")
_HEADING = re.compile(
    rf"""[ \t]*(?:{_BULLET})?(?P<level>\#{{1,6}}[ \t]+)?(?P<mark>\*{{1,3}}|_{{1,3}}|)(?P<name>status|result|notes)
    (?: (?P=mark)[ \t]*:         # Status: ok, **Status**: ok
      | [ \t]*:(?P=mark)         # **Status:** ok
      | (?P<unclosed>[ \t]*:)    # **Status: ok**
      | (?P<alone>(?P=mark)[ \t]*$)
    )[ \t]*(?P<rest>.*)""",
    re.VERBOSE | re.IGNORECASE | re.ASCII,  # ASCII: without it, the long s is an s
)
# A backtick later in the line makes it code within a line; possessive, so that a row of them is read only once.
_FENCE = re.compile(rf"[ \t]*(?:{_BULLET})?(?P<fence>`{{3,}}+(?!.*`)|~{{3,}})")


@dataclass(frozen=True)
class Stats:
    """What is told of a run below its result; `usage` and `cost_usd` are None where nobody knows."""

    runtime_ms: int
    usage: Usage | None
    cost_usd: float | None
    session_key: str
    session_id: str
    transcript: str


def stats_line(stats: Stats, style: StatsStyle) -> str:
    """The line below a result; empty when it is turned off."""
    if style == "off":
        return ""
    parts = [f"runtime {_duration(stats.runtime_ms)}", f"tokens {_tokens(stats.usage)}"]
    if style == "full":
        parts += _details(stats)
    return "Stats: " + " • ".join(parts)


def cost_of(usage: Usage | None, price_in: float | None, price_out: float | None) -> float | None:
    """What the tokens cost at these prices, in USD per million; None where a price or the split is not known."""
    if usage is None or price_in is None or price_out is None or _is_total_only(usage):
        return None
    return (usage.input_tokens * price_in + usage.output_tokens * price_out) / 1_000_000


def status_word(state: RunState, reason: str = "") -> str:
    """The outcome of a run as a report names it; whether a lost one did its work is not known."""
    if state is RunState.FAILED and reason == "RUNTIME_LOST":
        return "unknown"
    return _STATUS_WORDS.get(state, "unknown")


def report(reply: str | None, status: str, fallback_result: str, error: str, stats: str) -> str:
    """The normalised text; `reply` is None when no model was asked, and then the result is what there was before."""
    result, notes = _result_and_notes(fallback_result if reply is None else reply)
    lines = [f"Status: {status}", f"Result:{_placed(result)}"]
    lines += ["Notes:", *_notes(notes, error)]
    return "\n".join([*lines, stats] if stats else lines)


def _placed(result: str) -> str:
    """Several lines begin below their heading, since a table or a code fence is none behind other words.

    Words that look like a heading stay behind it: at the start of a line they would be one.
    """
    first, *others = result.split("\n")
    if others and not _heading(first):
        return f"\n{result}"
    return f" {result.strip() or NOT_AVAILABLE}"


def _details(stats: Stats) -> list[str]:
    cost = [] if stats.cost_usd is None else [f"est {_dollars(stats.cost_usd)}"]
    transcript = [f"transcript {stats.transcript}"] if stats.transcript else []
    return [*cost, f"sessionKey {stats.session_key}", f"sessionId {stats.session_id}", *transcript]


def _duration(ms: int) -> str:
    """350ms, 12s, 5m12s, 1h02m03s; what is begun does not count."""
    if ms < 1000:
        return f"{max(ms, 0)}ms"
    minutes, seconds = divmod(ms // 1000, 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours}h{minutes:02}m{seconds:02}s"
    return f"{minutes}m{seconds:02}s" if minutes else f"{seconds}s"


def _tokens(usage: Usage | None) -> str:
    if usage is None:
        return "n/a"
    total = _count(usage.total_tokens or usage.input_tokens + usage.output_tokens)
    if _is_total_only(usage):
        return total
    return f"{total} (in {_count(usage.input_tokens)} / out {_count(usage.output_tokens)})"


def _is_total_only(usage: Usage) -> bool:
    """Whether tokens were counted, but not which way they went."""
    return usage.total_tokens > 0 and usage.input_tokens + usage.output_tokens == 0


def _count(tokens: int) -> str:
    """999, 1.0k, 12.3k, 1.2m; rounded, half a tenth up."""
    if tokens < 1000:
        return str(tokens)
    unit, size = ("k", 1000) if tokens < 999_950 else ("m", 1_000_000)
    tenths = (tokens * 10 + size // 2) // size
    return f"{tenths // 10}.{tenths % 10}{unit}"


def _dollars(amount: float) -> str:
    return f"${amount:.2f}" if amount >= 0.01 else f"${amount:.4f}"


def _result_and_notes(text: str) -> tuple[str, str]:
    """A reply taken apart; what it says of its status is dropped."""
    sections: dict[str, list[str]] = {"status": [], "result": [], "notes": []}
    name, fence = "result", ""
    for line in text.splitlines():
        heading = None if fence else _heading(line)
        name, words = heading or (name, line)
        fence = _fence_after(words, fence)
        sections[name].append(words)
        if name == "status" and words.strip():
            name = "result"
    return _trimmed(sections["result"]), _trimmed(sections["notes"])


def _heading(line: str) -> tuple[str, str] | None:
    """The section that a line begins and what else stands in the line."""
    found = _HEADING.match(line)
    if found is None or (found["alone"] is not None and not (found["level"] or found["mark"])):
        return None
    is_open = found["unclosed"] is not None  # the emphasis goes on, so it stays with the words
    return found["name"].lower(), (found["mark"] if is_open else "") + found["rest"]


def _fence_after(line: str, fence: str) -> str:
    """The code fence that is open after a line, given the one before it."""
    if fence:
        is_end = line.strip().startswith(fence) and not line.strip().strip(fence[0])
        return "" if is_end else fence
    found = _FENCE.match(line)
    return found["fence"] if found else ""


def _trimmed(lines: Iterable[str]) -> str:
    """The lines without blank ones around them; an indentation of the first stays."""
    return "\n".join(dropwhile(lambda line: not line.strip(), lines)).rstrip()


def _notes(notes: str, error: str) -> list[str]:
    words = _LEADING_BULLET.sub("", notes)
    found = []
    if words and words.lower() not in _WORDS_FOR_NONE:
        is_written_out = words != notes or "\n" in notes
        found.append(notes if is_written_out else f"- {notes}")
    if error.strip():
        found.append("- Error: " + " ".join(error.split()))  # one line, so that no error can write a heading
    return found or [NO_NOTES]
