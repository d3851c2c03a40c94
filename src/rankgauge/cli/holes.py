"""`rankgauge holes`: which documents to judge first, and the new judgments into the old ones."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import rankgauge as rg
from rankgauge.cli import inputs, options, talk
from rankgauge.errors import Fault, InputError

if TYPE_CHECKING:
    import polars as pl


class Conflict(StrEnum):
    """What becomes of a document that has another grade already."""

    error = "error"
    keep = "keep"
    replaced = "replace"


Runs = Annotated[list[Path] | None, typer.Argument(help="Rankings; the others are compared with the first.")]
Depth = Annotated[int | None, typer.Option("-k", min=1, help="How deep to look; else the measure's cutoff, or 10.")]
Pool = Annotated[
    Path | None, typer.Option("-o", "--output", help="Write a pool for assessors: .csv, .jsonl or TREC .txt.")
]
OnConflict = Annotated[Conflict, typer.Option(help="With --merge: for another grade than before.")]


def holes(
    qrels: Annotated[Path, typer.Argument(help="Judgments: a file of any known format, or a BEIR folder.")],
    runs: Runs = None,
    measure: Annotated[str, typer.Option("-m", "--measure", help="What the judgments are to decide.")] = "nDCG",
    k: Depth = None,
    budget: Annotated[int | None, typer.Option(min=1, help="How many documents to list, at most.")] = None,
    output: Pool = None,
    corpus: options.Corpus = None,
    queries: options.Queries = None,
    merge: Annotated[Path | None, typer.Option(help="A judged pool, to be added to the judgments (needs -o).")] = None,
    source: Annotated[str, typer.Option(help="With --merge: where the new judgments come from.")] = "",
    on_conflict: OnConflict = Conflict.error,
    convention: options.ConventionName = "default",
    format: options.Output = options.Shape.table,
    digits: options.Digits = 4,
    on_duplicate: options.OnDuplicate = options.Duplicates.error,
    columns: options.Columns = None,
    qrels_format: options.QrelsFormat = None,
    run_format: options.RunFormat = None,
    measures_from: options.MeasuresFrom = None,
) -> None:
    """List the unjudged documents whose judgment can change a comparison most, and take the judgments back in.

    With --merge the judged pool is added to the judgments and written to -o, and beside it where each came from.

    Example: rankgauge holes qrels.txt keyword.run vector.run -k 10 --budget 20
    """
    reading = inputs.Reading(on_duplicate, columns, qrels_format, run_format)
    if merge is not None:
        _merge(reading, qrels, merge, output, source, on_conflict)
        return
    if not runs:
        raise typer.BadParameter("expected at least one run, or --merge", param_hint="RUNS")
    options.load_measures(measures_from)
    read = reading.qrels(qrels), reading.runs(runs)
    found = rg.holes(*read, measure=measure, k=k, budget=budget, convention=convention)
    talk.remark(found.notes)
    report = talk.late("rankgauge.report.holes")
    if output is None:
        typer.echo(report.render_holes(found, format=format.value, digits=digits), nl=False)
    else:
        _write(found, output, corpus, queries)
    talk.stderr().print(report.summary(found))


def _write(found: rg.Holes, output: Path, corpus: Path | None, queries: Path | None) -> None:
    if not len(found):
        talk.stderr().print(f"nothing is unjudged: {output} was not written")
        return
    pools = talk.late("rankgauge.formats.pools")
    pools.write_pool(found.table, output, texts=_texts(found.table, inputs.texts(corpus, queries)))
    talk.stderr().print(f"{len(found):,} documents -> {output}")


def _texts(table: pl.DataFrame, known: inputs.Texts) -> pl.DataFrame | None:
    """Texts beside each row, as far as files were named; what they lack is counted."""
    asked = {"query": known.queries, "doc": known.docs}
    columns = {
        f"{of} text": [texts.get(one, "") for one in table[of]] for of, texts in asked.items() if texts is not None
    }
    for name, column in columns.items():
        if empty := column.count(""):
            talk.stderr().print(f"note: {empty} rows have no {name} in the file", style="yellow")
    frame: pl.DataFrame | None = talk.late("polars").DataFrame(columns) if columns else None
    return frame


def _merge(
    reading: inputs.Reading, old: Path, pool: Path, output: Path | None, source: str, on_conflict: Conflict
) -> None:
    if output is None or not source:
        raise typer.BadParameter("expected -o FILE and --source WORD with it", param_hint="--merge")
    if output.resolve() == old.resolve():
        advice = "name another file: the old judgments stay as they are"
        raise InputError(Fault(str(output), "a new file for the merged judgments", "the old judgments' file", advice))
    beside = talk.late("rankgauge.formats.provenance")
    judged = rg.read_qrels(pool)
    merged = rg.merge_qrels(
        reading.qrels(old),
        judged,
        source=source,
        on_conflict=on_conflict.value,
        provenance=beside.read_provenance(old),
    )
    rg.write_qrels(merged.qrels, output)
    where = beside.write_provenance(merged.provenance, output)
    talk.remark([*judged.notes, *merged.notes])
    talk.stderr().print(f"{len(merged.qrels):,} judgments -> {output}, where they came from -> {where}")
