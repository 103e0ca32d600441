"""Tables and bars: the same Markdown on the terminal and on the page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Bar:
    """What a figure is held to: at least, or with `at_most` at most, so much."""

    what: str
    figure: float
    limit: float
    aim: float | None = None
    at_most: bool = False

    @property
    def is_kept(self) -> bool:
        """Whether the figure is on the right side of the bar."""
        return self.figure <= self.limit if self.at_most else self.figure >= self.limit

    @property
    def cells(self) -> tuple[str, ...]:
        """As a row of a table."""
        sign = "≤" if self.at_most else "≥"
        aim = "" if self.aim is None else f"{self.aim:g}"
        return self.what, "yes" if self.is_kept else "no", f"{self.figure:.2f}", f"{sign} {self.limit:g}", aim


@dataclass(frozen=True)
class Table:
    """One group of figures, and the bars that they are held to; columns after `text_columns` are numbers."""

    title: str
    about: str
    headers: Sequence[str]
    rows: Sequence[Sequence[str]]
    text_columns: int = 2
    bars: Sequence[Bar] = ()


def as_markdown(table: Table) -> str:
    """Heading, a sentence, and the table with its columns padded for those who read the plain text."""
    widths = [max(map(len, column)) for column in zip(table.headers, *table.rows, strict=True)]
    numbers = len(widths) - table.text_columns
    rule = [*("-" * width for width in widths[:-numbers]), *("-" * (width - 1) + ":" for width in widths[-numbers:])]
    lines = [_line(cells, widths, table.text_columns) for cells in (table.headers, rule, *table.rows)]
    return "\n".join([f"## {table.title}", "", table.about, "", *lines, ""])


def bars_of(tables: Iterable[Table]) -> Table:
    """All the bars, and which of them are kept."""
    rows = [bar.cells for table in tables for bar in table.bars]
    about = (
        "What the figures below are held to. A ratio is to the no-op call of the same server options unless it says."
    )
    return Table("Bars", about, ("what", "kept", "figure", "bar", "aim"), rows)


def _line(cells: Sequence[str], widths: Sequence[int], text_columns: int) -> str:
    padded = (
        cell.ljust(widths[number]) if number < text_columns else cell.rjust(widths[number])
        for number, cell in enumerate(cells)
    )
    return "| " + " | ".join(padded) + " |"
