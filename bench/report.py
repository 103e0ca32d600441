"""The one writer of tables: the same Markdown on the terminal and on the page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

_INTRODUCTION = """# Performance

Written by `make bench`; don't edit it. Every figure was taken in one run on one machine, as the median of repetitions
that take turns, so that what else the machine does falls on both sides alike. What counts is the ratio: milliseconds
are those of this machine on that day. Nothing timed is asserted in a test.
"""


@dataclass(frozen=True)
class Table:
    """One group of figures; columns after the first `text_columns` are aligned as numbers."""

    title: str
    about: str
    headers: Sequence[str]
    rows: Sequence[Sequence[str]]
    text_columns: int = 2


def as_markdown(table: Table) -> str:
    """Heading, a sentence, and the table with its columns padded for those who read the plain text."""
    widths = [max(map(len, column)) for column in zip(table.headers, *table.rows, strict=True)]
    numbers = len(widths) - table.text_columns
    rule = [*("-" * width for width in widths[:-numbers]), *("-" * (width - 1) + ":" for width in widths[-numbers:])]
    lines = [_line(cells, widths, table.text_columns) for cells in (table.headers, rule, *table.rows)]
    return "\n".join([f"## {table.title}", "", table.about, "", *lines, ""])


def write_page(file: Path, machine: Iterable[str], tables: Iterable[Table]) -> None:
    """The whole page."""
    described = "\n".join(f"- {line}" for line in machine)
    parts = [_INTRODUCTION, f"## Machine\n\n{described}\n", *map(as_markdown, tables)]
    file.write_text("\n".join(parts), encoding="utf-8")


def _line(cells: Sequence[str], widths: Sequence[int], text_columns: int) -> str:
    padded = (
        cell.ljust(widths[number]) if number < text_columns else cell.rjust(widths[number])
        for number, cell in enumerate(cells)
    )
    return "| " + " | ".join(padded) + " |"
