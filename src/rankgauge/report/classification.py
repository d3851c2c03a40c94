"""A classification in words: table, JSON, CSV, Markdown and LaTeX."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from rankgauge.errors import ParameterError, did_you_mean
from rankgauge.measures.classification import Classification

Row = tuple[str, float | None, float | None]  # measure, value, threshold

FORMATS = ("table", "json", "csv", "markdown", "latex")
UNDEFINED = "undefined"
WIDTH = 100


def render_classification(result: Classification, *, format: str = "table") -> str:
    """Write the measures, the confusion and the notes as text that ends with a line break.

    `format` is "table", "json", "csv", "markdown" or "latex". JSON and CSV carry every digit, the
    others four; an undefined value is null in JSON and empty in CSV. CSV holds the measures only.
    """
    match format:
        case "table":
            return _table(result)
        case "json":
            return json.dumps(as_json(result), ensure_ascii=False, indent=2) + "\n"
        case "csv":
            return _csv(result)
        case "markdown":
            return _markdown(result)
        case "latex":
            return _latex(result)
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
            {"measure": name, "value": value, "threshold": threshold}
            for name, value, threshold in measure_rows(result)
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


def _cells(row: Row) -> tuple[str, str, str]:
    name, value, threshold = row
    shown = UNDEFINED if value is None else f"{value:.4f}"
    return name, shown, "" if threshold is None else f"{threshold:.6g}"


def _counted(result: Classification) -> str:
    prevalence = f"prevalence {result.prevalence:.4f}"
    return f"{result.n:,} items: {result.positives:,} positive, {result.negatives:,} negative ({prevalence})"


def _table(result: Classification) -> str:
    c = result.confusion
    measures = Table(box=box.SIMPLE_HEAD)
    measures.add_column("measure")
    measures.add_column("value", justify="right")
    measures.add_column("at threshold", justify="right")
    for row in measure_rows(result):
        measures.add_row(*_cells(row))
    confusion = Table(box=box.SIMPLE_HEAD)
    confusion.add_column("")
    confusion.add_column("called positive", justify="right")
    confusion.add_column("called negative", justify="right")
    confusion.add_row("is positive", f"{c.tp:,} (TP)", f"{c.fn:,} (FN)")
    confusion.add_row("is negative", f"{c.fp:,} (FP)", f"{c.tn:,} (TN)")
    parts = [
        f"{_counted(result)}\n",
        _printed(measures),
        f"Called positive: score >= {result.threshold:g}\n",
        _printed(confusion),
        *(f"note: {note.text}\n" for note in result.notes),
    ]
    return "".join(parts)


def _printed(table: Table) -> str:
    """Plain text: no colour, no trailing blanks."""
    console = Console(file=io.StringIO(), width=WIDTH, color_system=None, legacy_windows=False)
    with console.capture() as captured:
        console.print(table, highlight=False)
    return "".join(line.rstrip() + "\n" for line in captured.get().splitlines())


def _csv(result: Classification) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["measure", "value", "threshold"])
    writer.writerows(measure_rows(result))
    return out.getvalue()


def _markdown(result: Classification) -> str:
    c = result.confusion
    lines = [_counted(result), "", "| measure | value | at threshold |", "|---|--:|--:|"]
    lines += [f"| {name} | {value} | {at} |" for name, value, at in map(_cells, measure_rows(result))]
    lines += ["", f"| score ≥ {result.threshold:g} | called positive | called negative |", "|---|--:|--:|"]
    lines += [f"| is positive | {c.tp:,} | {c.fn:,} |", f"| is negative | {c.fp:,} | {c.tn:,} |"]
    if result.notes:
        lines += ["", *(f"- {note.text}" for note in result.notes)]
    return "\n".join(lines) + "\n"


def _latex(result: Classification) -> str:
    lines = [r"\begin{tabular}{lrr}", r"\hline", r"measure & value & at threshold \\", r"\hline"]
    lines += [rf"{name} & {value} & {at} \\" for name, value, at in map(_cells, measure_rows(result))]
    return "\n".join([*lines, r"\hline", r"\end{tabular}"]) + "\n"
