"""The end of a run and all it leads to, in the transaction that ends it (property 1, S9-S14, P7-P11, D4).

No coordinator and no timer: what follows is decided by `model.exchanges.follow_up` and inserted here, so that a crash
between any two steps loses nothing and any replica takes the next one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

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
from sessiond.store import exchanges, messages, run_endings, runs, sessions, traces
from sessiond.store.arrivals import NewRun, enqueue
from sessiond.store.runs import PlacedRun
from sessiond.store.transaction import Tx
from sessiond.turns import run_settings

# Read by models and people; names no token, key or prompt.
ANNOUNCE_REQUEST = "Announce the outcome of this exchange to the chat, or stay silent."
REPORT_REQUEST = "Report the result of your task to whoever asked for it, or stay silent."
# What a stored message needs beside its text.
REPORT_MARGIN = 2048
TOOLS = {ExchangeKind.SEND: "sessions_send", ExchangeKind.SPAWN: "sessions_spawn"}


@dataclass(frozen=True)
class Held:
    """A run that may be ended: locked, with all that its end may change."""

    run: Run
    session: Session
    exchange: Exchange | None

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
    found = [runs.as_run(row) for row in asked()]
    begun = {exchange.id: exchange for exchange in map(exchanges.as_exchange, around())}
    held = [
        Held(run, locked[run.session], begun.get(run.exchange_id))
        for run in found
        if run.session in locked and (waits or not run.exchange_id or run.exchange_id in begun)
    ]
    return {each.run.id: each for each in held if locked.keys() >= each.sessions}  # without what is being purged


def is_last_step(held: Held, ending: Ending) -> bool:
    """Whether nothing follows from this end of the run: no turn, no text that goes out."""
    exchange, run = held.exchange, held.run
    if exchange is None:
        return not run.deliver or ending.state is not RunState.SUCCEEDED
    return exchange.is_settled or isinstance(_step_after(exchange, run, ending), Settled)


def _step_after(exchange: Exchange, run: Run, ending: Ending) -> Step:
    return follow_up(exchange, RunKind(run.kind), run.turn, run.session, ending)


def end_run(tx: Tx, rules: Rules, held: Held, ending: Ending, keeps_token: bool = False) -> PlacedRun | None:
    """End a run that has not ended, and insert what follows.

    Returns the run as it is stored now; None when what follows left events on it, so that it has to be read.
    """
    run, session = held.run, held.session
    ending = replace(ending, usage=_with_cost(rules, run, ending.usage or run.usage))
    ended = run_endings.finish(tx, session, run, ending, keeps_token)
    if session.spawned_by and ended.usage:
        sessions.add_spawned_usage(tx, session, ended.usage)
    if held.exchange is not None:
        _go_on(tx, rules, held.exchange, session, ended, ending)
    elif run.deliver:
        _answer_chat(tx, rules, session, ended, ending)
    if not is_last_step(held, ending):
        return None
    return PlacedRun(ended, session.key, session.session_id, told=ended.event_count, parties=held.parties)


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


def _go_on(tx: Tx, rules: Rules, exchange: Exchange, session: Session, run: Run, ending: Ending) -> None:
    if exchange.is_settled:
        return
    if run.kind in (RunKind.SEND, RunKind.REPLY, RunKind.SPAWN) and ending.reply and ending.reply.strip():
        exchanges.note_reply(tx, exchange, ending.reply)
    step = _step_after(exchange, run, ending)
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
            exchanges.settle(tx, exchange)


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
        **run_settings(rules, session),
    )
    enqueue(tx, session, new, replace(draft, run_id=new.id))
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
