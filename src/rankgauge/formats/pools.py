"""Pools: documents for assessors to judge, with texts where they are given, and with a place for the grade."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from rankgauge.errors import Fault, FormatError, InputError
from rankgauge.formats import trec
from rankgauge.formats._bytes import GZIP, ZSTD, load, save
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


def read_texts(path: Path, ids: pl.Series, *, of: str) -> pl.DataFrame:
    """Look up texts in a BEIR file of JSON lines with `_id`, `text` and perhaps `title`.

    Returns a row for each id: "<of> title" where any has a title, and "<of> text"; empty for an id without a text.

    Raises
    ------
    FormatError
        For a line that is no such object.
    """
    wanted, found = set(ids), {}
    for number, line in _lines(path):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
            name = str(entry["_id"])
            if name in wanted:
                found[name] = (str(entry.get("title") or ""), str(entry.get("text") or ""))
        except (ValueError, KeyError, TypeError, AttributeError):
            fault = Fault(f"{path}:{number}", 'an object with "_id" and "text"', repr(line[:60])[1:])
            raise FormatError(fault) from None
    titles, texts = zip(*[found.get(name, ("", "")) for name in ids], strict=True) if len(ids) else ((), ())
    columns = {f"{of} title": titles} if any(titles) else {}
    return pl.DataFrame(columns | {f"{of} text": texts}, schema_overrides={f"{of} text": pl.String})


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Lines of a file, one after the other: a corpus may be larger than memory, unless it is packed as .zst."""
    with path.open("rb") as file:
        mark = file.read(4)
    if mark == ZSTD:
        yield from load(path).lines()
    elif mark.startswith(GZIP):
        with gzip.open(path, "rb") as packed:
            yield from enumerate(packed, 1)
    else:
        with path.open("rb") as file:
            yield from enumerate(file, 1)
