"""Documents to judge first, as text."""

from __future__ import annotations

import json

from rankgauge.comparison.holes import Holes
from rankgauge.report.grid import Cell, Format, Grid


def render_holes(holes: Holes, *, format: Format, digits: int = 4) -> str:
    """Write the documents in the order in which to judge them; the share is the running one."""
    if format == "json":
        known = {"measure": holes.measure, "runs": holes.runs, "depth": holes.depth, "found": holes.found}
        return json.dumps(known | {"holes": holes.table.to_dicts()}, ensure_ascii=False, indent=2) + "\n"
    columns = holes.table.columns
    rows = [list(row) for row in holes.table.iter_rows()]
    if format != "csv":
        rows = [[*row[:-1], f"{row[-1]:.1%}"] for row in rows]
    cells: list[list[Cell]] = rows
    return Grid(columns, cells, digits=digits).render(format)


def summary(holes: Holes) -> str:
    """Say in a sentence how many documents there are and what the listed ones decide."""
    share = 0.0 if not len(holes) else float(holes.table["share"][-1])
    return (
        f"{holes.found:,} documents in the first {holes.depth} of {', '.join(holes.runs)} have no judgment; "
        f"the {len(holes):,} listed hold {share:.0%} of what all could change in {holes.measure}"
    )
