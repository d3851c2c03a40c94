"""`rankgauge evaluate`: score runs against judgments."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

import rankgauge as rg
from rankgauge.cli import options, talk

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
    how: rg.Convention = talk.late("rankgauge.conventions").convention(convention)
    how = how.but(level=level, ties=None if ties is None else ties.value)
    chosen = talk.late("rankgauge.engines").as_measures(measure, how)  # a misspelt name should not wait for a long read
    diverse = any(m.declared.subtopics for m in chosen)
    named = options.columns_of(columns)
    judged = rg.read_qrels(
        qrels,
        on_duplicate=on_duplicate.value,
        columns=_known(named, "score"),
        subtopics=True if diverse else None,
        format=qrels_format,
    )
    read_one = partial(_read_run, on_duplicate=on_duplicate, columns=named, format=run_format, how=how)
    read = [read_one(path, name) for path, name in zip(runs, names(runs), strict=True)]
    scores = rg.evaluate(judged, read, measure, convention=how)
    talk.remark(scores.notes)
    report = talk.late("rankgauge.report.scores")
    typer.echo(report.render_scores(scores, format=format.value, by_query=by_query, digits=digits), nl=False)


def names(paths: list[Path]) -> list[str]:
    """Name runs by their files, without suffixes where that still tells them apart.

    >>> names([Path("a/bm25.run.gz"), Path("a/dense.run")])
    ['bm25', 'dense']
    >>> names([Path("old/bm25.run"), Path("new/bm25.run")])
    ['old/bm25.run', 'new/bm25.run']
    """
    short = [path.name.split(".")[0] or path.name for path in paths]
    for candidate in (short, [path.name for path in paths]):
        if len(set(candidate)) == len(paths):
            return candidate
    return [str(path) for path in paths]


def _read_run(
    path: Path,
    name: str,
    *,
    on_duplicate: options.Duplicates,
    columns: dict[str, str] | None,
    format: str | None,
    how: rg.Convention,
) -> rg.Run:
    with talk.reading(path.name) as progress:
        return rg.read_run(
            path,
            name=name,
            on_duplicate=on_duplicate.value,
            columns=_known(columns, "grade"),
            format=format,
            order="rank" if how.order == "rank" else "score",
            progress=progress,
        )


def _known(columns: dict[str, str] | None, other: str) -> dict[str, str] | None:
    """Leave out the one name that only the other kind of file has."""
    return None if columns is None else {name: column for name, column in columns.items() if name != other}
