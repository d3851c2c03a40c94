"""`rankgauge classify`: scored labels as a classification."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from rankgauge.cli import options, talk


def classify(
    scored: Annotated[Path, typer.Argument(help="A table (CSV, TSV, JSONL, Parquet) with labels and scores.")],
    label: Annotated[str, typer.Option(help="Name of the column of labels.")] = "label",
    score: Annotated[str, typer.Option(help="Name of the column of scores, higher meaning more positive.")] = "score",
    positive: Annotated[str | None, typer.Option(help="The label that is positive, where it is not 1 or true.")] = None,
    threshold: Annotated[float, typer.Option(help="Scores from here on are called positive.")] = 0.5,
    plot: Annotated[Path | None, typer.Option(help="Draw ROC and PR curves to .svg, .png, .html or .json.")] = None,
    format: options.Output = options.Shape.table,
) -> None:
    """Measure scored labels: ROC-AUC, precision and recall, F1, the confusion at a threshold.

    Example: rankgauge classify scored.csv --threshold 0.5 --plot roc.svg
    """
    classification = talk.late("rankgauge.measures.classification")
    read = talk.late("rankgauge.formats.scored").read_scored(scored, label=label, score=score, positive=positive)
    result = classification.classify_scored(read, threshold=threshold)
    text = talk.late("rankgauge.report.classification").render_classification(result, format=format.value)
    typer.echo(text, nl=False)
    if plot is not None:
        chart = talk.late("rankgauge.report.curves").curves_chart(result)
        talk.late("rankgauge.report.charts").save_chart(chart, plot, title="ROC and precision-recall")
        talk.stderr().print(f"drawn: {plot}")
