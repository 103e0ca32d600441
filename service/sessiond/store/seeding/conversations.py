"""Invented transcripts: a few conversations, repeated for as long as a transcript goes on."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from sessiond.model.messages import (
    Block,
    Draft,
    Message,
    Provenance,
    ProvenanceKind,
    Role,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Usage,
    message_id,
)
from sessiond.store import codec
from sessiond.store.messages import place_of

MODEL = "echo"


class MessageRow(NamedTuple):
    """The columns of messages."""

    place: int
    role: str
    size: int
    body: bytes


class Transcript(NamedTuple):
    """Which conversation a session repeats, how often, and from when to when."""

    generation: int
    session_id: str
    conversation: int
    length: int
    created_ms: int
    updated_ms: int

    def tool_results(self, until: int) -> int:
        """How many of the messages up to a sequence are tool results."""
        counts = _TOOL_RESULTS[self.conversation]
        rounds, rest = divmod(until, len(counts) - 1)
        return rounds * counts[-1] + counts[rest]

    def rows(self, after: int, until: int) -> Iterator[MessageRow]:
        """The messages with these sequences, `after` excluded; the newest is as new as the session."""
        lines = _CONVERSATIONS[self.conversation]
        step_ms = (self.updated_ms - self.created_ms) // max(1, self.length)
        for sequence in range(after + 1, until + 1):
            line = lines[(sequence - 1) % len(lines)]
            at_ms = self.updated_ms - (self.length - sequence) * step_ms
            head = codec.encode(Message(message_id(self.session_id, sequence), sequence, at_ms, line.bare))
            body = head + line.rest
            yield MessageRow(place_of(self.generation, sequence), line.role, len(body), body)


class _Line(NamedTuple):
    """A message in two parts, since serialised messages merge by concatenation: what differs each time, and `rest`."""

    role: str
    bare: Draft
    rest: bytes


def _line(draft: Draft) -> _Line:
    return _Line(draft.role.value, Draft(draft.role, ()), codec.encode(Message("", 0, 0, draft)))


def _user(text: str) -> _Line:
    return _line(Draft(Role.USER, (Text(text),), Provenance(ProvenanceKind.USER)))


def _agent(*content: Block) -> _Line:
    return _line(Draft(Role.ASSISTANT, content, model=MODEL, usage=Usage(310, 85, 395)))


def _tool(call: ToolCall, text: str, is_error: bool = False) -> _Line:
    return _line(Draft(Role.TOOL_RESULT, (ToolResult(call.id, call.name, text, is_error),)))


_WEATHER = ToolCall("call-1", "weather", {"city": "Lisbon", "days": 3})
_READ = ToolCall("call-2", "read_file", {"path": "notes/release.md", "limit": 40})
_TESTS = ToolCall("call-3", "run_tests", {"suite": "store"})
_PARAGRAPH = (
    "The export now writes one file a day and keeps the last thirty. I moved the check for a full disk in front of it, "
    "because a half-written file was taken for a whole one, and added a line to the log that names the file, its size "
    "and how long it took. Nothing else reads those files, so the change is safe to ship with the next release. "
)

_CONVERSATIONS: tuple[tuple[_Line, ...], ...] = (
    (
        _user("Good morning! What is on today?"),
        _agent(Text("Two meetings, at ten and at three, and the parcel comes before noon.")),
        _user("And the weather for the weekend in Lisbon?"),
        _agent(Thinking("The forecast tool knows three days."), _WEATHER),
        _tool(_WEATHER, "Fri 24 C sunny; Sat 22 C cloudy; Sun 19 C rain"),
        _agent(Text("Sunny on Friday, cloudy on Saturday, rain on Sunday. Pack a jacket.")),
        _user("Thanks!"),
        _agent(Text("You're welcome.")),
    ),
    (
        _user("Summarise notes/release.md for the team, please."),
        _agent(Text("Reading it."), _READ),
        _tool(_READ, _PARAGRAPH * 3),
        _agent(Text(_PARAGRAPH)),
        _user("Shorter."),
        _agent(Text("One export file a day, thirty kept, the disk is checked first.")),
    ),
    (
        _user("The nightly build is red. Find out why."),
        _agent(Thinking("Run the store tests first, they fail most often.", "c2lnbmF0dXJl"), _TESTS),
        _tool(_TESTS, "1 failed, 211 passed: a lost lease finished the run", is_error=True),
        _agent(Text("A lost lease can finish a run. I am looking at the guard."), _READ),
        _tool(_READ, _PARAGRAPH),
        _agent(Text("The update did not name the fence. With it the test passes.\n\n" + _PARAGRAPH)),
        _user("Ship it."),
        _agent(Text("Merged and tagged.")),
        _user("And tell the others in the channel, with one sentence on what went wrong."),
        _agent(Text("Done: “An old lease could finish a run after a newer one had taken it; the update now says so.”")),
    ),
)
CONVERSATIONS = len(_CONVERSATIONS)
# For each conversation, how many tool results its first 0, 1, 2 … messages have.
_TOOL_RESULTS = [
    list(accumulate((line.role == Role.TOOL_RESULT.value for line in lines), initial=0)) for lines in _CONVERSATIONS
]
