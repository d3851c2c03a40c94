"""`rankgauge gate`: may this change pass? For CI."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import rankgauge as rg
from rankgauge.cli import inputs, options, talk


def gate(
    qrels: Annotated[Path, typer.Argument(help="Judgments: a file of any known format, or a BEIR folder.")],
    baseline: Annotated[Path, typer.Argument(help="The ranking in production.")],
    run: Annotated[Path, typer.Argument(help="The ranking that wants to pass.")],
    measure: options.MeasureNames = ["nDCG@10"],  # noqa: B006  # typer copies it
    max_drop: Annotated[float, typer.Option(min=0, help="Largest drop of a measure that is allowed.")] = 0.01,
    max_unjudged: Annotated[
        float, typer.Option(min=0, max=1, help="Largest share of unjudged documents that is allowed.")
    ] = 0.05,
    alpha: options.Alpha = 0.05,
    summary: Annotated[Path | None, typer.Option(help="Append a Markdown summary to this file.")] = None,
    junit: Annotated[Path | None, typer.Option(help="Write JUnit XML to this file.")] = None,
    resamples: options.Resamples = 10_000,
    seed: options.Seed = 0,
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
    """Let a ranking pass, or not: exit 0 pass, 1 worse, 3 cannot tell, 2 misuse.

    Example: rankgauge gate qrels.second-round.txt keyword.run vector.run -m nDCG@10 --max-drop 0.01
    """
    options.load_measures(measures_from)
    how = options.convention_of(convention, level)
    chosen = talk.late("rankgauge.engines").as_measures(measure, how)  # a misspelt name should not wait
    reading = inputs.Reading(on_duplicate, columns, qrels_format, run_format, by_rank=how.order == "rank")
    judged, (base, new) = reading.qrels_for(qrels, chosen), reading.runs([baseline, run])
    found = rg.gate(
        judged, base, new, measure, max_drop=max_drop, max_unjudged=max_unjudged, alpha=alpha, convention=how,
        resamples=resamples, seed=seed,
    )  # fmt: skip
    talk.remark(found.comparison.scores.notes)
    _write(found, format.value, digits, summary, junit)
    raise typer.Exit(found.exit_code)


def _write(found: rg.Gate, format: str, digits: int, summary: Path | None, junit: Path | None) -> None:
    pages = talk.late("rankgauge.report.gate")
    typer.echo(pages.render_gate(found, format=format, digits=digits), nl=False)
    if summary is not None:
        with summary.open("a", encoding="utf-8") as file:
            file.write(pages.markdown(found, digits))
    if junit is not None:
        junit.write_text(pages.junit(found), encoding="utf-8")
