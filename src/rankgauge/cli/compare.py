"""`rankgauge compare`: which ranking is better, or that nobody can tell."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

import rankgauge as rg
from rankgauge.cli import inputs, options, talk

DEFAULT_MEASURES = ["nDCG@10"]
Margin = Annotated[float, typer.Option(min=0, help="Differences up to this size do not matter.")]


class TestName(StrEnum):
    """The paired test whose p decides."""

    randomization = "randomization"
    t = "t"
    wilcoxon = "wilcoxon"
    sign = "sign"
    bootstrap = "bootstrap"


class IntervalName(StrEnum):
    """How the interval of a mean difference is had."""

    t = "t"
    bca = "bca"
    percentile = "percentile"


class Correction(StrEnum):
    """How p values are corrected for the number of runs."""

    holm = "holm"
    bh = "bh"
    bonferroni = "bonferroni"
    none = "none"


def compare(
    qrels: Annotated[Path, typer.Argument(help="Judgments: a file of any known format, or a BEIR folder.")],
    runs: Annotated[list[Path], typer.Argument(help="The baseline, then one or more runs to compare with it.")],
    measure: options.MeasureNames = DEFAULT_MEASURES,
    baseline: Annotated[str | None, typer.Option(help="Name of the baseline, where it is not the first run.")] = None,
    report: Annotated[Path | None, typer.Option(help="Write one self-contained page with plots (.html).")] = None,
    margin: Margin = 0.01,
    alpha: options.Alpha = 0.05,
    test: Annotated[TestName, typer.Option(help="The paired test whose p decides.")] = TestName.randomization,
    interval: Annotated[IntervalName, typer.Option(help="Of the mean differences.")] = IntervalName.t,
    correction: Annotated[Correction, typer.Option(help="Of p for the number of runs.")] = Correction.holm,
    resamples: options.Resamples = 10_000,
    seed: options.Seed = 0,
    corpus: options.Corpus = None,
    queries: options.Queries = None,
    depth: Annotated[int, typer.Option(min=1, help="Results that your product shows, for the page.")] = 10,
    convention: options.ConventionName = "default",
    level: options.Level = None,
    format: options.Output = options.Shape.table,
    digits: options.Digits = 4,
    on_duplicate: options.OnDuplicate = options.Duplicates.error,
    columns: options.Columns = None,
    qrels_format: options.QrelsFormat = None,
    run_format: options.RunFormat = None,
    measures_from: options.MeasuresFrom = None,
) -> None:
    """Compare runs with a baseline: differences, intervals, tests, what is unjudged, and a verdict.

    Example: rankgauge compare qrels.txt keyword.run vector.run -m nDCG@10 -m 'RBP(p=0.8)' --report out.html
    """
    options.load_measures(measures_from)
    how = options.convention_of(convention, level)
    chosen = talk.late("rankgauge.engines").as_measures(measure, how)  # a misspelt name should not wait
    reading = inputs.Reading(on_duplicate, columns, qrels_format, run_format, by_rank=how.order == "rank")
    judged, read = reading.qrels_for(qrels, chosen), reading.runs(runs)
    with talk.working("comparing") as progress:
        found = rg.compare(
            judged, read, measure, baseline=baseline, convention=how, test=test.value, interval=interval.value,
            correction=correction.value, thresholds=rg.Thresholds(alpha=alpha, margin=margin),
            resamples=resamples, seed=seed, progress=progress,
        )  # fmt: skip
    _say(found, format.value, digits)
    if report is not None:
        _save_page(found, report, judged, read, inputs.texts(corpus, queries), depth)


def _say(found: rg.Comparison, format: str, digits: int) -> None:
    talk.remark(found.scores.notes)
    render = talk.late("rankgauge.report.comparison").render_comparison
    typer.echo(render(found, format=format, digits=digits), nl=False)


def _save_page(
    found: rg.Comparison, path: Path, qrels: rg.Qrels, runs: list[rg.Run], texts: inputs.Texts, depth: int
) -> None:
    save = talk.late("rankgauge.report.page").save_page
    save(found, path, qrels=qrels, runs=runs, texts=texts.docs, queries=texts.queries, product_depth=depth)
    talk.stderr().print(f"written: {path}")
