"""The verdicts as tables, and their place in docs/reliability.md."""

from __future__ import annotations

import os
import platform
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from pathlib import Path

from tests.system.torture import Verdict
from tests.system.workload import KINDS

BEGIN = "<!-- Written by `python -m tests.system`; don't edit it. -->"
END = "<!-- The end of what is written by it. -->"
SHOWN = 5


def write(file: Path, text: str) -> None:
    """Put the tables where the last ones were; everything around them stays."""
    before, _, rest = file.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    assert after, f"{file} has no place for the tables"
    file.write_text(f"{before}{BEGIN}\n\n{text}\n{END}{after}", encoding="utf-8")


def page(verdicts: Sequence[Verdict], how: str) -> str:
    """Everything about this run; `how` is what makes it again."""
    violations = sum(len(verdict.problems) for verdict in verdicts)
    asked = sum(len(verdict.seen.requests) for verdict in verdicts)
    faults = sum(verdict.faults.total() for verdict in verdicts)
    lines = [
        f"`{how}`: {asked:,} requests, {faults} faults, **{violations} violations**.",
        "",
        *(f"- {verdict.store}: {verdict.seconds:.0f} s" for verdict in verdicts),
        f"- CPython {platform.python_version()}, grpcio {version('grpcio')}, {os.cpu_count()} cores",
        "",
        *_requests(verdicts),
        *_ends(verdicts),
        *_faults(verdicts),
        *_checks(verdicts),
        *_problems(verdicts),
    ]
    return "\n".join(lines)


def _requests(verdicts: Sequence[Verdict]) -> list[str]:
    """Unknown: the caller got no answer, and learned later, by the same request_id, what had become of it."""
    heads = [
        f"{_name(verdict)}: {what}" for verdict in verdicts for what in ("sent", "answered", "unknown, then settled")
    ]
    rows = []
    for kind in KINDS:
        row = [kind]
        for verdict in verdicts:
            sent = [each for each in verdict.seen.requests if each.kind == kind]
            unknown = sum(each.was_unknown and each.is_answered for each in sent)
            row += [f"{len(sent)}", f"{sum(each.is_answered for each in sent) - unknown}", f"{unknown}"]
        rows.append(row)
    waits = ["wait"]
    for verdict in verdicts:
        number = len(verdict.seen.waits)
        waits += [f"{number}", f"{sum(bool(each.events) for each in verdict.seen.waits)}", "-"]
    return _table(["request", *heads], [*rows, waits])


def _ends(verdicts: Sequence[Verdict]) -> list[str]:
    ends = [
        Counter(run.failure_reason or run.state for run in verdict.seen.house.runs.values()) for verdict in verdicts
    ]
    names = dict.fromkeys(name for counter in ends for name, _ in counter.most_common())
    return _table(
        ["end of a run", *map(_name, verdicts)], [[name, *(f"{each[name]}" for each in ends)] for name in names]
    )


def _faults(verdicts: Sequence[Verdict]) -> list[str]:
    kinds = dict.fromkeys(kind for verdict in verdicts for kind in sorted(verdict.faults))
    rows = [[kind, *(f"{verdict.faults[kind]}" for verdict in verdicts)] for kind in kinds]
    return _table(["fault", *map(_name, verdicts)], rows)


def _checks(verdicts: Sequence[Verdict]) -> list[str]:
    heads = [f"{_name(verdict)}: {what}" for verdict in verdicts for what in ("examined", "violations")]
    rows = []
    for checks in zip(*(verdict.checks for verdict in verdicts), strict=True):
        numbers = [(f"{check.examined}", f"{len(check.problems)}") for check in checks]
        rows.append([checks[0].name, *(number for pair in numbers for number in pair)])
    return _table(["check", *heads], rows)


def _problems(verdicts: Sequence[Verdict]) -> list[str]:
    found = Counter(problem for verdict in verdicts for problem in verdict.problems)
    return [f"- violation: {problem}" for problem, _ in found.most_common(SHOWN)]


def _name(verdict: Verdict) -> str:
    return verdict.store.split()[0]


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Columns as wide as what stands in them, numbers to the right."""
    rows = [*rows]
    widths = [max(len(row[place]) for row in [heads, *rows]) for place in range(len(heads))]
    lines = [
        "| "
        + " | ".join([row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))])
        + " |"
        for row in [heads, *rows]
    ]
    rule = "| " + " | ".join(["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]) + " |"
    return [lines[0], rule, *lines[1:], ""]
