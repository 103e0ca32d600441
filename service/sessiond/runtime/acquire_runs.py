"""AcquireRuns: queued runs, leased to a runtime with all they need (R2, R3)."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from sessiond.model.errors import FieldProblem, InvalidField, StoreUnavailable
from sessiond.model.keys import agent_id_of
from sessiond.model.rules import Rules
from sessiond.model.runs import RUNTIME
from sessiond.runtime.assignments import ANSWER_BYTES, FULL_BYTES, Assignment, Draft, assigned, drafts
from sessiond.store import run_queue, runs, sessions
from sessiond.store.database import Database
from sessiond.store.run_queue import SLOT_TOPIC, Found, Wanted, queue_topic
from sessiond.store.transaction import Tx
from sessiond.waiting import DRAIN_TOPIC, Waits

MAX_RUNS = 100
MAX_WAIT_S = 55
MAX_NAME = 128
# How many runs are looked at together for external runtimes: each may be large, and only that tells how many fit.
ROUND = 16


@dataclass(frozen=True)
class AcquireQuery:
    """Which runs a runtime can execute, and how long it waits for one."""

    runtime_id: str
    agent_ids: tuple[str, ...] = ()
    max_runs: int = 1
    wait_s: float = 0
    is_external: bool = True
    without_history: frozenset[str] = frozenset()  # models whose runtime does not look at it


@dataclass(frozen=True)
class Taken:
    """What one look brought; `is_held_up` when another look in a moment may bring more, `lacks_slots` after any end."""

    assignments: list[Assignment] = field(default_factory=list)
    is_held_up: bool = False
    lacks_slots: bool = False


class _Asked(NamedTuple):
    """A look for runs."""

    rules: Rules
    query: AcquireQuery


# Slots come free and hints get lost without a word to this process; then the next look finds the run.
POLL_S = 5.0
# Whoever had the session of a run that was passed by does not tell when it is done; it takes no longer than this.
SOON_S = 0.02


class Acquiring:
    """Takes runs, also again and again: it looks once for whoever is new here, and then when there may be something."""

    def __init__(self, db: Database, rules: Rules, waits: Waits, query: AcquireQuery) -> None:
        self._db = db
        self._rules = rules
        self._waits = waits
        self._query = _checked(query)
        self._listening = waits.wake.listen(queue_topic(query.is_external), DRAIN_TOPIC)
        self._pause_s = 0.0  # until the next look, unless a hint comes
        self._awaits_slots = False

    def __enter__(self) -> Acquiring:
        self._changed = self._listening.__enter__()
        return self

    def __exit__(self, *raised: object) -> None:
        self._await_slots(False)
        self._listening.__exit__(None, None, None)

    async def next(self) -> list[Assignment]:
        """Lease what is there; with a wait, as soon as something is."""
        loop, waits = asyncio.get_running_loop(), self._waits
        until = loop.time() + self._query.wait_s
        while True:
            left = until - loop.time()
            if self._pause_s and left > 0 and not waits.is_draining:
                await self._changed.wait_at_most(min(left, self._pause_s))
            self._changed.clear()
            self._pause_s = 0.0
            taken = Taken() if waits.is_draining else await _look(self._db, self._rules, self._query)
            self._pause_s = self._pause_after(taken)
            if taken.assignments or until <= loop.time() or waits.is_draining:
                return taken.assignments

    def _pause_after(self, taken: Taken) -> float:
        is_first_lack = taken.lacks_slots and not self._awaits_slots  # one may have come free before this was heard of
        self._await_slots(taken.lacks_slots)
        if is_first_lack or len(taken.assignments) == self._query.max_runs:
            return 0.0
        return SOON_S if taken.is_held_up else POLL_S

    def _await_slots(self, is_awaited: bool) -> None:
        if is_awaited != self._awaits_slots:
            change = self._waits.wake.add if is_awaited else self._waits.wake.remove
            change(self._changed, [SLOT_TOPIC])
            self._awaits_slots = is_awaited


async def acquire_runs(db: Database, rules: Rules, waits: Waits, query: AcquireQuery) -> list[Assignment]:
    """Lease what is there; with a wait, as soon as something is."""
    with Acquiring(db, rules, waits, query) as acquiring:
        return await acquiring.next()


async def _look(db: Database, rules: Rules, query: AcquireQuery) -> Taken:
    """Take what is there; a caller that leaves in this very moment gives it back, since nobody would execute it."""
    looking = asyncio.ensure_future(db.write_together(_acquire, _Asked(rules, query)))
    try:
        return await asyncio.shield(looking)
    except asyncio.CancelledError:
        with suppress(StoreUnavailable):
            taken = await looking
            await db.write(lambda tx: _give_back(tx, taken.assignments))
        raise


def _give_back(tx: Tx, assignments: list[Assignment]) -> None:
    for each in assignments:
        sessions.get(tx, each.session.id, lock=True)
        run = runs.held(tx, each.lease_token)
        if run is not None:
            run_queue.release(tx, run, RUNTIME, "CALLER_LEFT", uses_attempt=False)


def _checked(query: AcquireQuery) -> AcquireQuery:
    problems = []
    if not query.runtime_id.strip() or len(query.runtime_id) > MAX_NAME or "\0" in query.runtime_id:
        problems.append(FieldProblem("runtime_id", f"is required, at most {MAX_NAME} characters, none of them NUL"))
    if query.wait_s > MAX_WAIT_S:
        problems.append(FieldProblem("wait_seconds", f"is more than {MAX_WAIT_S}; ask again instead"))
    if len(query.agent_ids) > MAX_RUNS:
        problems.append(FieldProblem("agent_ids", f"names more than {MAX_RUNS} agents; leave it empty for all"))
    if problems:
        raise InvalidField(*problems)
    agents = tuple(dict.fromkeys(agent_id_of(each, "agent_ids") for each in query.agent_ids))
    limit = min(query.max_runs or 1, MAX_RUNS)
    return replace(query, agent_ids=agents, max_runs=limit)


def _acquire(tx: Tx, asked: Sequence[_Asked]) -> list[Taken]:
    """Look once for all who look at this moment for runs of the same agents, and deal out what is there.

    The built-in runtime stands in line with external ones, or it would have every slot that comes free.
    """
    alike: dict[object, list[int]] = defaultdict(list)
    for number, (_, query) in enumerate(asked):
        alike[query.is_external, query.agent_ids, query.without_history].append(number)
    taken: dict[int, Taken] = {}
    for numbers in alike.values():
        taken |= zip(numbers, _deal(tx, [asked[number] for number in numbers]), strict=True)
    return [taken[number] for number in range(len(asked))]


@dataclass
class _Hand:
    """What one who asked gets: up to as many as it wants, and as fit into one answer.

    What the built-in runtime gets is sent nowhere, and so has no bound on the whole.
    """

    query: AcquireQuery
    assignments: list[Assignment] = field(default_factory=list)
    wants: int = field(init=False)
    size: int = 0

    def __post_init__(self) -> None:
        self.wants = self.query.max_runs

    @property
    def is_open(self) -> bool:
        return self.wants > 0 and self.size < FULL_BYTES

    def add(self, draft: Draft) -> Draft:
        """Take it, with as much of what was said as there is room for."""
        cut = draft.within(ANSWER_BYTES - self.size)
        self.wants -= 1
        self.size += cut.size if self.query.is_external else 0
        return cut


def _deal(tx: Tx, asked: Sequence[_Asked]) -> list[Taken]:
    """The runs that are there, to these in the order in which they asked."""
    hands = [_Hand(query) for _, query in asked]
    while open_hands := [hand for hand in hands if hand.is_open]:
        wants = sum(hand.wants for hand in open_hands)
        most = min(wants, ROUND) if open_hands[0].query.is_external else wants
        found = _deal_some(tx, asked[0].rules, open_hands, most)
        if len(found.runs) < most:
            return [Taken(hand.assignments, found.is_held_up, found.lacks_slots) for hand in hands]
    return [Taken(hand.assignments) for hand in hands]


def _deal_some(tx: Tx, rules: Rules, hands: Sequence[_Hand], most: int) -> Found:
    """Find some, and lease them to these as far as they fit."""
    query = hands[0].query
    found = run_queue.find(tx, Wanted(query.is_external, rules.runs.slots, query.agent_ids), most)
    dealt: list[tuple[_Hand, Draft]] = []
    for draft in drafts(tx, found.runs, query.without_history):
        hand = next((each for each in hands if each.is_open), None)
        if hand is not None:
            dealt.append((hand, hand.add(draft)))
    histories = [draft.ask_history(tx) for _, draft in dealt]
    leased = run_queue.lease(tx, [(draft.ready, hand.query.runtime_id) for hand, draft in dealt], rules.runs.lease_ms)
    for (hand, draft), each, history in zip(dealt, leased, histories, strict=True):
        hand.assignments.append(assigned(draft, each, history(), rules.runs.lease_ms))
    return found
