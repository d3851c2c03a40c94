"""`rankgauge doctor`: is this golden set fit to decide anything?"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

import rankgauge as rg
from rankgauge.cli import inputs, options, talk
from rankgauge.errors import ParameterError, did_you_mean

DEFAULT_MEASURES = ["nDCG@10", "AP", "RR", "R@100"]


def doctor(
    qrels: Annotated[Path, typer.Argument(help="Judgments: a file of any known format, or a BEIR folder.")],
    runs: Annotated[list[Path] | None, typer.Argument(help="Rankings; some checks need one, some two.")] = None,
    measure: options.MeasureNames = DEFAULT_MEASURES,
    queries: options.Queries = None,
    corpus: options.Corpus = None,
    level: options.Level = None,
    limit: Annotated[list[str] | None, typer.Option(help="Another threshold, as few_queries=50.")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit 1 for warnings too.")] = False,
    format: options.Output = options.Shape.table,
    columns: options.Columns = None,
    qrels_format: options.QrelsFormat = None,
    run_format: options.RunFormat = None,
    measures_from: options.MeasuresFrom = None,
) -> None:
    """Look for what is wrong or weak in judgments and runs, and say what to do; exit 1 where an error is found.

    Example: rankgauge doctor qrels.second-round.txt keyword.run vector.run --queries queries.jsonl
    """
    options.load_measures(measures_from)
    how = options.convention_of("default")
    talk.late("rankgauge.engines").as_measures(measure, how)  # a misspelt name should not wait for a long read
    limits = _limits(limit or [], level)
    reading = inputs.Reading(options.Duplicates.first, columns, qrels_format, run_format)
    texts = inputs.texts(corpus, queries)
    checkup = rg.doctor(
        reading.qrels(qrels),
        reading.runs(runs or []),
        measures=measure,
        queries=texts.queries,
        texts=texts.docs,
        limits=limits,
    )
    if format not in (options.Shape.table, options.Shape.json):  # these hold the notes
        talk.remark(checkup.notes)
    typer.echo(talk.late("rankgauge.report.checkup").render_checkup(checkup, format=format.value), nl=False)
    if not checkup.fit(strict=strict):
        raise typer.Exit(1)


def _limits(texts: list[str], level: float | None) -> rg.CheckupLimits:
    """Read NAME=VALUE pairs over the default thresholds."""
    known = rg.CheckupLimits() if level is None else rg.CheckupLimits(level=level)
    names = list(vars(known))
    for text in texts:
        name, _, value = text.partition("=")
        if name not in names:
            raise ParameterError(f"no threshold named {name!r}{did_you_mean(name, names)} (known: {', '.join(names)})")
        try:
            changed: dict[str, Any] = {name: float(value)}
        except ValueError:
            raise ParameterError(f"--limit {name}: expected a number, got {value!r}") from None
        known = replace(known, **changed)
    return known
