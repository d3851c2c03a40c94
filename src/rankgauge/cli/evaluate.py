"""`rankgauge evaluate`: score runs against judgments, and logs that carry their judgments."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer

import rankgauge as rg
from rankgauge.cli import inputs, options, scale, talk

DEFAULT_MEASURES = ["nDCG@10", "AP", "RR", "R@100", "Judged@10"]


def evaluate(
    sources: scale.Sources,
    measure: options.MeasureNames = DEFAULT_MEASURES,
    by_query: options.ByQuery = False,
    convention: options.ConventionName = "default",
    level: options.Level = None,
    ties: options.Ties = None,
    queries: scale.Queries = None,
    format: options.Output = options.Shape.table,
    digits: options.Digits = 4,
    on_duplicate: options.OnDuplicate = options.Duplicates.error,
    columns: options.Columns = None,
    qrels: scale.QrelsFile = None,
    qrels_format: options.QrelsFormat = None,
    run_format: options.RunFormat = None,
    measures_from: options.MeasuresFrom = None,
    engine: scale.EngineName = scale.Engine.auto,
    out: scale.Out = None,
    by: scale.By = None,
    trust_ranks: scale.TrustRanks = False,
    memory: scale.Memory = "2GB",
    spill: scale.SpillFolder = None,
    master: scale.Master = None,
) -> None:
    """Score runs against judgments, or logs that carry them, and say what is missing beside every value.

    Example: rankgauge evaluate qrels.txt bm25.run dense.run -m nDCG@10 -m 'RBP(p=0.8)' --by-query
    """
    options.load_measures(measures_from)
    how = options.convention_of(convention, level, ties).but(queries=queries and queries.value)
    reading = inputs.Reading(on_duplicate, columns, qrels_format, run_format, by_rank=how.order == "rank")
    talk.late("rankgauge.engines").as_measures(measure, how)  # a misspelt name should not wait for a long read
    given = scale.Given(tuple(sources), qrels, engine, out)
    if given.is_small:
        _in_memory(given.sources, measure, how, reading, format, by_query, digits)
    else:
        scale.refuse_by_query(by_query)
        room = scale.Room(out, memory, spill, master)
        scale.answer(given.engine, scale.request(given, measure, how, reading, by, trust_ranks, room), format, digits)


def _in_memory(
    sources: Sequence[str],
    measures: list[str],
    how: rg.Convention,
    reading: inputs.Reading,
    format: options.Shape,
    by_query: bool,
    digits: int,
) -> None:
    judgments, *runs = map(Path, sources)
    judged = reading.qrels_for(judgments, talk.late("rankgauge.engines").as_measures(measures, how))
    scores = rg.evaluate(judged, reading.runs(runs), measures, convention=how)
    talk.remark(scores.notes)
    report = talk.late("rankgauge.report.scores")
    typer.echo(report.render_scores(scores, format=format.value, by_query=by_query, digits=digits), nl=False)
