"""docs/performance.md, and beside it the tables of each group as JSON, so that one can be measured again alone."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from bench.report import Bar, Table, as_markdown, bars_of

_INTRODUCTION = """# Performance

Written by `make bench`; don't edit it. Figures that are compared were taken in one run on one machine, as the median of
repetitions that take turns, so that what else the machine does falls on all sides alike. What counts is the ratio:
milliseconds and calls a second are those of this machine on that day. Nothing timed is asserted in a test.

The ceiling is a no-op: a gRPC server for Python with exactly the real one's options and message sizes that does nothing
(`bench/noop.py`). Loads come from h2load in processes of its own (`bench/load.py`); the column `generator` is the share
of a core that it took. Where each path spends its time is in [profiles](profiles).
"""


@dataclass(frozen=True)
class Taken:
    """The tables of one group, when they were taken, and on what."""

    at: str
    machine: Sequence[str]
    tables: Sequence[Table]


def write_page(page: Path, order: Iterable[str], taken: Mapping[str, Taken]) -> None:
    """Put these in the place of the same groups' older tables; the others stay."""
    kept = page.with_suffix(".json")
    groups = {**(_read(kept) if kept.exists() else {}), **taken}
    names = [name for name in order if name in groups]
    groups = {name: groups[name] for name in [*names, *(name for name in groups if name not in names)]}
    kept.write_text(
        json.dumps({name: asdict(each) for name, each in groups.items()}, indent=1) + "\n", encoding="utf-8"
    )
    page.write_text("\n".join(_parts(list(groups.values()))), encoding="utf-8")


def _parts(groups: Sequence[Taken]) -> list[str]:
    newest = max(groups, key=lambda each: each.at)
    described = "\n".join(f"- {line}" for line in [*newest.machine, f"taken on {newest.at}"])
    tables = [_dated(table, each, newest) for each in groups for table in each.tables]
    return [_INTRODUCTION, f"## Machine\n\n{described}\n", *map(as_markdown, [bars_of(tables), *tables])]


def _dated(table: Table, taken: Taken, newest: Taken) -> Table:
    """The table, with a word on when and where it was taken if that is not what the page says of all."""
    words = [] if taken.at == newest.at else [f"Taken on {taken.at}."]
    words += [] if taken.machine[0] == newest.machine[0] else [f"On {'; '.join(taken.machine)}."]
    return replace(table, about=" ".join([table.about, *words]))


def _read(kept: Path) -> dict[str, Taken]:
    stored = json.loads(kept.read_text(encoding="utf-8"))
    return {
        name: Taken(each["at"], each["machine"], [_table(table) for table in each["tables"]])
        for name, each in stored.items()
    }


def _table(stored: dict[str, object]) -> Table:
    table = Table(**stored)  # type: ignore[arg-type] # what asdict made of one
    return replace(table, bars=[Bar(**bar) for bar in stored["bars"]])  # type: ignore[attr-defined]
