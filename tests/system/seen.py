"""What callers, waiters, runtimes and gateways saw, held against the store: each breach is told in one sentence."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from math import inf
from pathlib import Path

from sessiontools.v1 import run_pb2
from sessiontools.v1 import session_tools_service_pb2 as pb
from tests.system.checker import Check
from tests.system.house import FINAL, OPEN_DELIVERIES, House, Row, text_of
from tests.system.outsider import journal_of
from tests.system.stage import MAX_ATTEMPTS
from tests.system.workload import Request, Wait

LOST = "RUNTIME_LOST"
NOT_IN_THE_LOG = frozenset({"snapshot", "heartbeat", "ended"})


@dataclass(frozen=True)
class Seen:
    """The store, and what everybody outside of it has noted."""

    house: House
    requests: list[Request]
    waits: list[Wait]
    journals: Mapping[str, list[list[str]]]  # by role, the words of each line


def seen_checks(seen: Seen) -> list[Check]:
    """All that must hold between what was seen and what is stored."""
    house = seen.house
    asked = [each for each in seen.requests if each.kind != "cancel"]
    runs = [(each, house.runs[each.run_id]) for each in asked if each.run_id in house.runs]
    repeated = [each for each in seen.requests if each.repeats]
    attempts, offers = seen.journals["runtime"], seen.journals["gateway"]
    return [
        Check("every accepted request is one run, byte for byte", len(asked), [*_accepted(house, asked)]),
        Check("no run that nobody asked for", len(house.asked_for), [*_asked_for(house, asked)]),
        Check("a repeated request_id gets the first answer", len(repeated), [*_repeats(repeated)]),
        Check("a run came to what its message says, or was lost or cancelled", len(runs), [*_ends(seen, runs)]),
        Check("a reply in an answer is the stored one", len(runs), [*_replies(runs)]),
        Check("what was sent after another's answer runs after it", len(runs), [*_order(runs)]),
        Check("a waiter's stream is the log", len(seen.waits), [*_waits(house, seen.waits)]),
        Check("everything is over: runs, exchanges, deliveries", len(house.runs), [*_over(house)]),
        Check("no attempt was given to two runtimes", len(attempts), [*_attempts(house, attempts)]),
        Check("no text was offered twice as if it were new", len(offers), [*_offers(offers)]),
        Check("what counts as delivered was sent", len(house.deliveries), [*_delivered(house, offers)]),
    ]


def read_journals(folder: Path) -> dict[str, list[list[str]]]:
    """What runtimes and gateways noted."""
    return {role: _lines(journal_of(folder, role)) for role in ("runtime", "gateway")}


def _accepted(house: House, requests: Iterable[Request]) -> Iterator[str]:
    for request in requests:
        if not request.is_answered:
            yield f"{request} was never answered"
        elif request.refusal:
            yield f"{request} was refused"
        elif request.run_id not in house.runs:
            yield f"{request} was accepted, and its run is gone"
        elif text_of(house.message_at(house.runs[request.run_id].input_place)) != request.script.text:
            yield f"{request} is another message in the store"


def _asked_for(house: House, requests: Iterable[Request]) -> Iterator[str]:
    known = Counter(request.run_id for request in requests)
    for run in house.asked_for:
        if known[run.id] != 1:
            yield f"run {run.id} stands for {known[run.id]} requests"


def _repeats(requests: Iterable[Request]) -> Iterator[str]:
    for request in requests:
        if {*request.repeats} != {request.run_id}:
            yield f"{request.request_id} was told {request.run_id} first, then {request.repeats}"


def _ends(seen: Seen, runs: Iterable[tuple[Request, Row]]) -> Iterator[str]:
    aims = {each.aim for each in seen.requests if each.kind == "cancel"}
    for request, run in runs:
        outcome = run.reply if run.state == "succeeded" else run.failure_reason
        is_cancelled = run.state == "cancelled" and not aims.isdisjoint(_line_of(seen.house, run))
        if outcome not in (request.script.outcome, LOST) and not is_cancelled:
            yield f"{run.state} instead of {request.script.outcome!r}: {outcome}: {run.failure_message}"


def _line_of(house: House, run: Row) -> Iterator[str]:
    """The run, and those that led to it."""
    while run is not None:
        yield run.id
        run = house.runs.get(run.parent_run_id)


def _replies(runs: Iterable[tuple[Request, Row]]) -> Iterator[str]:
    for request, run in runs:
        if request.reply is not None and request.reply != (run.reply or ""):
            yield f"{request} was told {request.reply!r}, and {run.reply!r} is stored"


def _order(runs: Iterable[tuple[Request, Row]]) -> Iterator[str]:
    """In each session, from the last run to the first."""
    first_answer_s: dict[int, float] = defaultdict(lambda: inf)  # by session, among the runs that come later
    for request, run in sorted(runs, key=lambda each: -each[1].run_order):
        if first_answer_s[run.session] < request.sent_s:
            yield f"{request} is number {run.run_order}, before one that was answered when it was sent"
        first_answer_s[run.session] = min(first_answer_s[run.session], request.answered_s)


def _waits(house: House, waits: Iterable[Wait]) -> Iterator[str]:
    for wait in waits:
        told = _shape(each for each in wait.events if each.WhichOneof("event") not in NOT_IN_THE_LOG)
        stored = _shape(_log_for(house, wait))
        if told != stored:
            yield f"who waited for run {wait.run_id} was told {told}, the log has {stored}"
        last = _state(wait.events[-1].ended.run.state) if wait.events else "nothing"
        run = house.runs.get(wait.run_id)
        state = run.state if run is not None else "nothing"
        if last != state:
            yield f"who waited for run {wait.run_id} was told {last} at the end, not {state}"


def _log_for(house: House, wait: Wait) -> Iterator[pb.WaitRunResponse]:
    """The stored events up to where the wait ends."""
    for row in house.events_of[wait.run_id]:
        event = pb.WaitRunResponse.FromString(row.body)
        event.sequence = row.sequence
        yield event
        if wait.until == run_pb2.WAIT_UNTIL_REPLY and _state(event.state_changed.to_state) in FINAL:
            return


def _state(number: run_pb2.RunState.ValueType) -> str:
    return run_pb2.RunState.Name(number).removeprefix("RUN_STATE_").lower()


def _shape(events: Iterable[pb.WaitRunResponse]) -> list[str]:
    """What matters of each event; pieces of output that follow each other may come as one (W5)."""
    shape: list[str] = []
    for is_output, group in groupby(events, lambda event: event.HasField("output_delta")):
        if is_output:
            shape.append("shown " + "".join(event.output_delta.text for event in group))
        else:
            shape.extend(f"{event.sequence} {_told(event)}" for event in group)
    return shape


def _told(event: pb.WaitRunResponse) -> str:
    changed, delivery = event.state_changed, event.delivery_changed.delivery
    match event.WhichOneof("event"):
        case "state_changed":
            return f"state {changed.from_state} {changed.to_state} {changed.reason}"
        case "delivery_changed":
            return f"delivery {delivery.id} {delivery.state}"
        case "turn_changed":
            return f"turn {event.turn_changed.turn} {event.turn_changed.run_id}"
        case _:  # a message is stored once, in the transcript
            return "message"


def _over(house: House) -> Iterator[str]:
    yield from (f"run {run.id} is {run.state}" for run in house.runs.values() if run.state not in FINAL)
    yield from (f"exchange {each.id} is open" for each in house.exchanges if each.state == "open")
    yield from (f"delivery {each.id} is {each.state}" for each in house.deliveries if each.state in OPEN_DELIVERIES)


def _attempts(house: House, lines: list[list[str]]) -> Iterator[str]:
    for (run_id, attempt), times in Counter((line[0], int(line[1])) for line in lines).items():
        run = house.runs.get(run_id)
        if run is None:
            yield f"run {run_id} was executed and is gone"
            continue
        most = MAX_ATTEMPTS if run.agent_id == "again" else 1
        if times > 1 or attempt > most:
            yield f"attempt {attempt} of at most {most} of run {run_id} was begun {times} times"


def _offers(lines: list[list[str]]) -> Iterator[str]:
    new = Counter(line[0] for line in lines if line[1:3] == ["new", "sent"])
    yield from (f"delivery {each} was offered {times} times as new" for each, times in new.items() if times > 1)


def _delivered(house: House, lines: list[list[str]]) -> Iterator[str]:
    sent = {line[0] for line in lines if line[2] == "sent"}
    for delivery in house.deliveries:
        if delivery.state == "delivered" and (delivery.id not in sent or delivery.receipt != delivery.id):
            yield f"delivery {delivery.id} was never sent, receipt {delivery.receipt!r}"


def _lines(journal: Path) -> list[list[str]]:
    return [line.split() for line in journal.read_text(encoding="utf-8").splitlines()] if journal.exists() else []
