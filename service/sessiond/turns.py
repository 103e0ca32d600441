"""How runs begin inside a transaction, whatever causes them."""

from __future__ import annotations

from typing import NamedTuple

from sessiond.access import View, key_of
from sessiond.model.callers import Caller
from sessiond.model.errors import MessageTooLarge, QueueFull, SendPolicyDenied
from sessiond.model.keys import shown
from sessiond.model.messages import Block, Draft, Image, Provenance, Role, Text
from sessiond.model.policy import ALLOW_ALL, judge, subject_of
from sessiond.model.rules import Rules
from sessiond.model.runs import Pool, RunKind
from sessiond.model.sessions import Route, Session
from sessiond.store import traces
from sessiond.store.arrivals import Arrivals, NewRun, Queued, RunSettings
from sessiond.store.transaction import Tx


class Turn(NamedTuple):
    """Why a session's agent is to take a turn, and on what."""

    kind: RunKind
    content: tuple[Block, ...]
    provenance: Provenance
    run_id: str
    exchange_id: str = ""
    timeout_ms: int = 0
    deliver: bool = False
    route: Route | None = None


def run_settings(rules: Rules, session: Session) -> RunSettings:
    """Who executes a run of this session, with what, and in which pool."""
    agent = rules.roster.agents.get(session.agent_id)
    return RunSettings(
        session.agent_id,
        session.model or rules.model_of(session.agent_id),
        Pool.SUBAGENTS if session.spawn_depth else Pool.AGENTS,
        agent is not None and agent.is_external,
    )


def start_turn(tx: Tx, rules: Rules, caller: Caller, view: View, session: Session, turn: Turn) -> Queued:
    """Store the message and queue its run; the caller of this holds the session's row."""
    return add_turn(Arrivals(tx, single=True), rules, caller, view, session, turn)


def add_turn(arrivals: Arrivals, rules: Rules, caller: Caller, view: View, session: Session, turn: Turn) -> Queued:
    """As start_turn, to be stored with others unless it is single."""
    if arrivals.unfinished(session) >= rules.runs.queue_depth:
        raise QueueFull(rules.runs.queue_depth)
    trace_id = view.run.trace_id if view.run else caller.trace_id
    if trace_id:
        traces.reserve(arrivals.tx, trace_id, rules.runs.max_runs_per_trace)
    else:
        trace_id = traces.begun_by(turn.run_id)
    new = NewRun(
        id=turn.run_id,
        kind=turn.kind,
        settings=run_settings(rules, session),
        actor=caller.name,
        trace_id=trace_id,
        parent=view.run,
        exchange_id=turn.exchange_id,
        timeout_ms=turn.timeout_ms,
        deliver=turn.deliver,
        route=turn.route,
    )
    draft = Draft(Role.USER, turn.content, turn.provenance, run_id=turn.run_id)
    return arrivals.add(session, new, draft)


def require_policy(rules: Rules, view: View, session: Session) -> None:
    """Refuse what the send policy denies for this session (Q3)."""
    if rules.send_policy == ALLOW_ALL and not session.send_policy:
        return
    verdict = judge(rules.send_policy, subject_of(session, key_of(session, rules)))
    if not verdict.allowed:
        raise SendPolicyDenied(shown(session.key, rules.keys, view.agent_id), verdict.rule)


def require_size(rules: Rules, field: str, content: tuple[Block, ...], margin: int = 0) -> None:
    """Refuse a message that could not be stored, before anything else is."""
    _require_bytes(rules, field, sum(_weight(block) for block in content), margin)


def require_text_size(rules: Rules, field: str, text: str, margin: int = 0) -> None:
    """The same for a message of one text."""
    _require_bytes(rules, field, len(text.encode()), margin)


def _require_bytes(rules: Rules, field: str, size: int, margin: int) -> None:
    limit = rules.message_bytes - margin
    if size > limit:
        raise MessageTooLarge(field, size, limit)


def _weight(block: Block) -> int:
    match block:
        case Text(text):
            return len(text.encode())
        case Image(_, data):
            return len(data)
        case _:
            return len(repr(block).encode())
