"""Scores as text: the table that people read, and the object that programs read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import polars as pl

from rankgauge.records.scores import Scores
from rankgauge.report.grid import Cell, Format, Grid


def render_scores(scores: Scores, *, format: Format = "table", by_query: bool = False, digits: int = 4) -> str:
    """Write the means of every run and measure, and the queries' values if asked.

    CSV is one table: the means, or with `by_query` the queries' values. JSON is one object with
    "scores", "per_query" and "input".
    """
    if format == "json":
        return json.dumps(as_json(scores, by_query=by_query), ensure_ascii=False, indent=2) + "\n"
    if format == "csv" and by_query:
        return scores.to_polars().write_csv()
    text = summary(scores, digits, every_column=format == "csv").render(format)
    if by_query:
        text += "\n" + per_query(scores, digits).render(format)
    return text


def summary(scores: Scores, digits: int = 4, *, every_column: bool = False) -> Grid:
    """One row per measure and run; columns that would say nothing are left out, unless all are asked for."""
    means = scores.mean().with_columns(order=pl.col("measure").replace_strict(list(scores.measures), _numbers(scores)))
    rows = means.sort("order", maintain_order=True).drop("order")
    if every_column:
        return Grid(rows.columns, rows.rows())
    tied = _differs(rows, "tie_low", "tie_high")
    bounded = rows["residual_tail"].is_not_null().any()
    columns = ["measure", "run", "value", "n", "undefined", "missing", "unjudged"]
    columns += ["over tie orders"] * tied + ["+ residual"] * bounded
    cells = [list(_cells(row, digits, tied=tied, bounded=bounded)) for row in rows.iter_rows(named=True)]
    return Grid(columns, cells, digits, empty="-")


def _numbers(scores: Scores) -> list[int]:
    return list(range(len(scores.measures)))


def _differs(rows: pl.DataFrame, low: str, high: str) -> bool:
    return bool((rows[high] - rows[low]).fill_null(0.0).max() > 0)  # type: ignore[operator]


def _cells(row: dict[str, Any], digits: int, *, tied: bool, bounded: bool) -> Iterator[Cell]:
    yield from (row["measure"], row["run"], row["mean"], row["n"], row["undefined"], row["missing"])
    yield None if row["unjudged"] is None else f"{100 * row['unjudged']:.1f}%"
    if tied:
        low, high = row["tie_low"], row["tie_high"]
        spread = f"{low or 0:.{digits}f} to {high or 0:.{digits}f}" if low != high else "no ties"
        yield None if low is None else spread
    if bounded:
        unjudged, tail = row["residual_unjudged"], row["residual_tail"]
        yield None if tail is None else f"{unjudged:.{digits}f} unjudged, {tail:.{digits}f} tail"


def per_query(scores: Scores, digits: int = 4) -> Grid:
    """One row per query and run, one column per measure."""
    wide = scores.by_query().sort("query", maintain_order=True)
    return Grid(wide.columns, wide.rows(), digits, empty="-")


def as_json(scores: Scores, *, by_query: bool = False) -> dict[str, Any]:
    """One object in the shape of every verb that scores."""
    return {
        "scores": scores.mean().to_dicts(),
        "per_query": scores.to_polars().to_dicts() if by_query else [],
        "input": {
            "convention": scores.convention,
            "judged_queries": len(scores.queries),
            "judgments": scores.judgments,
            "runs": [
                {
                    "run": run,
                    "documents": counts.documents,
                    "queries": counts.queries,
                    "judged": counts.judged,
                    "unjudged": counts.documents - counts.judged - counts.without_judgments,
                    "tied": counts.tied,
                    "missing": list(counts.missing),
                    "left_out": list(counts.left_out),
                }
                for run, counts in zip(scores.runs, scores.counts, strict=True)
            ],
            "notes": [{"kind": note.kind, "count": note.count, "text": note.text} for note in scores.notes],
        },
    }
