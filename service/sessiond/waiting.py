"""What every wait shares: how many there may be, the drain that ends them, and the relation of who waits for whom."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import Self

from sessiond.access import View
from sessiond.ids import new_id
from sessiond.model.callers import Caller
from sessiond.model.errors import WaitCycle, WaitLimit
from sessiond.model.keys import shown
from sessiond.model.rules import Rules, WaitRules
from sessiond.model.runs import Run
from sessiond.store import exchanges, runs, waits
from sessiond.store.database import Database
from sessiond.store.transaction import Tx
from sessiond.wake import Wake

DRAIN_TOPIC = "drain"
# A wait of a run is noted for this long and renewed as it goes on; a server that dies leaves no more than this.
NOTED_FOR_MS = 90_000
RENEW_S = 20.0
# Hints may get lost, so every wait looks by itself now and then; all of them together no more often than this.
LOOK_S = 15.0
LOOKS_PER_S = 100


class Waits:
    """The waits of this server: counted, and ended together when it drains."""

    def __init__(self, wake: Wake, rules: WaitRules) -> None:
        self.wake = wake
        self.is_draining = False
        self._rules = rules
        self._by_caller: Counter[str] = Counter()
        self._has_none = asyncio.Event()
        self._has_none.set()

    def slot(self, caller: Caller) -> AbstractContextManager[None]:
        """One of the caller's and the server's waits for the time of the context, or a refusal (W10)."""
        if self._by_caller[caller.name] >= self._rules.per_caller:
            raise WaitLimit("caller", self._rules.per_caller, "server.maxWaitsPerCaller")
        if self._by_caller.total() >= self._rules.per_server:
            raise WaitLimit("server", self._rules.per_server, "server.maxWaits")
        return _Slot(self._by_caller, caller.name, self._has_none)

    @property
    def look_every_s(self) -> float:
        """How long a wait sleeps without a hint: the more there are the longer, so that they never starve calls."""
        return max(LOOK_S, self._by_caller.total() / LOOKS_PER_S)

    def is_awaited(self, topic: str) -> bool:
        """Whether anybody listens to it here who will do something about it."""
        return not self.is_draining and self.wake.is_awaited(topic)

    async def drain(self) -> None:
        """End every wait, each with its last message."""
        self.is_draining = True
        self.wake.hint(DRAIN_TOPIC)

    async def have_ended(self) -> None:
        """Until there is none any more; one whose reader stands still does not end."""
        await self._has_none.wait()


class _Slot:
    """One wait of a caller, counted."""

    __slots__ = ("_by_caller", "_has_none", "_name")

    def __init__(self, by_caller: Counter[str], name: str, has_none: asyncio.Event) -> None:
        self._by_caller = by_caller
        self._name = name
        self._has_none = has_none

    def __enter__(self) -> None:
        self._by_caller[self._name] += 1
        self._has_none.clear()

    def __exit__(self, *raised: object) -> None:
        self._by_caller[self._name] -= 1
        if not self._by_caller[self._name]:
            del self._by_caller[self._name]
        if not self._by_caller:
            self._has_none.set()


class NotedWait:
    """A wait of a run, noted in the database; as a context, until it is left."""

    __slots__ = ("_db", "_ids", "_renew_at")

    def __init__(self, db: Database, ids: tuple[str, ...]) -> None:
        self._db = db
        self._ids = ids
        self._renew_at = asyncio.get_running_loop().time() + RENEW_S

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *raised: object) -> None:
        if self._ids:  # whatever ended the wait, the database learns that this run waits no more
            await asyncio.shield(self._db.write(self._end))

    async def renew(self) -> None:
        """The wait goes on; called at every turn of it, written now and then."""
        now = asyncio.get_running_loop().time()
        if self._ids and now >= self._renew_at:
            self._renew_at = now + RENEW_S
            await self._db.write(self._renew)

    def _renew(self, tx: Tx) -> None:
        for wait_id in self._ids:
            waits.renew(tx, wait_id, tx.now_ms + NOTED_FOR_MS)

    def _end(self, tx: Tx) -> None:
        for wait_id in self._ids:
            waits.end(tx, wait_id)


def note_wait(tx: Tx, rules: Rules, view: View, target_id: str, wait_id: str) -> None:
    """Note that the caller's run waits for another; refuse a wait that could never end (S5)."""
    if view.run is None or view.run.is_final:
        return
    circle = waits.begin(tx, wait_id, view.run, target_id, tx.now_ms + NOTED_FOR_MS)
    if circle:
        raise WaitCycle(list(_told(tx, rules, view, circle)))


def require_settleable(tx: Tx, rules: Rules, caller: Caller, view: View, run: Run) -> None:
    """Refuse to let a run wait for the end of an exchange that needs the waiting run's own session (S5).

    The turns to come have no rows yet, so the relation of waits can't know them; they would queue behind the waiter.
    """
    exchange = exchanges.get(tx, run.exchange_id) if view.run is not None and run.exchange_id else None
    if exchange is None or exchange.is_settled or view.run is None or view.run.is_final:
        return
    if caller.run_token is None and view.run.exchange_id == exchange.id:
        return  # a gateway that follows what its session began; the turn that runs there does not wait for it
    own = view.run.session
    if own == exchange.target_session or (own == exchange.requester_session and exchange.can_talk):
        raise WaitCycle(list(_told(tx, rules, view, [view.run.id, run.id, view.run.id])))


async def noted(db: Database, rules: Rules, view: View, targets: list[str]) -> NotedWait:
    """Note waits on these runs; nothing to note for a caller that is no run."""
    if view.run is None or not targets:
        return NotedWait(db, ())
    ids = tuple(new_id() for _ in targets)

    def begin(tx: Tx) -> None:
        for wait_id, target in zip(ids, targets, strict=True):
            note_wait(tx, rules, view, target, wait_id)

    await db.write(begin)
    return NotedWait(db, ids)


def _told(tx: Tx, rules: Rules, view: View, circle: list[str]) -> Iterator[str]:
    """The sessions of a circle in words; what the caller may not see stays unnamed."""
    for run_id in circle:
        found = runs.find(tx, run_id, view.scope)
        yield shown(found.session_key, rules.keys, view.agent_id) if found else "(a session you can't see)"
