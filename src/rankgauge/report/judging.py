"""What a judge's labels say of runs: the verdicts first, then the ways that led to them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from rankgauge.judges.verdict import JudgedVerdict
from rankgauge.report.comparison import MARKS
from rankgauge.report.grid import Cell, Format, Grid
from rankgauge.statistics.results import Interval

COLUMNS = ("run", "unjudged documents", "difference", "low", "high", "n", "says")


def render_judged(found: Sequence[tuple[str, JudgedVerdict]], *, format: Format = "table", digits: int = 4) -> str:
    """Write the verdict on each run, and its difference under each way to treat what people did not judge."""
    if format == "json":
        return json.dumps([_object(run, one) for run, one in found], ensure_ascii=False, indent=2) + "\n"
    grid = Grid(COLUMNS, [row for run, one in found for row in _rows(run, one)], digits=digits)
    if format in ("csv", "latex"):
        return grid.render(format)
    bullet = "- " if format == "markdown" else ""
    lines = [line for _, one in found for line in _said(one, bullet)]
    return "\n".join([*lines, "", grid.render(format)])


def _said(one: JudgedVerdict, bullet: str) -> list[str]:
    verdict = one.verdict
    head = f"{bullet}{MARKS[verdict.word]} {verdict.word.upper()}: {verdict.sentence}"
    return [head, *(f"  {bullet}{reason}" for reason in verdict.because),
            *(f"  {bullet}next: {step}" for step in verdict.do)]  # fmt: skip


def _rows(run: str, one: JudgedVerdict) -> list[list[Cell]]:
    rows: list[list[Cell]] = [[run, way.name, *_ends(way.difference), way.word] for way in one.ways]
    if one.powered is not None:
        rows.append([run, "prediction-powered", *_ends(one.powered.found.interval), ""])
    if one.bias is not None:
        rows.append([run, "bias (judge - people)", *_ends(one.bias), ""])
    return rows or [[run, "settled without the judge", None, None, None, None, one.verdict.word]]


def _ends(found: Interval) -> list[Cell]:
    return [found.estimate, found.low, found.high, found.n]


def _object(run: str, one: JudgedVerdict) -> dict[str, Any]:
    verdict = one.verdict
    return {
        "run": run,
        "verdict": verdict.word,
        "rule": verdict.rule,
        "sentence": verdict.sentence,
        "because": list(verdict.because),
        "do": list(verdict.do),
        "ways": [dict(zip(COLUMNS[1:], row[1:], strict=True)) for row in _rows(run, one)],
    }
