"""A classification in words: table, JSON, CSV, Markdown and LaTeX."""

from __future__ import annotations

import json
from typing import Any

from rankgauge.errors import ParameterError, did_you_mean
from rankgauge.measures.classification import Classification
from rankgauge.report.grid import FORMATS, Format, Grid

Row = tuple[str, float | None, float | None]  # measure, value, threshold

UNDEFINED = "undefined"


def render_classification(result: Classification, *, format: Format = "table") -> str:
    """Write the measures, the confusion and the notes as text that ends with a line break.

    `format` is "table", "json", "csv", "markdown" or "latex". JSON and CSV carry every digit, the
    others four; an undefined value is null in JSON and empty in CSV. CSV holds the measures only.
    """
    match format:
        case "table" | "markdown":
            return _read(result, format)
        case "json":
            return json.dumps(as_json(result), ensure_ascii=False, indent=2) + "\n"
        case "csv":
            return _csv(result)
        case "latex":
            return _measures(result).latex()
    known = ", ".join(FORMATS)
    raise ParameterError(f"format: expected one of {known}, got {format!r}{did_you_mean(format, FORMATS)}")


def measure_rows(result: Classification) -> list[Row]:
    """All values: first those over all thresholds, then those at the threshold in use."""
    best, c = result.best_f1, result.confusion
    overall = {
        "ROC-AUC": result.roc_auc,
        "AP": result.average_precision,
        "PR-AUC(trapezoidal)": result.pr_auc,
        "Brier": result.brier,
    }
    decided = {
        "Accuracy": c.accuracy,
        "Balanced accuracy": c.balanced_accuracy,
        "Precision": c.precision,
        "Recall": c.recall,
        "FPR": c.fpr,
        "Specificity": c.specificity,
        "F1": c.f1,
        "MCC": c.mcc,
    }
    rows: list[Row] = [(name, value, None) for name, value in overall.items()]
    rows += [(name, value, result.threshold) for name, value in decided.items()]
    rows.append(("Best F1", best.value if best else None, best.threshold if best else None))
    return rows


def as_json(result: Classification) -> dict[str, Any]:
    """One object in the shape of every verb that scores."""
    c = result.confusion
    return {
        "scores": [
            {"measure": name, "value": value, "threshold": threshold} for name, value, threshold in measure_rows(result)
        ],
        "per_query": [],
        "confusion": {"threshold": result.threshold, "tp": c.tp, "fp": c.fp, "tn": c.tn, "fn": c.fn},
        "input": {
            "n": result.n,
            "positives": result.positives,
            "negatives": result.negatives,
            "dropped": result.dropped,
        },
        "notes": [{"kind": note.kind, "count": note.count, "text": note.text} for note in result.notes],
    }


def _counted(result: Classification) -> str:
    prevalence = f"prevalence {result.prevalence:.4f}"
    return f"{result.n:,} items: {result.positives:,} positive, {result.negatives:,} negative ({prevalence})\n"


def _measures(result: Classification) -> Grid:
    rows = [
        (name, value, None if threshold is None else f"{threshold:.6g}")
        for name, value, threshold in measure_rows(result)
    ]
    filled = [(name, UNDEFINED if value is None else value, at) for name, value, at in rows]
    return Grid(("measure", "value", "at threshold"), filled)


def _confusion(result: Classification) -> Grid:
    c = result.confusion
    rows = [("is positive", c.tp, c.fn), ("is negative", c.fp, c.tn)]
    return Grid((f"score >= {result.threshold:g}", "called positive", "called negative"), rows)


def _read(result: Classification, format: Format) -> str:
    """For people: the counts, the measures, the confusion and the notes."""
    parts = [_counted(result), _measures(result).render(format), _confusion(result).render(format)]
    mark, gap = ("- ", "\n") if format == "markdown" else ("note: ", "")
    return gap.join([*parts, "".join(f"{mark}{note.text}\n" for note in result.notes)])


def _csv(result: Classification) -> str:
    return Grid(("measure", "value", "threshold"), measure_rows(result)).csv()
