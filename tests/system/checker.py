"""What must be true of a store at every moment, whatever was killed before: each breach is told in one sentence.

It is meant for stores from which nothing was purged yet.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from sessiond.store import traces
from sessiond.store.schema import PLACE_SHIFT
from sessiontools.v1 import message_pb2
from tests.system.house import FINAL, LEASED, OPEN_DELIVERIES, House, Row, read_house, text_of

AFTER_THE_END = frozenset({"turn", "delivery"})
STEPS = {"chat": "chat", "announce": "announce", "spawn_announce": "report"}  # by the kind of run that leads to one


def check_store(url: str) -> House:
    """Read the store, fail with every breach that it has, and hand it over."""
    house = read_house(url)
    found = problems_of(house)
    assert not found, "\n".join(found)
    return house


def problems_of(house: House) -> list[str]:
    """Every breach, in words."""
    return [problem for check in checks_of(house) for problem in check.problems]


@dataclass(frozen=True)
class Check:
    """One thing that must hold: of how many it was asked, and where it does not."""

    name: str
    examined: int
    problems: list[str]


def checks_of(house: House) -> list[Check]:
    """All that must hold of a store."""
    sessions = [(f"session {each.key}", each) for each in house.sessions]
    runs = [(f"run {each.id} ({each.state})", each) for each in house.runs.values()]
    exchanges = [(f"exchange {each.id}", each) for each in house.exchanges]
    deliveries = [(f"delivery {each.id}", each) for each in house.deliveries]
    return [
        _check("one run at a time in each session, in arrival order", house, sessions, _queue),
        _check("transcripts without a gap, runs never mixed", house, sessions, _transcript),
        _check("events without a gap, one terminal state, one reply", house, runs, _run),
        _check("an exchange is open as long as it owes something, and no longer", house, exchanges, _exchange),
        _check("a delivery has one outcome, and its followers were told", house, deliveries, _delivery),
        Check("every run is counted on its trace", len(house.runs), [*_traces(house)]),
    ]


def _check(
    name: str, house: House, rows: Sequence[tuple[str, Row]], find: Callable[[House, Row], Iterator[str]]
) -> Check:
    return Check(name, len(rows), [f"{title}: {problem}" for title, row in rows for problem in find(house, row)])


def _queue(house: House, session: Row) -> Iterator[str]:
    """One run at a time, in arrival order, and the session's row says so (R2)."""
    runs = house.runs_of[session.id]
    unfinished = [run for run in runs if run.state not in FINAL]
    if [run.run_order for run in runs] != list(range(1, session.last_run_order + 1)):
        yield f"arrival orders {[run.run_order for run in runs]} are not 1 to {session.last_run_order}"
    if session.unfinished_runs != len(unfinished):
        yield f"counts {session.unfinished_runs} unfinished runs, has {len(unfinished)}"
    head = (unfinished[0].id, unfinished[0].state) if unfinished else ("", None)
    if (session.active_run_id, session.active_run_state) != head:
        yield f"names {session.active_run_id!r} ({session.active_run_state}) as its head, which is {head}"
    for run in runs:
        may_start = run.state == "queued" and run.id == head[0]
        if run.is_ready != may_start:
            yield f"run {run.id} is {'' if run.is_ready else 'not '}ready, {run.state}, behind {head}"
        if unfinished and run.run_order > unfinished[0].run_order and run.start_ms is not None:
            yield f"run {run.id} was started before {head[0]} ended"


def _transcript(house: House, session: Row) -> Iterator[str]:
    """Messages without a gap, counted rightly, and those of one run never among those of another."""
    ended = {each.id: (each.last_sequence, each.tool_results) for each in house.generations_of[session.id]}
    for generation, counted in {**ended, session.generation: (session.last_sequence, session.tool_results)}.items():
        first = generation << PLACE_SHIFT
        places = house.places_in[generation]
        results = sum(house.messages[place].role == message_pb2.ROLE_TOOL_RESULT for place in places)
        if counted != (len(places), results):
            yield f"counts {counted} messages and tool results, has {(len(places), results)}"
        if places != list(range(first + 1, first + len(places) + 1)):
            yield f"its messages are not numbered from 1 on: {[place - first for place in places]}"
    written = sorted((place, run.run_order) for run in house.runs_of[session.id] for place in house.places_of(run.id))
    orders = [order for _, order in written]
    if orders != sorted(orders):
        yield f"its runs wrote out of turn: {orders}"


def _run(house: House, run: Row) -> Iterator[str]:
    """Events without a gap, states that follow from each other, one end at most, the reply stored once (R1, R7, W1)."""
    events = house.events_of[run.id]
    changes = house.changes_of(run.id)
    if [event.sequence for event in events] != list(range(1, run.event_count + 1)):
        yield f"its events are not 1 to {run.event_count}: {[event.sequence for event in events]}"
    if [change.from_state for change in changes] != ["", *(change.to_state for change in changes)][:-1]:
        yield f"its states do not follow from each other: {changes}"
    if not changes or changes[-1].to_state != run.state:
        yield f"its events end in another state: {changes}"
    ends = [change.sequence for change in changes if change.to_state in FINAL]
    if len(ends) != (run.state in FINAL):
        yield f"it ended {len(ends)} times"
    late = [event.kind for event in events if ends and event.sequence > ends[0] and event.kind not in AFTER_THE_END]
    if late:
        yield f"things happened to it after its end: {late}"
    if (run.end_ms is not None) != (run.state in FINAL) or (run.due_ms is not None) != (run.state in LEASED):
        yield f"its times don't fit its state: end {run.end_ms}, due {run.due_ms}"
    yield from _messages_of(house, run)
    if run.kind in STEPS and run.state in FINAL:
        yield from _outgoing_of(house, run)


def _messages_of(house: House, run: Row) -> Iterator[str]:
    """Its input, and exactly the messages of its events; the reply is the last of them."""
    places = house.places_of(run.id)
    mine = set(house.places_by[run.id]) - {run.input_place}
    if house.message_at(run.input_place).run_id != run.id:
        yield f"its input is not at {run.input_place}"
    if len(places) != len(set(places)) or set(places) != mine:
        yield f"its events tell of messages at {places}, its messages lie at {sorted(mine)}"
    if run.reply is not None and run.state != "succeeded":
        yield "it has a reply without success"
    if run.reply and (not places or text_of(house.message_at(places[-1])) != run.reply):
        yield f"its last message is not its reply {run.reply!r}"


def _outgoing_of(house: House, run: Row) -> Iterator[str]:
    """A step that owes a text leaves exactly one row, and any other none (S12, D2, D4)."""
    owed = bool(run.deliver and run.state == "succeeded") if run.kind == "chat" else True
    steps = [each.step for each in house.deliveries_of_run[run.id]]
    if steps != [STEPS[run.kind]] * owed:
        yield f"{'a' if owed else 'no'} delivery is owed, there are {steps}"


def _exchange(house: House, exchange: Row) -> Iterator[str]:
    """It is open as long as it owes something, and no longer (property 1)."""
    runs = house.runs_of_exchange[exchange.id]
    deliveries = house.deliveries_of_exchange[exchange.id]
    owes = any(run.state not in FINAL for run in runs) or any(each.state in OPEN_DELIVERIES for each in deliveries)
    if (exchange.state == "open") != owes:
        yield f"it is {exchange.state} and owes {'something' if owes else 'nothing'}"
    if (exchange.settled_ms is not None) != (exchange.state == "settled"):
        yield f"it is {exchange.state}, settled at {exchange.settled_ms}"
    if exchange.primary_run_id not in house.runs:
        yield "its first run is missing"
    turns = sorted(run.turn for run in runs if run.kind == "reply")
    if turns != list(range(1, len(turns) + 1)) or len(turns) > exchange.max_turns:
        yield f"its turns are {turns} of at most {exchange.max_turns}"
    if sum(run.kind in ("announce", "spawn_announce") for run in runs) > 1 or len(deliveries) > 1:
        yield f"it was announced more than once: {[run.kind for run in runs]}, {[each.step for each in deliveries]}"


def _delivery(house: House, delivery: Row) -> Iterator[str]:
    """One outcome, with its time and reason, told to whoever follows (D1)."""
    is_open = delivery.state in OPEN_DELIVERIES
    if (delivery.end_ms is None) != is_open or bool(delivery.suppressed_reason) != (delivery.state == "suppressed"):
        yield f"it is {delivery.state}, ended at {delivery.end_ms}, for {delivery.suppressed_reason!r}"
    primary = house.primaries.get(delivery.exchange_id, delivery.run_id)
    told = house.delivery_states(primary).get(delivery.id, [])
    outcomes = [state for state in told if state not in OPEN_DELIVERIES]
    if not told or told[-1] != delivery.state or len(outcomes) != (not is_open):
        yield f"it is {delivery.state}, its followers were told {told}"


def _traces(house: House) -> Iterator[str]:
    """Every run is counted on its trace (R9)."""
    counted = {traces.begun_by(run.id): 1 for run in house.runs.values() if run.trace_id == traces.begun_by(run.id)}
    counted |= {trace.trace_id: trace.runs for trace in house.traces}
    found = Counter(run.trace_id for run in house.runs.values())
    if counted != found:
        wrong = sorted(trace for trace in counted.keys() | found.keys() if counted.get(trace) != found.get(trace))
        yield f"traces {wrong} count other numbers of runs than there are"
