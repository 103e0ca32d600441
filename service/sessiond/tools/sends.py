"""How sends get into the store: message, run and exchange in one transaction, with others where they can (S1-S7)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from sessiond.access import View, find_labelled, find_or_make, key_of, make_acting, view_of
from sessiond.model.callers import Caller
from sessiond.model.errors import AgentToAgentDenied, Refusal, SessionNotFound
from sessiond.model.exchanges import AnnouncePolicy, ExchangeKind, route_from
from sessiond.model.keys import agent_id_of, canonical, main_key_of
from sessiond.model.messages import Provenance, ProvenanceKind, Text
from sessiond.model.rules import Rules
from sessiond.model.runs import Run, RunKind, RunState
from sessiond.model.sessions import Route, Session
from sessiond.model.visibility import EVERYTHING, may_reach
from sessiond.store import exchanges, messages, requests, runs, sessions
from sessiond.store.arrivals import Arrivals
from sessiond.store.database import Database
from sessiond.store.exchanges import NewExchange
from sessiond.store.requests import Request, answered_once
from sessiond.store.runs import PlacedRun
from sessiond.store.transaction import Tx
from sessiond.turns import Turn, add_turn, require_policy
from sessiond.waiting import note_wait

TOOL = "sessions_send"
# What a caller without an acting session sees.
_EVERYWHERE = View(None, EVERYTHING)
_FROM_OUTSIDE = Provenance(ProvenanceKind.INTER_SESSION, tool=TOOL)


class SendQuery(NamedTuple):
    """What a caller sends; None = not set."""

    message: str
    session_key: str = ""
    label: str = ""
    agent_id: str = ""
    timeout_s: int | None = None
    max_turns: int | None = None
    announce: AnnouncePolicy = AnnouncePolicy.MODEL_MAY_SKIP
    request_id: str = ""
    deadline_s: float | None = None


class Sent(NamedTuple):
    """What was stored, and the run as the wait left it."""

    placed: PlacedRun
    message_id: str
    exchange_id: str
    announce: AnnouncePolicy
    route: Route | None
    max_turns: int
    waited: bool
    view: View


class Sending(NamedTuple):
    """A send on its way into the store."""

    rules: Rules
    caller: Caller
    query: SendQuery
    run_id: str
    exchange_id: str
    # What is answered; made while PostgreSQL is at what it was sent.
    shape: Callable[[Sent], Any]
    wait_id: str = ""  # empty = its caller does not wait

    @property
    def request(self) -> Request:
        """What its request_id stands for."""
        query = self.query
        content = (query.session_key, query.label, query.agent_id, query.message, query.max_turns, query.announce)
        return Request(self.caller, query.request_id, "SessionsSend", content)

    @property
    def key(self) -> str:
        """The key of the session that is meant, if a key says it."""
        return str(canonical(self.query.session_key, self.rules.keys))

    @property
    def may_join(self) -> bool:
        """Whether a look at its key may be all it needs: its caller sees everything."""
        return not self.caller.is_acting and bool(self.query.session_key) and not self.query.agent_id


class _Apart(Exception):  # noqa: N818 - says what is so
    """This one needs more than a look at its key; nothing was written for it."""


async def store_send(db: Database, sending: Sending) -> Any:
    """Store it, with whatever other sends wait at this moment if it is one of the simple ones; in its own shape."""
    if sending.may_join:
        try:
            return await db.write_together(_send_together, sending)
        except _Apart:
            pass
    return await db.write(lambda tx: _send(tx, sending))


def _send_together(tx: Tx, sendings: Sequence[Sending]) -> list[Any]:
    """Sends of callers that see everything, into sessions that are there: looked up and stored in one go."""
    keys = [each.key for each in sendings]
    found = sessions.find_by_keys(tx, keys)
    known = requests.known(tx, [each.request for each in sendings if each.query.request_id])
    batch = _Sends(tx, single=len(sendings) == 1)
    results: list[Any] = []
    for sending, key in zip(sendings, keys, strict=True):
        target, request = found.get(key), sending.request if sending.query.request_id else None
        if target is None or (request and request.place in known):
            results.append(_Apart())
            continue
        try:
            if request:
                request.require_fitting()
            sent = batch.add(sending, _EVERYWHERE, target)
        except Refusal as refusal:
            results.append(refusal)
            continue
        if request:
            known.add(request.place)
            batch.answers.append((request, _kept(sent)))
        results.append(sent)
    batch.store()
    tx.meanwhile(partial(_shape_all, sendings, results))
    return results


def _shape_all(sendings: Sequence[Sending], results: list[Any]) -> None:
    """Make of each result what is answered. By now all are stored, so that a fault is told to just the one it is of."""
    for number, sending in enumerate(sendings):
        if not isinstance(results[number], Exception):
            try:
                results[number] = sending.shape(results[number])
            except Exception as fault:  # noqa: BLE001 - handed to whoever asked
                results[number] = fault


def _send(tx: Tx, sending: Sending) -> Any:
    """One send, whoever its caller is and however it names the session."""
    rules = sending.rules
    view = make_acting(tx, rules, view_of(tx, rules, sending.caller))

    def store() -> dict[str, Any]:
        batch = _Sends(tx, single=True)
        sent = batch.add(sending, view, _target(tx, rules, view, sending.query))
        batch.store()
        return _kept(sent)

    done = answered_once(tx, sending.request, store)
    run = runs.get(tx, done["run"])
    if run is None:
        raise SessionNotFound  # the session was purged since the first call of this request
    if sending.wait_id and not run.is_final:
        note_wait(tx, rules, view, run.id, sending.wait_id)
    return sending.shape(_sent_as_kept(sending, view, done, run))


class _Sends:
    """What one transaction stores of sends: messages with their runs, exchanges, and first answers."""

    def __init__(self, tx: Tx, *, single: bool) -> None:
        self._tx = tx
        self._arrivals = Arrivals(tx, single=single)
        self._exchanges: list[NewExchange] = []
        self.answers: list[tuple[Request, dict[str, Any]]] = []

    def add(self, sending: Sending, view: View, target: Session) -> Sent:
        """One send into this session. The gates are in the order that S6 gives."""
        rules, query = sending.rules, sending.query
        _require_reach(rules, view, target)
        require_policy(rules, view, target)
        turn = Turn(RunKind.SEND, (Text(query.message),), _provenance(view), sending.run_id, sending.exchange_id)
        queued = add_turn(self._arrivals, rules, sending.caller, view, target, turn)
        announces = query.announce is not AnnouncePolicy.NEVER
        requester = view.acting.id if view.acting and view.acting.id else None
        turns = rules.runs.max_turns if query.max_turns is None else min(query.max_turns, rules.runs.max_turns)
        new = NewExchange(
            id=sending.exchange_id,
            kind=ExchangeKind.SEND,
            target_session=target.id,
            requester_session=requester,
            primary_run_id=sending.run_id,
            request_place=messages.place_of(target.generation, queued.input.sequence),
            max_turns=turns if requester not in (None, target.id) else 0,
            announce=query.announce,
            route=route_from(key_of(target, rules), target) if announces else None,
        )
        self._exchanges.append(new)
        at = (target.key, target.session_id, queued.queue_position, queued.blocking_run_id)
        placed = PlacedRun(queued.run, *at, parties=_parties(view))
        return Sent(placed, queued.input.id, new.id, query.announce, new.route, new.max_turns, waited=False, view=view)

    def store(self) -> None:
        """Write all of it."""
        self._arrivals.store()
        exchanges.create(self._tx, *self._exchanges)
        if self.answers:
            requests.keep(self._tx, self.answers)


def _provenance(view: View) -> Provenance:
    if view.acting is None:
        return _FROM_OUTSIDE
    return Provenance(ProvenanceKind.INTER_SESSION, view.acting.key, view.run.id if view.run else "", TOOL)


def _parties(view: View) -> frozenset[int | None]:
    return frozenset((view.acting.id if view.acting else None,))


def _kept(sent: Sent) -> dict[str, Any]:
    """What is kept of an answer, for whoever asks again."""
    placed, route = sent.placed, sent.route
    return {
        "run": placed.run.id,
        "exchange": sent.exchange_id,
        "message": sent.message_id,
        "key": placed.session_key,
        "session_id": placed.session_id,
        "position": placed.queue_position,
        "blocking": placed.blocking_run_id,
        "turns": sent.max_turns,
        "route": (route.channel, route.to, route.account_id, route.thread_id) if route else None,
    }


def _sent_as_kept(sending: Sending, view: View, kept: dict[str, Any], run: Run) -> Sent:
    """The answer that was kept; the place in the queue is the one it was given, so that nothing has to be counted."""
    is_queued = run.state == RunState.QUEUED
    placed = PlacedRun(
        run,
        kept["key"],
        kept["session_id"],
        kept["position"] if is_queued else 0,
        kept["blocking"] if is_queued else "",
        parties=_parties(view),
    )
    route = Route(*kept["route"]) if kept["route"] else None
    announce = sending.query.announce
    return Sent(placed, kept["message"], kept["exchange"], announce, route, kept["turns"], waited=False, view=view)


def _target(tx: Tx, rules: Rules, view: View, query: SendQuery) -> Session:
    """The session that is meant: by key, by label, or an agent's main (S1)."""
    if query.label:
        return find_labelled(tx, rules, view, query.label, query.agent_id, lock=True)
    if query.session_key:
        found = find_or_make(tx, rules, view, query.session_key, may_make=False)
        if query.agent_id and agent_id_of(query.agent_id) != found.agent_id:
            raise SessionNotFound("session_key")
        return found
    key = main_key_of(agent_id_of(query.agent_id), rules.keys)
    return find_or_make(tx, rules, view, str(key), may_make=False, field="agent_id")


def _require_reach(rules: Rules, view: View, target: Session) -> None:
    """Agents talk to other agents only where both are allowed to; also to a child under another agent."""
    if view.acting is None or may_reach(view.acting.agent_id, target.agent_id, rules.visibility):
        return
    enabled = rules.visibility.agent_to_agent
    raise AgentToAgentDenied("tools.agentToAgent.allow" if enabled else "tools.agentToAgent.enabled")
