"""The end of a run and all it leads to, in the transaction that ends it (property 1, S9-S14, P7-P11, D4).

No coordinator and no timer: what follows is decided by `model.exchanges.follow_up` and inserted here, so that a crash
between any two steps loses nothing and any replica takes the next one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from sessiond.egress import Outgoing, send_out
from sessiond.ids import new_id
from sessiond.model import announce
from sessiond.model.events import TurnTaken
from sessiond.model.exchanges import (
    AnnounceTurn,
    Exchange,
    ExchangeKind,
    NextTurn,
    Publish,
    Report,
    Settled,
    Step,
    Suppressed,
    follow_up,
)
from sessiond.model.messages import Draft, Provenance, ProvenanceKind, Role, Text, Usage
from sessiond.model.rules import Rules
from sessiond.model.runs import SERVER, Ending, Run, RunKind, RunState
from sessiond.model.sessions import Session
from sessiond.store import exchanges, messages, runs, sessions, traces
from sessiond.store.arrivals import NewRun, enqueue
from sessiond.store.run_endings import Endings
from sessiond.store.run_events import end_topic
from sessiond.store.runs import PlacedRun
from sessiond.store.transaction import Tx
from sessiond.turns import run_settings

# Read by models and people; names no token, key or prompt.
ANNOUNCE_REQUEST = "Announce the outcome of this exchange to the chat, or stay silent."
REPORT_REQUEST = "Report the result of your task to whoever asked for it, or stay silent."
# What a stored message needs beside its text.
REPORT_MARGIN = 2048
TOOLS = {ExchangeKind.SEND: "sessions_send", ExchangeKind.SPAWN: "sessions_spawn"}


class Held(NamedTuple):
    """A run that may be ended: locked, with all that its end may change."""

    run: Run
    session: Session
    exchange: Exchange | None
    next_run_id: str  # the first that is queued behind it; empty when there is none

    @property
    def parties(self) -> frozenset[int | None]:
        """The sessions on both sides of its exchange."""
        exchange = self.exchange
        return frozenset((exchange.requester_session, exchange.target_session) if exchange else (None,))

    @property
    def sessions(self) -> set[int]:
        """The rows of the sessions that it may change."""
        return {self.run.session, *(side for side in self.parties if side is not None)}


def hold(tx: Tx, run_id: str) -> Held | None:
    """One run that may be ended; None when it is not there any more."""
    return hold_all(tx, [run_id], waits=True).get(run_id)


def hold_all(tx: Tx, run_ids: Sequence[str], waits: bool) -> dict[str, Held]:
    """Lock the rows of all sessions that the runs' exchanges may go on in, then the runs' own, then the exchanges'.

    That is the one order that everybody keeps. With only a run's own session locked before, two exchanges that take a
    turn towards each other would wait for each other. Without `waits`, a run of which somebody has a row is left out:
    whoever holds many must not be held up by one.
    """
    if not run_ids:
        return {}
    sides, asked = sessions.ask_locked_of(tx, run_ids, waits), runs.ask_locked(tx, run_ids, waits)
    around = exchanges.ask_locked_of(tx, run_ids, waits)
    locked = {session.id: session for session in map(sessions.as_session, sides())}
    found = [runs.as_followed(row) for row in asked()]
    begun = {exchange.id: exchange for exchange in map(exchanges.as_exchange, around())}
    held = [
        Held(run, locked[run.session], begun.get(run.exchange_id), next_run_id)
        for run, next_run_id in found
        if run.session in locked and (waits or not run.exchange_id or run.exchange_id in begun)
    ]
    return {each.run.id: each for each in held if locked.keys() >= each.sessions}  # without what is being purged


@dataclass(frozen=True)
class End:
    """How a run that is held ends."""

    rules: Rules
    held: Held
    ending: Ending
    keeps_token: bool = False

    @cached_property
    def step(self) -> Step:
        """What follows for its exchange."""
        run, _, exchange, _ = self.held
        if exchange is None or exchange.is_settled:
            return Settled()
        return follow_up(exchange, RunKind(run.kind), run.turn, run.session, self.ending)

    @property
    def is_last_step(self) -> bool:
        """Whether nothing follows: no turn, no text that goes out."""
        if self.held.exchange is None:
            return not self.held.run.deliver or self.ending.state is not RunState.SUCCEEDED
        return isinstance(self.step, Settled)


def end_run(tx: Tx, rules: Rules, held: Held, ending: Ending) -> None:
    """End a run that has not ended, and insert what follows."""
    end_runs(tx, [End(rules, held, ending)])


def end_runs(tx: Tx, ends: Sequence[End]) -> dict[str, PlacedRun]:
    """End runs that have not ended and have no session in common, and insert what follows.

    Returns them as they are stored now, which is also what senders are told that wait for them; without those to which
    what follows has left events, so that they have to be read.
    """
    ends = [_priced(end) for end in ends]
    endings = Endings(tx)
    ended = [_add(endings, end) for end in ends]
    endings.store()
    exchanges.note(tx, [after for end in ends for after in _exchange_after(end, tx.now_ms)])
    for end, run in zip(ends, ended, strict=True):
        _go_on(tx, end, run)
    placed = {run.id: _placed(end.held, run) for end, run in zip(ends, ended, strict=True) if end.is_last_step}
    for run in ended:
        tx.notify(end_topic(run.id), news=placed.get(run.id))
    return placed


def _add(endings: Endings, end: End) -> Run:
    run, session, _, next_run_id = end.held
    return endings.add(session, run, end.ending, next_run_id, end.keeps_token)


def _placed(held: Held, run: Run) -> PlacedRun:
    session = held.session
    return PlacedRun(run, session.key, session.session_id, told=run.event_count, parties=held.parties)


def _priced(end: End) -> End:
    run, ending = end.held.run, end.ending
    usage = _with_cost(end.rules, run, ending.usage or run.usage)
    return end if usage is ending.usage else replace(end, ending=replace(ending, usage=usage))


def _with_cost(rules: Rules, run: Run, usage: Usage | None) -> Usage | None:
    """What the run took, with its price where the model has one and the runtime told none."""
    price = rules.prices.get(run.model)
    if usage is None or usage.cost_usd is not None or price is None:
        return usage
    return replace(usage, cost_usd=announce.cost_of(usage, price.tokens_in, price.tokens_out))


def _answer_chat(tx: Tx, rules: Rules, session: Session, run: Run, ending: Ending) -> None:
    """A chat's reply goes out the way its message came (D4); silence leaves a row that says so."""
    if ending.state is not RunState.SUCCEEDED:
        return
    suppressed = Suppressed.SKIPPED if ending.is_skipped else None if (ending.reply or "").strip() else Suppressed.EMPTY
    send_out(tx, rules, Outgoing(run.id, "chat", session, run.route, ending.reply or "", suppressed=suppressed))


def _exchange_after(end: End, now_ms: int) -> Iterator[Exchange]:
    """The exchange as the end leaves it, if that changes it: what was said first and last, and whether it is over."""
    exchange, reply = end.held.exchange, end.ending.reply
    if exchange is None or exchange.is_settled:
        return
    after = exchange
    if end.held.run.kind in (RunKind.SEND, RunKind.REPLY, RunKind.SPAWN) and reply and reply.strip():
        first = reply if exchange.first_reply is None else exchange.first_reply
        after = after._replace(first_reply=first, latest_reply=reply)
    if isinstance(end.step, Settled):
        after = after._replace(state="settled", settled_ms=now_ms)
    if after is not exchange:
        yield after


def _go_on(tx: Tx, end: End, run: Run) -> None:
    """Insert what follows from the end of a run."""
    _, session, exchange, _ = end.held
    if session.spawned_by and run.usage:
        sessions.add_spawned_usage(tx, session, run.usage)
    if exchange is not None:
        _take_step(tx, end.rules, exchange, session, run, end.step)
    elif run.deliver:
        _answer_chat(tx, end.rules, session, run, end.ending)


def _take_step(tx: Tx, rules: Rules, exchange: Exchange, session: Session, run: Run, step: Step) -> None:
    match step:
        case NextTurn(next_session, turn, text):
            provenance = Provenance(ProvenanceKind.REPLY_BACK, session.key, run.id, TOOLS[ExchangeKind.SEND])
            draft = Draft(Role.USER, (Text(text),), provenance)
            _take_turn(tx, rules, exchange, run, next_session, RunKind.REPLY, turn, draft)
        case AnnounceTurn(next_session):
            is_spawn = exchange.kind == ExchangeKind.SPAWN
            kind = RunKind.SPAWN_ANNOUNCE if is_spawn else RunKind.ANNOUNCE
            provenance = Provenance(ProvenanceKind.ANNOUNCE_STEP, tool=TOOLS[ExchangeKind(exchange.kind)])
            request = REPORT_REQUEST if is_spawn else ANNOUNCE_REQUEST
            _take_turn(
                tx, rules, exchange, run, next_session, kind, 0, Draft(Role.SYSTEM, (Text(request),), provenance)
            )
        case Publish(text, suppressed):
            outgoing = Outgoing(run.id, "announce", session, exchange.route, text, exchange.id, suppressed)
            send_out(tx, rules, outgoing)
        case Report():
            _report(tx, rules, exchange, session, run, step)
        case Settled():
            pass  # noted with what was said


def _take_turn(
    tx: Tx, rules: Rules, exchange: Exchange, parent: Run, session_id: int, kind: RunKind, turn: int, draft: Draft
) -> None:
    """Queue the exchange's next run, and tell whoever follows the first one.

    It counts on the trace but is never refused there: an accepted send may owe no more than its turns and announce.
    """
    session = sessions.get(tx, session_id, lock=True)
    traces.count(tx, parent.trace_id)
    new = NewRun(
        id=new_id(),
        kind=kind,
        actor=SERVER,
        trace_id=parent.trace_id,
        parent=parent,
        exchange_id=exchange.id,
        turn=turn,
        settings=run_settings(rules, session),
    )
    enqueue(tx, session, new, draft._replace(run_id=new.id))
    runs.note_event(tx, exchange.primary_run_id, TurnTaken(exchange.id, turn, session.key, new.id))


def _report(tx: Tx, rules: Rules, exchange: Exchange, child: Session, run: Run, step: Report) -> None:
    """A sub-agent's outcome: appended to the requester's transcript, and delivered to its frozen route (P8-P10)."""
    primary = runs.get(tx, exchange.primary_run_id)
    requester = sessions.get(tx, exchange.requester_session, lock=True) if exchange.requester_session else child
    if primary is None:
        return
    text = "" if step.suppressed else _cut(_report_text(rules, exchange, child, primary, step.reply), rules)
    if text and exchange.requester_session:
        source = Provenance(ProvenanceKind.SUBAGENT_ANNOUNCE, child.key, run.id, TOOLS[ExchangeKind.SPAWN])
        messages.append(tx, requester, [Draft(Role.SYSTEM, (Text(text),), source)])
    outgoing = Outgoing(run.id, "report", requester, exchange.route, text, exchange.id, step.suppressed)
    send_out(tx, rules, outgoing)


def _cut(text: str, rules: Rules) -> str:
    """A report must fit a message; the middle of an overlong one goes, so that status and stats stay."""
    size, limit = len(text.encode()), rules.message_bytes - REPORT_MARGIN
    if size <= limit:
        return text
    half = limit // 2
    raw = text.encode()
    return f"{raw[:half].decode(errors='ignore')}\n[…]\n{raw[-half:].decode(errors='ignore')}"


def _report_text(rules: Rules, exchange: Exchange, child: Session, primary: Run, reply: str | None) -> str:
    stats = announce.Stats(
        runtime_ms=(primary.end_ms or 0) - (primary.start_ms or primary.end_ms or 0),
        usage=primary.usage,
        cost_usd=primary.cost_usd,
        session_key=child.key,
        session_id=child.session_id,
        transcript=rules.transcript_of(child.session_id),
    )
    return announce.report(
        reply=reply,
        status=announce.status_word(RunState(primary.state), primary.end_reason),
        fallback_result=exchange.first_reply or "",
        error=primary.failure_message or primary.failure_reason or "",
        stats=announce.stats_line(stats, rules.announce_stats),
    )
