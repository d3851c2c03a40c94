"""Summaries as text: what results of any size come to, by group and measure."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from rankgauge.engines.results import Results
from rankgauge.records import Note
from rankgauge.records.summary import STATUSES
from rankgauge.report.grid import Cell, Format, Grid
from rankgauge.statistics.summaries import summary_means


def render_summary(
    results: Results, notes: Sequence[Note] = (), *, format: Format = "table", digits: int = 4, confidence: float = 0.95
) -> str:
    """Write the mean of every group and measure with its interval, and what is missing beside it.

    JSON is one object with "scores" and "input"; `notes` are those it carries.
    """
    means = summary_means(results.summary, results.about.measures, confidence=confidence)
    if format == "json":
        return json.dumps(as_json(results, means, notes), ensure_ascii=False, indent=2) + "\n"
    if format == "csv":
        return Grid(means.columns, means.rows()).csv()
    return grid(means, results.about.by, digits, confidence).render(format)


def grid(means: pl.DataFrame, by: Sequence[str], digits: int = 4, confidence: float = 0.95) -> Grid:
    """One row per group and measure; columns that would say nothing are left out."""
    tied = bool((means["tie_high"] - means["tie_low"]).fill_null(0.0).max() or 0.0)
    bounded = bool(means["residual_tail"].is_not_null().any())
    columns = [*by, "measure", "value", f"{100 * confidence:g}% interval", "n", "undefined", "missing", "unjudged"]
    columns += ["over tie orders"] * tied + ["+ residual"] * bounded
    cells = [list(_cells(row, by, digits, tied=tied, bounded=bounded)) for row in means.iter_rows(named=True)]
    return Grid(columns, cells, digits, empty="-")


def _cells(row: dict[str, Any], by: Sequence[str], digits: int, *, tied: bool, bounded: bool) -> Iterator[Cell]:
    yield from (row[name] for name in by)
    yield from (row["measure"], row["mean"])
    yield _between(row["low"], row["high"], digits)
    yield from (row["n"], row["undefined"], row["missing"])
    yield None if row["unjudged"] is None else f"{100 * row['unjudged']:.1f}%"
    if tied:
        yield "no ties" if row["tie_low"] == row["tie_high"] else _between(row["tie_low"], row["tie_high"], digits)
    if bounded:
        unjudged, tail = row["residual_unjudged"], row["residual_tail"]
        yield None if tail is None else f"{unjudged:.{digits}f} unjudged, {tail:.{digits}f} tail"


def _between(low: float | None, high: float | None, digits: int) -> str | None:
    return None if low is None or high is None else f"{low:.{digits}f} to {high:.{digits}f}"


def as_json(results: Results, means: pl.DataFrame, notes: Sequence[Note] = ()) -> dict[str, Any]:
    """One object in the shape of every verb that scores."""
    about, summary = results.about, results.summary
    return {
        "scores": means.to_dicts(),
        "input": {
            "source": about.source,
            "engine": about.engine,
            "convention": about.convention,
            "order": about.order,
            "by": list(about.by),
            "out": None if results.folder is None else str(results.folder),
            "groups": [
                group
                | {status: summary.count(status, **group) for status in STATUSES}
                | {name: int(summary.total(name, **group)) for name in ("retrieved", "judged", "tied")}
                for group in summary.groups()
            ],
            "notes": [{"kind": note.kind, "count": note.count, "text": note.text} for note in notes],
        },
    }
