"""A grid of cells as text: aligned for a terminal, CSV, Markdown or LaTeX."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rich import box
from rich.console import Console
from rich.table import Table

Cell = str | float | int | None
Format = Literal["table", "json", "csv", "markdown", "latex"]

FORMATS: tuple[Format, ...] = ("table", "json", "csv", "markdown", "latex")
WIDTH = 10_000
"""Wider than any table: a cell is never cut short."""
NUMBER = re.compile(r"[-+]?[\d.,]+(e[-+]?\d+)?%?( to [\d.]+)?")
NOT_NUMBERS = ("undefined",)
LATEX = str.maketrans({c: f"\\{c}" for c in "&%$#_{}"} | {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}"})


def _is_name(cell: Cell) -> bool:
    return isinstance(cell, str) and cell not in NOT_NUMBERS and NUMBER.fullmatch(cell) is None


@dataclass(frozen=True)
class Grid:
    """Rows of cells under named columns. Numbers are aligned right; None is an empty cell.

    `digits` is the number of decimals of floats, except in CSV, which carries every digit. With `booktabs`, LaTeX
    has the rules of that package.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    digits: int = 4
    empty: str = ""
    booktabs: bool = False

    def show(self, cell: Cell) -> str:
        """Write a cell for people."""
        if cell is None:
            return self.empty
        if isinstance(cell, float):
            return f"{cell:.{self.digits}f}"
        return f"{cell:,}" if isinstance(cell, int) else cell

    def _numeric(self, column: int) -> bool:
        cells = [row[column] for row in self.rows if row[column] is not None]
        return bool(cells) and any(NUMBER.fullmatch(str(cell)) for cell in cells) and not any(map(_is_name, cells))

    def render(self, format: Format) -> str:
        """Write the grid in any format but "json", ending with a line break."""
        writers = {"table": self.table, "csv": self.csv, "markdown": self.markdown, "latex": self.latex}
        return writers[format]()

    def table(self) -> str:
        """Plain aligned text without colour."""
        table = Table(box=box.SIMPLE_HEAD)
        for column, name in enumerate(self.columns):
            table.add_column(name, justify="right" if self._numeric(column) else "left", no_wrap=True)
        for row in self.rows:
            table.add_row(*map(self.show, row))
        console = Console(
            file=io.StringIO(), width=WIDTH, color_system=None, legacy_windows=False, markup=False, emoji=False
        )
        with console.capture() as captured:
            console.print(table, highlight=False)
        return "".join(line.rstrip() + "\n" for line in captured.get().splitlines())

    def csv(self) -> str:
        """Comma-separated values with every digit."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([repr(cell) if isinstance(cell, float) else cell for cell in row] for row in self.rows)
        return out.getvalue()

    def markdown(self) -> str:
        """A table of GitHub's Markdown."""
        rule = ["--:" if self._numeric(column) else "---" for column in range(len(self.columns))]
        lines = [self.columns, rule, *[[self.show(cell).replace("|", "\\|") for cell in row] for row in self.rows]]
        return "".join(f"| {' | '.join(line)} |\n" for line in lines)

    def latex(self) -> str:
        """A tabular that needs no package, or only booktabs."""
        top, middle, bottom = (r"\toprule", r"\midrule", r"\bottomrule") if self.booktabs else (r"\hline",) * 3
        spec = "".join("r" if self._numeric(column) else "l" for column in range(len(self.columns)))
        body = [[self.show(cell).translate(LATEX) for cell in row] for row in self.rows]
        head = " & ".join(name.translate(LATEX) for name in self.columns)
        lines = [rf"\begin{{tabular}}{{{spec}}}", top, head + r" \\", middle]
        lines += [" & ".join(row) + r" \\" for row in body]
        return "\n".join([*lines, bottom, r"\end{tabular}"]) + "\n"
