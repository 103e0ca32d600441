"""Following runs: pages of events after a cursor, until there is nothing more to wait for (W1-W9).

One loop serves WaitRun and WaitRuns. It pulls from the store after its own cursor; hints only make it look sooner.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar

from sessiond.access import View
from sessiond.model.callers import Caller
from sessiond.model.rules import Rules
from sessiond.model.visibility import masks_words
from sessiond.model.waits import EndReason, WaitMode, WaitUntil
from sessiond.run_pages import PAGE_EVENTS, PageQuestion, RunPage, run_pages
from sessiond.store.database import Database, alone
from sessiond.store.run_events import StoredEvent, run_topic
from sessiond.store.runs import PlacedRun
from sessiond.waiting import DRAIN_TOPIC, NotedWait, Waits, noted

_ONLY_SETTLED = frozenset({"turn", "delivery"})


@dataclass(frozen=True, slots=True)
class Follow:
    """How to follow: until when, how quietly, and what to leave out."""

    until: WaitUntil = WaitUntil.REPLY
    mode: WaitMode = WaitMode.ALL
    max_wait_s: float | None = None
    heartbeat_s: float = 15
    include_deltas: bool = False
    deadline_s: float | None = None


@dataclass(slots=True)
class Followed:
    """One run that is followed: how far its reader is, and what was last seen of it."""

    run_id: str
    seen: int  # the cursor: everything up to here was given to the reader, or is not for this kind of wait ever
    placed: PlacedRun | None = None
    is_over: bool = False
    hides_others: bool = False  # whether the other side of its exchange is nothing that the reader may see
    read: int = field(init=False)  # how far the store was read

    def __post_init__(self) -> None:
        self.read = self.seen


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The run as it is now."""

    followed: Followed
    placed: PlacedRun
    at_ms: int

    @property
    def size(self) -> int:
        """About how many bytes of text it has."""
        return self.placed.size


@dataclass(frozen=True, slots=True)
class Happened:
    """One event of a run."""

    followed: Followed
    event: StoredEvent

    @property
    def size(self) -> int:
        """About how many bytes of text it has."""
        return len(self.event.body) + len(self.event.message or b"")


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """Nothing happened for a while."""

    at_ms: int
    size: ClassVar[int] = 0


@dataclass(frozen=True, slots=True)
class Ended:
    """The last word, and the run that brought it, if one did."""

    reason: EndReason
    at_ms: int
    followed: Followed | None = None

    @property
    def size(self) -> int:
        """About how many bytes of text it has."""
        return self.followed.placed.size if self.followed and self.followed.placed else 0


Told = Snapshot | Happened | Heartbeat | Ended


class Following:
    """One wait on one or several runs; iterate over `told()` once.

    Tens of thousands may be idle at once, so between two looks one holds its cursors, and nothing of what it saw.
    """

    __slots__ = ("_at_ms", "_beat_s", "_caller", "_db", "_how", "_rules", "_waits", "followed", "view")

    def __init__(
        self,
        db: Database,
        rules: Rules,
        waits: Waits,
        caller: Caller,
        followed: list[Followed],
        how: Follow,
    ) -> None:
        self._db = db
        self._rules = rules
        self._waits = waits
        self._caller = replace(caller, traceparent="") if caller.traceparent else caller  # equal ones look as one
        self._how = how
        # Each beats at a pace of its own, so that those that began together do not look and write together for ever.
        self._beat_s = how.heartbeat_s * random.uniform(0.75, 1)  # noqa: S311 - spreads load
        self._at_ms = 0
        self.followed = followed
        self.view: View | None = None  # of the caller, as of the latest look

    async def told(self) -> AsyncIterator[Told]:
        """A snapshot of each run, every event after its cursor, and the end."""
        ends_at, reason = self._end()
        with self._waits.slot(self._caller), self._waits.wake.listen(*self._topics()) as changed:
            pages = [await self._look(each, is_first=True) for each in self.followed]
            async with await self._noted(pages) as note:
                # Whatever refuses the wait has done so by now, before anything is told.
                for snapshot in self._snapshots(pages):
                    yield snapshot
                    del snapshot
                quiet_until = _now() + self._beat_s
                while True:
                    async for happened in self._news(pages):
                        yield happened
                        del happened
                        quiet_until = _now() + self._beat_s
                    end = self._ended() or self._out_of_time(ends_at, reason)
                    if end is not None:
                        yield end
                        return
                    await note.renew()
                    if quiet_until <= _now():  # also when much happens of which this reader wants nothing
                        yield Heartbeat(self._at_ms)
                        quiet_until = _now() + self._beat_s
                    self._let_go()
                    look_at = min(ends_at, _now() + self._waits.look_every_s)
                    while not await changed.wait_at_most(min(look_at, quiet_until) - _now()) and _now() < look_at:
                        await note.renew()
                        yield Heartbeat(self._at_ms)
                        quiet_until = _now() + self._beat_s
                    changed.clear()  # only now: a hint since the look before may tell of what that one missed

    def _topics(self) -> list[str]:
        return [*(run_topic(each.run_id) for each in self.followed), DRAIN_TOPIC]

    async def _noted(self, pages: list[RunPage]) -> NotedWait:
        unfinished = [page.placed.run.id for page in pages if not page.is_over]
        return await noted(self._db, self._rules, pages[0].view, unfinished)

    def _snapshots(self, pages: list[RunPage]) -> Iterator[Snapshot]:
        for each, page in zip(self.followed, pages, strict=True):
            yield Snapshot(each, page.placed, page.at_ms)

    def _let_go(self) -> None:
        """Forget what the next look reads anew."""
        self.view = None
        for each in self.followed:
            each.placed = None

    async def _news(self, pages: list[RunPage]) -> AsyncIterator[Happened]:
        """What the pages at hand, if any, and all further ones tell."""
        for each in self.followed:
            page = pages.pop(0) if pages else await self._look(each)
            while True:
                each.placed, each.is_over, each.hides_others = page.placed, page.is_over, page.hides_others
                for event in page.events:
                    each.read = event.sequence
                    if event.kind in _ONLY_SETTLED and self._how.until is WaitUntil.REPLY:
                        continue  # and the cursor stays before it, for a later wait until SETTLED
                    each.seen = event.sequence
                    if event.kind != "delta" or (self._how.include_deltas and not self._is_masked(page)):
                        yield Happened(each, event)
                if len(page.events) < PAGE_EVENTS:
                    break
                page = await self._look(each)

    def _ended(self) -> Ended | None:
        """The end, once enough of the runs are over."""
        over = [each for each in self.followed if each.is_over]
        wanted = len(self.followed) if self._how.mode is WaitMode.ALL else 1
        if len(over) < wanted:
            return None
        reason = EndReason.SETTLED if self._how.until is WaitUntil.SETTLED else EndReason.RUN_TERMINAL
        only = over[0] if wanted == 1 else None
        return Ended(reason, self._at_ms, only)

    def _out_of_time(self, ends_at: float, reason: EndReason) -> Ended | None:
        """The end that comes whatever the runs do."""
        if self._waits.is_draining:
            return Ended(EndReason.DRAINING, self._at_ms)
        return Ended(reason, self._at_ms) if ends_at <= _now() else None

    async def _look(self, each: Followed, is_first: bool = False) -> RunPage:
        question = PageQuestion(self._rules, self._caller, self._how.until, each.run_id, each.read, is_first)
        if is_first or self._caller.is_acting:  # what it asks depends on answers, so that others would wait for those
            page = await self._db.read(alone(run_pages, question))
        else:
            page = await self._db.read_together(run_pages, question)
        self._at_ms = page.at_ms
        self.view = page.view
        return page

    def _is_masked(self, page: RunPage) -> bool:
        """Whether credentials are masked for this reader; a piece of a text does not show whether it is part of one."""
        placed = page.placed
        return masks_words(self._rules.redact, page.view.acting, placed.run.session, placed.parties)

    def _end(self) -> tuple[float, EndReason]:
        """When the wait ends at the latest, and why then."""
        age = self._rules.waits.stream_age_s * random.uniform(0.9, 1.1)  # noqa: S311 - spreads reconnects
        ends = [(age, EndReason.STREAM_AGE)]
        if self._how.max_wait_s is not None:
            ends.append((self._how.max_wait_s, EndReason.MAX_WAIT))
        if self._how.deadline_s is not None:
            ends.append((self._how.deadline_s - _margin(self._how.deadline_s), EndReason.DEADLINE))
        after_s, reason = min(ends)
        return _now() + after_s, reason


def _now() -> float:
    return asyncio.get_running_loop().time()


def _margin(deadline_s: float) -> float:
    """How long before the caller's deadline the last message is sent, so that it still arrives."""
    return min(1.0, 0.2 * deadline_s)
