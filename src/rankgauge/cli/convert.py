"""`rankgauge convert`: the same judgments or the same run in another format."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

import rankgauge as rg
from rankgauge.cli import options, talk
from rankgauge.errors import FormatError

NAMELESS = ("json", "ranx")
"""Formats whose numbers have no name that tells a score from a grade."""

SMALLEST_GRADE, LARGEST_GRADE = -2, 16


class Kind(StrEnum):
    """What a file holds."""

    auto = "auto"
    run = "run"
    qrels = "qrels"


def convert(
    source: Annotated[Path, typer.Argument(help="A run or judgments, in any known format.")],
    target: Annotated[Path, typer.Argument(help="The file to write; its suffix says the format.")],
    kind: Annotated[Kind, typer.Option(help="What the file holds, where its content does not tell.")] = Kind.auto,
    to: Annotated[
        str | None, typer.Option(help="Format to write, where the suffix does not tell: letor, quepid, rre, ...")
    ] = None,
    from_: Annotated[
        str | None, typer.Option("--from", help="Format of the source, where its content does not tell.")
    ] = None,
    columns: options.Columns = None,
    on_duplicate: options.OnDuplicate = options.Duplicates.error,
) -> None:
    """Read a run or judgments in any known format and write them in another.

    Example: rankgauge convert keyword.run keyword.json
    """
    named = options.columns_of(columns)
    read_as = partial(_read_as, source=source, columns=named, repeated=on_duplicate, format=from_)
    found = _told_apart(source, from_, read_as) if kind is Kind.auto else read_as(kind)
    talk.remark(found.notes)
    if isinstance(found, rg.Qrels):
        rg.write_qrels(found, target, format=to)
        talk.stderr().print(f"{len(found):,} judgments of {len(found.queries):,} queries -> {target}")
    else:
        rg.write_run(found, target, format=to)
        talk.stderr().print(f"{len(found):,} documents of {len(found.queries):,} queries -> {target}")


def _told_apart(source: Path, format: str | None, read_as: Callable[[Kind], rg.Qrels | rg.Run]) -> rg.Qrels | rg.Run:
    """Read what the file holds; where its content allows both, its name decides: a "qrel" in it is judgments."""
    formats = talk.late("rankgauge.formats")
    format = format or formats.sniff(source).format
    able: tuple[str, ...] = formats.FORMATS[format].reads if format in formats.FORMATS else ()
    if len(able) == 1:
        return read_as(Kind(able[0]))
    first, other = (Kind.qrels, Kind.run) if "qrel" in source.name.lower() else (Kind.run, Kind.qrels)
    try:
        found = read_as(first)
    except FormatError:
        try:
            return read_as(other)
        except FormatError:
            pass
        raise
    if isinstance(found, rg.Run) and format in NAMELESS and _like_grades(found):
        talk.stderr().print("note: small whole numbers: read as judgments; pass --kind run if they are scores")
        return read_as(Kind.qrels)
    return found


def _like_grades(run: rg.Run) -> bool:
    small = (run.scores >= SMALLEST_GRADE) & (run.scores <= LARGEST_GRADE)
    return bool((small & (run.scores % 1 == 0)).all())


def _read_as(
    kind: Kind, *, source: Path, columns: dict[str, str] | None, repeated: options.Duplicates, format: str | None
) -> rg.Qrels | rg.Run:
    if kind is Kind.qrels:
        return rg.read_qrels(source, columns=columns, on_duplicate=repeated.value, format=format)
    with talk.reading(source.name) as progress:
        return rg.read_run(source, columns=columns, on_duplicate=repeated.value, format=format, progress=progress)
