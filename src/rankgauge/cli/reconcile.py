"""`rankgauge reconcile`: which conventions give a reported number, and where two tools part."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import rankgauge as rg
from rankgauge.cli import inputs, options, talk
from rankgauge.errors import FormatError

CANNOT_TELL = 3


def reconcile(
    qrels: Annotated[Path, typer.Argument(help="Judgments: a file of any known format, or a BEIR folder.")],
    run: Annotated[Path, typer.Argument(help="One ranking, in any known format.")],
    measure: Annotated[str, typer.Option("-m", "--measure", help="The measure; what is written in it stays fixed.")],
    reported: Annotated[
        str | None, typer.Option(help="The number as printed, with all its digits: 0.4320, 43.2%.")
    ] = None,
    between: Annotated[
        tuple[str, str] | None, typer.Option(help="Two tools whose values are compared choice by choice.")
    ] = None,
    changes: Annotated[int, typer.Option(min=0, help="Choices that may differ from a tool's, at most.")] = 3,
    format: options.Output = options.Shape.table,
    digits: options.Digits = 6,
    on_duplicate: options.OnDuplicate = options.Duplicates.error,
    columns: options.Columns = None,
    qrels_format: options.QrelsFormat = None,
    run_format: options.RunFormat = None,
    measures_from: options.MeasuresFrom = None,
) -> None:
    """Find the conventions that give a reported number, or say why two tools differ on this data.

    Exits with 0 where some combination gives the number, with 3 where none does or chance would do as much.

    Example: rankgauge reconcile qrels.txt keyword.run -m nDCG@10 --reported 0.8528
    """
    if (reported is None) == (between is None):
        raise typer.BadParameter("expected a number or two tools", param_hint="--reported or --between")
    options.load_measures(measures_from)
    asked = rg.parse(measure)
    readings = [inputs.Reading(on_duplicate, columns, qrels_format, run_format, by_rank=r) for r in (False, True)]
    judged = readings[0].qrels_for(qrels, [asked])
    (read,) = readings[0].runs([run])
    by_rank = _by_rank(readings[1], run)
    talk.remark([*judged.notes, *read.notes])
    report = talk.late("rankgauge.report.reconciliation")
    if between is not None:
        said = rg.explain_difference(judged, read, *between, measure=asked, by_rank=by_rank)
        typer.echo(report.render_difference(said, format=format.value, digits=digits), nl=False)
        return
    with talk.counting("trying combinations") as advance:
        given = {"measure": asked, "reported": reported, "changes": changes}
        found = rg.reconcile(judged, read, by_rank=by_rank, progress=advance, **given)  # type: ignore[arg-type]
    typer.echo(report.render_reconciliation(found, format=format.value, digits=digits), nl=False)
    if not found.telling:
        raise typer.Exit(CANNOT_TELL)


def _by_rank(reading: inputs.Reading, path: Path) -> rg.Run | None:
    """The run by its rank column, where there is one that can be followed."""
    try:
        return reading.runs([path])[0]
    except FormatError as error:
        talk.stderr().print(f"note: the rank column is not tried: {error.faults[0]}", style="yellow")
        return None
