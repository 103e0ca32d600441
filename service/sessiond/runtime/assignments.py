"""What a runtime is given with a run: its input, what its exchange is about, and what was said before (S7, R3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from sessiond.model.callers import RunToken
from sessiond.model.exchanges import Exchange, skip_token_of
from sessiond.model.runs import LeaseToken, Run, RunKind
from sessiond.model.sessions import Session, channel_of, key_channel
from sessiond.model.tools import ToolPolicy
from sessiond.store import messages, runs, sessions
from sessiond.store.codec import text_of
from sessiond.store.run_queue import ReadyRun
from sessiond.store.runs import PlacedRun
from sessiond.store.transaction import Tx

HISTORY_BYTES = 1024 * 1024
# One answer stays below the 4 MiB that a client takes by default: it is full once the next run might not fit.
ANSWER_BYTES = 3 * 1024 * 1024
FULL_BYTES = 1024 * 1024
CONTEXT_BYTES = 512 * 1024


class StepContext(NamedTuple):
    """What an agent is told of the exchange, apart from the message itself (S7); empty where there is nothing."""

    requester_session_key: str = ""
    requester_channel: str = ""
    target_session_key: str = ""
    original_request: str = ""
    first_reply: str = ""
    latest_reply: str = ""
    turn: int = 0
    max_turns: int = 0
    skip_token: str = ""

    @property
    def size(self) -> int:
        """About how many bytes it takes on the wire."""
        return sum(len(text.encode()) for text in (self.original_request, self.first_reply, self.latest_reply))


class Assignment(NamedTuple):
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
    def run_token(self) -> RunToken:
        """What makes its holder the agent of this run."""
        return RunToken.of(self.placed.run)


class _Beside(NamedTuple):
    """What the exchanges of leased runs are about: the sessions on their sides, and messages by their places."""

    sessions: Mapping[int, Session]
    bodies: Mapping[int, bytes]


class Draft(NamedTuple):
    """A run to be given to a runtime, as far as it is known before it is leased.

    `said` are places and sizes of messages, the newest first: how many go with it is decided by their size, so that
    nothing is read that is not sent.
    """

    ready: ReadyRun
    context: StepContext | None
    said: Sequence[tuple[int, int]]
    omitted: int

    @property
    def size(self) -> int:
        """About how many bytes it takes on the wire."""
        context = self.context.size if self.context else 0
        return len(self.ready.input) + sum(size for _, size in self.said) + context

    def within(self, room: int) -> Draft:
        """The same with so much of what was said as there is room for."""
        if not self.said:
            return self
        kept = messages.newest_within(self.said, max(0, min(HISTORY_BYTES, room - self._replace(said=()).size)))
        return self._replace(said=kept, omitted=self.omitted + len(self.said) - len(kept))

    def ask_history(self, tx: Tx) -> Callable[[], list[bytes]]:
        """What was said, oldest first; to be looked at later."""
        places = [place for place, _ in reversed(self.said)]
        bodies = messages.ask_bodies(tx, places)
        return lambda: [found[place] for found in (bodies(),) for place in places]


def drafts(tx: Tx, ready: Sequence[ReadyRun], without_history: frozenset[str]) -> list[Draft]:
    """All that is needed to execute each of these, asked for together; for some models without what was said."""
    asked = [None if each.run.model in without_history else _ask_said(tx, each) for each in ready]
    beside = _beside(tx, ready)
    return [
        Draft(
            each,
            _context_of(each.run, each.exchange, beside) if each.exchange else None,
            *(said() if said else ((), 0)),
        )
        for each, said in zip(ready, asked, strict=True)
    ]


def assigned(draft: Draft, leased: ReadyRun, history: list[bytes], lease_ms: int) -> Assignment:
    """What the holder of the lease is given."""
    run, session, body, _ = leased
    return Assignment(
        placed=PlacedRun(run, session.key, session.session_id),
        session=session,
        history=history,
        history_omitted=draft.omitted,
        input=body,
        context=draft.context,
        tools=ToolPolicy.parse(session.tool_policy),
        lease_ms=lease_ms,
    )


def _ask_said(tx: Tx, ready: ReadyRun) -> Callable[[], tuple[list[tuple[int, int]], int]]:
    """What was said, without what is still to be answered: this run's input, and those behind it. And how much more."""
    unanswered, sizes = runs.ask_unanswered(tx, ready.run), messages.ask_sizes(tx, ready.session)

    def said() -> tuple[list[tuple[int, int]], int]:
        without = unanswered()
        found = [(place, size) for place, size in sizes() if place not in without]
        return found, ready.session.last_sequence - len(without) - len(found)

    return said


def _beside(tx: Tx, ready: Sequence[ReadyRun]) -> _Beside:
    """Read once for all of them what was not found with them."""
    sides, bodies = {}, {}
    for run, session, body, _ in ready:
        sides[session.id] = session
        if run.input_place is not None:
            bodies[run.input_place] = body
    begun = [each.exchange for each in ready if each.exchange]
    parties = {side for each in begun for side in (each.requester_session, each.target_session) if side is not None}
    others = sessions.ask_all(tx, [*parties - sides.keys()])
    requests = messages.ask_bodies(tx, [*{each.request_place for each in begun} - bodies.keys()])
    return _Beside({**sides, **others()}, {**bodies, **requests()})


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
        original_request=_cut(text_of(original) if original else ""),
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
