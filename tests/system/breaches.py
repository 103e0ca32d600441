"""What everybody saw, as a bug would have made it: the checks of what was seen must find each of these."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from math import inf
from types import SimpleNamespace
from typing import Any

from tests.system.seen import Seen, seen_checks
from tests.system.workload import Request


def missed(seen: Seen) -> list[str]:
    """The breaches that nobody would notice; of none of them is there any trace in what was really seen."""
    return [name for name, damage in BREACHES.items() if not _is_found(damage(_copy(seen)))]


def _is_found(seen: Seen) -> bool:
    return any(check.problems for check in seen_checks(seen))


def _copy(seen: Seen) -> Seen:
    return replace(
        seen, requests=deepcopy(seen.requests), waits=deepcopy(seen.waits), journals=deepcopy({**seen.journals})
    )


def _accepted(seen: Seen) -> Request:
    """A request that came to the end that it asked for."""
    return next(
        each
        for each in seen.requests
        if each.kind != "cancel" and each.run_id and seen.house.runs[each.run_id].state == "succeeded"
    )


def _with_run(seen: Seen, run_id: str, **changed: Any) -> Seen:
    """The same with another row for this run."""
    row = SimpleNamespace(**{**seen.house.runs[run_id]._mapping, **changed})
    return replace(seen, house=replace(seen.house, runs={**seen.house.runs, run_id: row}))


def _lost_run(seen: Seen) -> Seen:
    lost = _accepted(seen).run_id
    runs = {run_id: run for run_id, run in seen.house.runs.items() if run_id != lost}
    return replace(seen, house=replace(seen.house, runs=runs))


def _no_answer(seen: Seen) -> Seen:
    _accepted(seen).answered_s = inf
    return seen


def _refused(seen: Seen) -> Seen:
    _accepted(seen).refusal = "INTERNAL: no"
    return seen


def _unknown_run(seen: Seen) -> Seen:
    seen.requests.remove(_accepted(seen))
    return seen


def _two_in_one(seen: Seen) -> Seen:
    seen.requests.append(deepcopy(_accepted(seen)))
    return seen


def _other_answer(seen: Seen) -> Seen:
    _accepted(seen).repeats.append("another run")
    return seen


def _other_reply(seen: Seen) -> Seen:
    return _with_run(seen, _accepted(seen).run_id, reply="something else")


def _told_other_reply(seen: Seen) -> Seen:
    _accepted(seen).reply = "something else"
    return seen


def _failed(seen: Seen) -> Seen:
    return _with_run(seen, _accepted(seen).run_id, state="failed", reply=None, failure_reason="INTERNAL")


def _cancelled(seen: Seen) -> Seen:
    untouched = _accepted(seen)
    for request in seen.requests:
        request.aim = ""
    return _with_run(seen, untouched.run_id, state="cancelled", reply=None)


def _overtaken(seen: Seen) -> Seen:
    return _with_run(seen, _accepted(seen).run_id, run_order=10**6)


def _event_lost(seen: Seen) -> Seen:
    del seen.waits[0].events[1]
    return seen


def _event_twice(seen: Seen) -> Seen:
    seen.waits[0].events.insert(1, seen.waits[0].events[1])
    return seen


def _output_lost(seen: Seen) -> Seen:
    event = next(event for wait in seen.waits for event in wait.events if event.HasField("output_delta"))
    event.output_delta.text = event.output_delta.text[:-1]
    return seen


def _no_end(seen: Seen) -> Seen:
    del seen.waits[0].events[-1]
    return seen


def _still_running(seen: Seen) -> Seen:
    return _with_run(seen, _accepted(seen).run_id, state="running")


def _executed_twice(seen: Seen) -> Seen:
    seen.journals["runtime"].append(seen.journals["runtime"][0])
    return seen


def _offered_twice(seen: Seen) -> Seen:
    new = next(line for line in seen.journals["gateway"] if line[1:3] == ["new", "sent"])
    seen.journals["gateway"].append(new)
    return seen


def _never_sent(seen: Seen) -> Seen:
    return replace(seen, journals={**seen.journals, "gateway": []})


BREACHES: dict[str, Callable[[Seen], Seen]] = {
    "an accepted run is lost": _lost_run,
    "a request is never answered": _no_answer,
    "a request is refused": _refused,
    "a run that nobody asked for": _unknown_run,
    "one run for two requests": _two_in_one,
    "a repeat gets another answer": _other_answer,
    "a reply to something else": _other_reply,
    "an answer with another reply than the stored one": _told_other_reply,
    "a failure that nobody caused": _failed,
    "a cancel that nobody asked for": _cancelled,
    "a run is overtaken": _overtaken,
    "a waiter misses an event": _event_lost,
    "a waiter is told an event twice": _event_twice,
    "a waiter misses output": _output_lost,
    "a wait without its end": _no_end,
    "a run that never ends": _still_running,
    "an attempt with two runtimes": _executed_twice,
    "a text offered twice as new": _offered_twice,
    "a text that counts as delivered was not sent": _never_sent,
}
