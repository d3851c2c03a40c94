"""Provenance: beside a file of judgments, where each of them came from and what it replaced."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from rankgauge.errors import Fault, FormatError
from rankgauge.formats._bytes import load, save

COLUMNS = {"query": pl.String, "doc": pl.String, "grade": pl.Float64, "source": pl.String, "replaced": pl.Float64}


def provenance_file(qrels: Path) -> Path:
    """Where the provenance of a file of judgments lies.

    >>> provenance_file(Path("qrels.txt")).name
    'qrels.txt.provenance.csv'
    """
    return qrels.with_name(qrels.name + ".provenance.csv")


def write_provenance(table: pl.DataFrame, qrels: Path) -> Path:
    """Write the provenance beside the judgments: query, doc, grade, source, replaced; returns where."""
    path = provenance_file(qrels)
    save(path, [table.select(list(COLUMNS)).write_csv().encode()])
    return path


def read_provenance(qrels: Path) -> pl.DataFrame | None:
    """Read what lies beside a file of judgments; None where nothing does.

    Raises
    ------
    FormatError
        For a file that is not a table of these columns.
    """
    path = provenance_file(qrels)
    if not path.exists():
        return None
    expected = f"columns {', '.join(COLUMNS)}"
    try:
        table = pl.read_csv(load(path).data, schema_overrides=COLUMNS)
    except pl.exceptions.PolarsError as error:
        raise FormatError(Fault(str(path), expected, str(error).splitlines()[0][:120])) from None
    if lacking := [name for name in COLUMNS if name not in table.columns]:
        raise FormatError(Fault(str(path), expected, f"no {', '.join(lacking)}"))
    return table.select(list(COLUMNS))
