"""AcquireRuns: queued runs, leased to a runtime with all they need (R2, R3)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from sessiond.model.callers import RunToken
from sessiond.model.errors import FieldProblem, InvalidField, StoreUnavailable
from sessiond.model.exchanges import Exchange, skip_token_of
from sessiond.model.keys import agent_id_of
from sessiond.model.rules import Rules
from sessiond.model.runs import RUNTIME, LeaseToken, Run, RunKind
from sessiond.model.sessions import Session, channel_of, key_channel
from sessiond.model.tools import ToolPolicy
from sessiond.store import messages, run_queue, runs, sessions
from sessiond.store.codec import decode
from sessiond.store.database import Database
from sessiond.store.run_queue import SLOT_TOPIC, Lease, LeasedRun, queue_topic
from sessiond.store.runs import PlacedRun
from sessiond.store.transaction import Tx
from sessiond.waiting import DRAIN_TOPIC, Waits

MAX_RUNS = 100
MAX_WAIT_S = 55
MAX_NAME = 128
HISTORY_BYTES = 1024 * 1024
# One answer stays below the 4 MiB that a client takes by default: it is full once the next run might not fit.
ANSWER_BYTES = 3 * 1024 * 1024
FULL_BYTES = 1024 * 1024
CONTEXT_BYTES = 512 * 1024


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
class StepContext:
    """What an agent is told of the exchange, apart from the message itself (S7)."""

    requester_session_key: str
    requester_channel: str
    target_session_key: str
    original_request: str
    first_reply: str
    latest_reply: str
    turn: int
    max_turns: int
    skip_token: str

    @property
    def size(self) -> int:
        """About how many bytes it takes on the wire."""
        return sum(len(text.encode()) for text in (self.original_request, self.first_reply, self.latest_reply))


@dataclass(frozen=True)
class Assignment:
    """One leased run with all that is needed to execute it; messages in their stored form."""

    placed: PlacedRun
    session: Session
    history: list[bytes]
    history_omitted: int
    input: bytes
    context: StepContext | None
    tools: ToolPolicy
    lease_ms: int

    @property
    def lease_token(self) -> LeaseToken:
        """What the holder of the lease shows."""
        run = self.placed.run
        return LeaseToken(run.id, run.fence, run.lease_secret)

    @property
    def size(self) -> int:
        """About how many bytes it takes on the wire."""
        return len(self.input) + sum(map(len, self.history)) + (self.context.size if self.context else 0)

    @property
    def run_token(self) -> RunToken:
        """What makes its holder the agent of this run."""
        return RunToken.of(self.placed.run)


class _Beside(NamedTuple):
    """What the exchanges of leased runs are about: the sessions on their sides, and messages by their places."""

    sessions: Mapping[int, Session]
    bodies: Mapping[int, bytes]


@dataclass(frozen=True)
class Taken:
    """What one look brought; `is_held_up` when another look in a moment may bring more, `lacks_slots` after any end."""

    assignments: list[Assignment] = field(default_factory=list)
    is_held_up: bool = False
    lacks_slots: bool = False


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
    looking = asyncio.ensure_future(db.write(lambda tx: _acquire(tx, rules, query)))
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
    if not query.runtime_id.strip() or len(query.runtime_id) > MAX_NAME:
        problems.append(FieldProblem("runtime_id", f"is required, at most {MAX_NAME} characters"))
    if query.wait_s > MAX_WAIT_S:
        problems.append(FieldProblem("wait_seconds", f"is more than {MAX_WAIT_S}; ask again instead"))
    if len(query.agent_ids) > MAX_RUNS:
        problems.append(FieldProblem("agent_ids", f"names more than {MAX_RUNS} agents; leave it empty for all"))
    if problems:
        raise InvalidField(*problems)
    agents = tuple(dict.fromkeys(agent_id_of(each, "agent_ids") for each in query.agent_ids))
    limit = min(query.max_runs or 1, MAX_RUNS)
    return replace(query, agent_ids=agents, max_runs=limit)


def _acquire(tx: Tx, rules: Rules, query: AcquireQuery) -> Taken:
    wanted = Lease(query.runtime_id, query.is_external, rules.runs.lease_ms, rules.runs.slots, query.agent_ids)
    if not query.is_external:  # not sent anywhere, so without a bound on the whole
        leased = run_queue.lease(tx, wanted, query.max_runs)
        beside = _beside(tx, leased.runs)
        taken = [
            _assignment(tx, rules, each, beside, ANSWER_BYTES, each.run.model not in query.without_history)
            for each in leased.runs
        ]
        return Taken(taken, leased.is_held_up, leased.lacks_slots)
    return _until_full(tx, rules, wanted, query.max_runs)


def _until_full(tx: Tx, rules: Rules, wanted: Lease, max_runs: int) -> Taken:
    """Lease one after the other, since only a run that is looked at tells how large it is."""
    taken, size = Taken(), 0
    while len(taken.assignments) < max_runs and size < FULL_BYTES:
        leased = run_queue.lease(tx, wanted, 1)
        if not leased.runs:
            return replace(taken, is_held_up=leased.is_held_up, lacks_slots=leased.lacks_slots)
        (found,) = leased.runs
        taken.assignments.append(_assignment(tx, rules, found, _beside(tx, leased.runs), ANSWER_BYTES - size))
        size += taken.assignments[-1].size
    return taken


def _beside(tx: Tx, leased: Sequence[LeasedRun]) -> _Beside:
    """Read once for all of them what was not leased with them."""
    sides, bodies = {}, {}
    for run, session, body, _ in leased:
        sides[session.id] = session
        if run.input_place is not None:
            bodies[run.input_place] = body
    begun = [each.exchange for each in leased if each.exchange]
    parties = {side for each in begun for side in (each.requester_session, each.target_session) if side is not None}
    others = sessions.ask_all(tx, [*parties - sides.keys()])
    requests = messages.ask_bodies(tx, [*{each.request_place for each in begun} - bodies.keys()])
    return _Beside({**sides, **others()}, {**bodies, **requests()})


def _assignment(
    tx: Tx, rules: Rules, leased: LeasedRun, beside: _Beside, room: int, with_history: bool = True
) -> Assignment:
    """All that is needed to execute the run; of its history, what there is room for."""
    run, session, body, exchange = leased
    without_history = Assignment(
        placed=PlacedRun(run, session.key, session.session_id),
        session=session,
        history=[],
        history_omitted=0,
        input=body,
        context=_context_of(run, exchange, beside) if exchange else None,
        tools=ToolPolicy.parse(session.tool_policy),
        lease_ms=rules.runs.lease_ms,
    )
    if not with_history:
        return without_history
    history, omitted = _history(tx, run, session, max(0, min(HISTORY_BYTES, room - without_history.size)))
    return replace(without_history, history=history, history_omitted=omitted)


def _history(tx: Tx, run: Run, session: Session, budget: int) -> tuple[list[bytes], int]:
    """The transcript without what is still to be answered: this run's input, and those queued behind it."""
    return messages.newest_but(tx, session, runs.unanswered(tx, run), budget)


def _context_of(run: Run, exchange: Exchange, beside: _Beside) -> StepContext:
    """What the run's exchange is about; a chat has none."""
    # Either side may be one that is being purged.
    requester = beside.sessions.get(exchange.requester_session or 0)
    target = beside.sessions.get(exchange.target_session)
    original = beside.bodies.get(exchange.request_place, b"")
    return StepContext(
        requester_session_key=requester.key if requester else "",
        requester_channel=_channel(requester) if requester else "",
        target_session_key=target.key if target else "",
        original_request=_cut(decode(original).text if original else ""),
        first_reply=_cut(exchange.first_reply or ""),
        latest_reply=_cut(exchange.latest_reply or ""),
        turn=run.turn,
        max_turns=exchange.max_turns,
        skip_token=skip_token_of(RunKind(run.kind)),
    )


def _cut(text: str) -> str:
    """A text beside the input; with all of them at their largest, the answer would be too large to send."""
    raw = text.encode()
    return text if len(raw) <= CONTEXT_BYTES else raw[:CONTEXT_BYTES].decode(errors="ignore") + "\n[…]"


def _channel(session: Session) -> str:
    return channel_of(session.kind, key_channel(session.key), session.route_channel)
