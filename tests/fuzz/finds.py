"""What earlier answers gave away: real ids, cursors, tokens and pages, so that later requests get past the door."""

from __future__ import annotations

import random
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from google.protobuf.message import Message

from tests.fuzz.methods import Method

Record = dict[str, Any]

# What requests call the same thing, where an answer has another word for it.
_WORDS = {
    "Session.key": "session_key",
    "Run.id": "run_id",
    "Delivery.id": "delivery_id",
    "Delivery.lease_token": "delivery_lease",
    "AgentInfo.id": "agent_id",
    "Route.channel": "channels",
    "next_page_token": "page_token",
    "next_sequence": "first_sequence",
    "version": "known_version",
    "child_session_key": "session_key",
    "child_session_id": "session_id",
    "previous_session_id": "session_id",
    "blocking_run_id": "run_id",
    "spawned_by": "session_key",
}
NOUNS = frozenset(
    {
        *("session_key", "session_id", "run_id", "delivery_id", "exchange_id", "agent_id", "label", "channels"),
        *("cursor", "page_token", "etag", "lease_token", "delivery_lease", "run_token", "first_sequence"),
        "known_version",
    }
)
KEPT, KEPT_PAGES, WALKED, LOOKED_AT = 400, 50, 30, 12


class Finds:
    """Things that belong together stay together: a lease with its delivery, a cursor with its run."""

    def __init__(self) -> None:
        self._records: deque[Record] = deque(maxlen=KEPT)
        self._by_noun: dict[str, deque[Any]] = defaultdict(lambda: deque(maxlen=KEPT))
        self._pages: deque[tuple[Method, bytes]] = deque(maxlen=KEPT_PAGES)

    def note(self, method: Method, request: Message | None, response: Message) -> None:
        """Keep what an answer tells, together with what was asked."""
        asked = _nouns_of(request) if request is not None else {}
        self._keep(asked | _nouns_of(response))
        for part in _parts(response):
            self._keep(_nouns_of(part))
        token = getattr(response, "next_page_token", "")
        if token and request is not None:
            following = type(request)()
            following.CopyFrom(request)
            following.page_token = token  # type: ignore[attr-defined] # who answers with one takes one
            self._pages.append((method, following.SerializeToString()))

    def record(self, rng: random.Random, wanted: frozenset[str]) -> Record:
        """Things of one answer, of several that which has most of what is wanted."""
        looked_at = [_late_one(rng, self._records) for _ in range(LOOKED_AT)] if self._records else [{}]
        return max(looked_at, key=lambda record: len(record.keys() & wanted))

    def one(self, rng: random.Random, noun: str) -> Any:
        """Any of the things of this name; None when none was seen yet."""
        return _late_one(rng, self._by_noun[noun]) if self._by_noun[noun] else None

    def page(self, rng: random.Random) -> tuple[Method, bytes] | None:
        """A request for the page after one that was read."""
        return rng.choice(self._pages) if self._pages else None

    def _keep(self, record: Record) -> None:
        if record:
            self._records.append(record)
        for noun, value in record.items():
            self._by_noun[noun].append(value)


def _late_one(rng: random.Random, found: Sequence[Any]) -> Any:
    """One of many, rather one of the last: leases and tokens don't live long."""
    late = int(len(found) * rng.random() ** 3)
    return found[-1 - late]


def _nouns_of(message: Message) -> Record:
    found = {}
    for field, value in message.ListFields():
        if isinstance(value, str | int) and not isinstance(value, bool):
            word = _WORDS.get(f"{message.DESCRIPTOR.name}.{field.name}") or _WORDS.get(field.name, field.name)
            if word in NOUNS:
                found[word] = value
    return found


def _parts(message: Message) -> Iterator[Message]:
    """The messages within a message, of many alike only some."""
    for _, value in message.ListFields():
        if isinstance(value, Message):
            yield value
            yield from _parts(value)
        elif isinstance(value, Iterable) and not isinstance(value, str | bytes):
            for each in list(value)[:WALKED]:
                if isinstance(each, Message):
                    yield each
                    yield from _parts(each)
