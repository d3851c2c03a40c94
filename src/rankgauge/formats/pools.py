"""Pools: documents for assessors to judge, with texts where they are given, and with a place for the grade."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from rankgauge.errors import Fault, InputError
from rankgauge.formats import trec
from rankgauge.formats._bytes import save
from rankgauge.formats._registry import for_writing
from rankgauge.records import Qrels

UNJUDGED = -1
"""What a TREC file of judgments says of a document that is in the pool and not judged."""


def write_pool(
    table: pl.DataFrame, path: Path, *, texts: pl.DataFrame | None = None, format: str | None = None
) -> None:
    """Write documents to judge; the suffix chooses CSV, JSON lines or TREC, .gz and .zst compress.

    CSV and JSON lines have an empty `grade`, which is read back as unjudged until somebody fills it in, and all
    columns of the table. TREC has the grade -1, "in the pool, not judged", and nothing but query and document.

    Parameters
    ----------
    table : query, doc and any other columns
    texts : columns to put beside the documents, a row for each row of the table

    Raises
    ------
    InputError
        For another format, and for ids that the format cannot hold.
    """
    chosen = for_writing(path, format, "qrels").name
    blank = table.select("query", "doc", grade=pl.lit(None, dtype=pl.Float64))
    shown = [] if texts is None else [texts]
    whole = pl.concat([blank, *shown, table.drop("query", "doc")], how="horizontal")
    if chosen == "csv":
        _check_blanks(table, path)
        save(path, [whole.write_csv().encode()])
    elif chosen == "jsonl":
        save(path, _json_lines(whole))
    elif chosen == "trec":
        grade = pl.Series([UNJUDGED] * len(table))
        save(path, trec.qrels_lines(Qrels.from_columns(table["query"], table["doc"], grade)))
    else:
        raise InputError(Fault(str(path), "a pool as .csv, .jsonl or TREC .txt", f"the format {chosen!r}"))


def _json_lines(table: pl.DataFrame) -> Iterator[bytes]:
    for row in table.iter_rows(named=True):
        yield (json.dumps(row, ensure_ascii=False) + "\n").encode()


def _check_blanks(table: pl.DataFrame, path: Path) -> None:
    for name in ("query", "doc"):
        bad = table[name].filter(table[name].str.contains("^[ \\t\ufeff]|[ \\t]$"))
        if len(bad):
            advice = "write .jsonl, which holds any id"
            raise InputError(Fault(str(path), f"{name} ids without blanks at the ends", repr(bad[0]), advice))
