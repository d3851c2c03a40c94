"""Rows of a file of answers, whatever it is stored as: each an object of named fields, with its place."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import polars as pl

from rankgauge.errors import EmptyInputError, Fault, FormatError
from rankgauge.formats._bytes import Source
from rankgauge.formats._delimited import separator_of
from rankgauge.formats._detect import detect
from rankgauge.formats._lines import not_utf8
from rankgauge.formats._rows import Faults
from rankgauge.formats.nested import kind_of, parsed, unique_keys

T = TypeVar("T")

LISTS = ("results", "testCases", "test_cases", "goldens", "traces", "runs", "spans", "data", "answers")
"""Keys under which tools keep their rows."""


@dataclass(frozen=True)
class Row:
    """One object of a file: where it stands, and its fields.

    Attributes
    ----------
    typed : whether values have types, as in JSON; in a text table everything is text
    """

    where: str
    fields: Mapping[str, Any]
    typed: bool = True

    def fault(self, expected: str, got: str, advice: str = "") -> FormatError:
        """Say what is wrong with this row."""
        return FormatError(Fault(self.where, expected, got, advice))


def collected(rows: Sequence[Row], read: Callable[[int, Row], T]) -> list[T]:
    """Read each row, called with its number from 1; all that is wrong with any is raised together."""
    faults, found = Faults(), []
    for number, row in enumerate(rows, 1):
        try:
            found.append(read(number, row))
        except FormatError as error:
            faults.take(error.faults, error.total)
    faults.check()
    return found


def rows_of(source: Source) -> list[Row]:
    """Read all rows of JSON, JSON lines, CSV, TSV, Parquet or Arrow; the content says which.

    Raises
    ------
    FormatError
        With all lines that are no objects.
    EmptyInputError
        For a file without rows.
    """
    if not source.data.strip():
        raise EmptyInputError(Fault(source.label, "at least one answer", "an empty file", "check what wrote it"))
    kind = detect(source, named=True)
    if kind in ("parquet", "arrow"):
        found = _of_frame(source, kind)
    elif kind in ("json", "jsonl"):
        found = list(_of_lines(source)) if kind == "jsonl" else _of_json(source, parsed(source))
    elif kind == "ranx":
        raise FormatError(Fault(source.label, "answers as JSON, CSV or Parquet", "other binary content"))
    else:
        found = list(_of_table(source))
    if not found:
        raise EmptyInputError(Fault(source.label, "at least one answer", "none", "check what wrote it"))
    return found


def _of_json(source: Source, content: Any) -> list[Row]:
    where = source.label
    if isinstance(content, dict):
        key = next((key for key in LISTS if isinstance(content.get(key), list)), None)
        if key is None:
            return [Row(where, content)]
        content, where = content[key], f"{where}, {key}"
    if not isinstance(content, list):
        raise FormatError(Fault(where, "a list of objects", kind_of(content)))
    return [_row(f"{where}, item {number}", item) for number, item in enumerate(content, 1)]


def _row(where: str, item: Any) -> Row:
    if not isinstance(item, dict):
        raise FormatError(Fault(where, "an object", kind_of(item)))
    return Row(where, item)


def _of_lines(source: Source) -> Iterator[Row]:
    faults = Faults()
    for number, line in source.lines():
        if not line.strip():
            continue
        where = source.at(number)
        try:
            yield _row(where, json.loads(line.decode(), object_pairs_hook=unique_keys(where)))
        except UnicodeDecodeError:
            not_utf8(source, number, line, faults)
        except json.JSONDecodeError as error:
            got = f"{error.msg} at column {error.colno} of {line[:60].decode(errors='replace')!r}"
            faults.add(where, "a JSON object", got, "mend or remove the line")
        except FormatError as error:
            faults.take(error.faults, error.total)
    faults.check()


def _of_table(source: Source) -> Iterator[Row]:
    try:
        text = source.data.decode()
    except UnicodeDecodeError:
        faults = Faults()
        for number, line in source.lines():
            not_utf8(source, number, line, faults)
        raise FormatError(faults.kept, total=faults.total) from None
    csv.field_size_limit(sys.maxsize)
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=separator_of(text.lstrip().partition("\n")[0]))
    names: list[str] | None = None
    before = 0
    for cells in lines:
        where, before = source.at(before + 1), lines.line_num
        if not cells:
            continue
        if names is None:
            names = [name.strip() for name in cells]
        elif len(cells) != len(names):
            got = f"{len(cells)}: {str(cells)[:80]}"
            raise FormatError(Fault(where, f"{len(names)} cells, as the header has", got, "quote cells with commas"))
        else:
            yield Row(where, dict(zip(names, cells, strict=True)), typed=False)


def _of_frame(source: Source, kind: str) -> list[Row]:
    read = pl.read_parquet if kind == "parquet" else pl.read_ipc
    if kind == "arrow" and not source.data.startswith(b"ARROW1"):
        read = pl.read_ipc_stream
    try:
        frame = read(io.BytesIO(source.data))
    except (pl.exceptions.PolarsError, OSError, EOFError) as error:
        said = str(error).splitlines()[0][:120]
        raise FormatError(Fault(source.label, f"a whole {kind} file", f"broken content ({said})")) from None
    return [Row(f"{source.label}, row {number}", row) for number, row in enumerate(frame.iter_rows(named=True), 1)]
