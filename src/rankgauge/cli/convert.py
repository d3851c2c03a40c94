"""`rankgauge convert`: the same judgments or the same run in another format."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from rankgauge.cli import options, talk
from rankgauge.formats import read_qrels, read_run, sniff, write_qrels, write_run


class Kind(StrEnum):
    """What a file holds."""

    auto = "auto"
    run = "run"
    qrels = "qrels"


def convert(
    source: Annotated[Path, typer.Argument(help="A run or judgments, in any known format.")],
    target: Annotated[Path, typer.Argument(help="The file to write; its suffix says the format.")],
    kind: Annotated[Kind, typer.Option(help="What the file holds, where its content does not tell.")] = Kind.auto,
    to: Annotated[str | None, typer.Option(help="Format to write, where the suffix does not tell.")] = None,
    columns: Annotated[str | None, typer.Option(help="Names of a table's columns: query=query_id,...")] = None,
    on_duplicate: Annotated[options.Duplicates, typer.Option(help="A document twice.")] = options.Duplicates.error,
) -> None:
    """Read a run or judgments in any known format and write them in another.

    Example: rankgauge convert keyword.run keyword.json
    """
    named = options.columns_of(columns)
    holds = sniff(source).kind if kind is Kind.auto else kind.value
    if holds == "qrels":
        qrels = read_qrels(source, columns=named, on_duplicate=on_duplicate.value)
        talk.remark(qrels.notes)
        write_qrels(qrels, target, format=to)
        talk.stderr().print(f"{len(qrels):,} judgments of {len(qrels.queries):,} queries -> {target}")
        return
    with talk.reading(source.name) as progress:
        run = read_run(source, columns=named, on_duplicate=on_duplicate.value, progress=progress)
    talk.remark(run.notes)
    write_run(run, target, format=to)
    talk.stderr().print(f"{len(run):,} documents of {len(run.queries):,} queries -> {target}")
