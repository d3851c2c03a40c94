"""`rankgauge evaluate`: score runs against judgments."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import rankgauge as rg
from rankgauge.cli import inputs, options, talk

DEFAULT_MEASURES = ["nDCG@10", "AP", "RR", "R@100", "Judged@10"]


def evaluate(
    qrels: Annotated[Path, typer.Argument(help="Judgments: a file of any known format, or a BEIR folder.")],
    runs: Annotated[list[Path], typer.Argument(help="One or more rankings, in any known format.")],
    measure: options.MeasureNames = DEFAULT_MEASURES,
    by_query: options.ByQuery = False,
    convention: options.ConventionName = "default",
    level: options.Level = None,
    ties: options.Ties = None,
    format: options.Output = options.Shape.table,
    digits: options.Digits = 4,
    on_duplicate: options.OnDuplicate = options.Duplicates.error,
    columns: options.Columns = None,
    qrels_format: options.QrelsFormat = None,
    run_format: options.RunFormat = None,
    measures_from: options.MeasuresFrom = None,
) -> None:
    """Score one or more runs against judgments, and say what is missing beside every value.

    Example: rankgauge evaluate qrels.txt bm25.run dense.run -m nDCG@10 -m 'RBP(p=0.8)' --by-query
    """
    options.load_measures(measures_from)
    how = options.convention_of(convention, level, ties)
    chosen = talk.late("rankgauge.engines").as_measures(measure, how)  # a misspelt name should not wait for a long read
    reading = inputs.Reading(on_duplicate, columns, qrels_format, run_format, by_rank=how.order == "rank")
    judged = reading.qrels_for(qrels, chosen)
    read = reading.runs(runs)
    scores = rg.evaluate(judged, read, measure, convention=how)
    talk.remark(scores.notes)
    report = talk.late("rankgauge.report.scores")
    typer.echo(report.render_scores(scores, format=format.value, by_query=by_query, digits=digits), nl=False)
