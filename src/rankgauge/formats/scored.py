"""Files of scored labels: CSV, TSV, JSON lines and Parquet with one column of labels and one of scores."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import numpy as np
import polars as pl

from rankgauge.errors import SHOWN_FAULTS, EmptyInputError, Fault, FormatError, did_you_mean
from rankgauge.formats._bytes import load
from rankgauge.records.scored import ScoredLabels

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+", re.ASCII)
DELIMITERS = {",": "comma", "\t": "tab", ";": "semicolon"}


@dataclass
class _Columns:
    """The two columns as they are read, the line of each row, and the faults so far."""

    path: str
    names: tuple[str, str]  # label, score
    unit: str = ":"  # between path and line
    labels: list[Any] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    total: int = 0

    def add(self, line: int, label: Any, score: Any) -> None:
        self.labels.append(label)
        self.lines.append(line)
        number = _number(score)
        if number is None:
            self.fault(line, f"a finite score in {self.names[1]!r}", repr(score), _advice(score))
        self.scores.append(0.0 if number is None else number)

    def fault(self, line: int, expected: str, got: str, advice: str = "") -> None:
        self.total += 1
        if len(self.faults) < SHOWN_FAULTS:
            where = f"{self.path}{self.unit}{line}" if line else self.path
            self.faults.append(Fault(where, expected, got, advice))

    def missing(self, line: int, found: Sequence[str]) -> bool:
        """Note a fault for each of the two columns that is not found, or found twice."""
        before = self.total
        for option, name in zip(("label", "score"), self.names, strict=True):
            if found.count(name) != 1:
                got = "the columns " + ", ".join(map(repr, found))
                advice = f"name the column with {option}=" + did_you_mean(name, found)
                self.fault(line, f"one column {name!r}", got, advice)
        return self.total > before

    def at(self, _column: str, row: int) -> str:
        return f"{self.path}{self.unit}{self.lines[row]}"


def read_scored(
    path: str | PathLike[str], *, label: str = "label", score: str = "score", positive: Any = None
) -> ScoredLabels:
    """Read one label and one score per row from a file with named columns; gzip and zstd are recognised.

    Parameters
    ----------
    path : path of a CSV, TSV, JSON lines or Parquet file
        Recognised by its content: a header separated by commas, tabs or semicolons, lines that
        start with "{", or Parquet's own mark.
    label, score : str
        The columns' names; other columns are not looked at.
    positive : label, optional
        The label that counts as positive; without it labels are 0/1 or true/false. A row without a
        label is left out and counted.
    """
    content = load(path).data
    columns = _Columns(str(path), (label, score))
    if content.startswith(b"PAR1"):
        _read_parquet(content, columns)
    else:
        text = _text(content, str(path))
        if text.lstrip().startswith("{"):
            _read_json_lines(text, columns)
        else:
            _read_delimited(text, columns)
    if not columns.labels and not columns.faults:
        raise EmptyInputError(Fault(str(path), "rows with a label and a score", "none"))
    return ScoredLabels.checked(
        columns.labels,
        np.array(columns.scores, dtype=np.float64),
        positive=positive,
        at=columns.at,
        faults=columns.faults,
        total=columns.total,
    )


def _text(content: bytes, path: str) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        got = f"the byte 0x{content[error.start]:02x}"
        raise FormatError(Fault(f"{path}:{line}", "UTF-8 text", got, "save the file as UTF-8")) from None


def _number(value: Any) -> float | None:
    """Read a number as people write one: no 'nan', no '1_000', no '0,5'."""
    if isinstance(value, str):
        return float(value) if NUMBER.fullmatch(value := value.strip()) else None
    if value is None or isinstance(value, bool):
        return None
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None


def _advice(value: Any) -> str:
    text = str(value).strip()
    if DECIMAL_COMMA.fullmatch(text):
        return f"write a decimal point: {text.replace(',', '.')}"
    return "give every row a number as its score, or remove the row"


def _read_delimited(text: str, columns: _Columns) -> None:
    delimiter = _delimiter(text, columns.names)
    rows = _records(text, delimiter, columns)
    line, header = next(rows, (1, []))
    header = [name.strip() for name in header]
    if not header or columns.missing(line, header):
        return
    label, score = (header.index(name) for name in columns.names)
    for line, row in rows:
        if len(row) == len(header):
            columns.add(line, row[label], row[score])
        else:
            columns.fault(line, _fields(len(header)), str(len(row)), _width_advice(row, header, delimiter))


def _delimiter(text: str, names: tuple[str, str]) -> str:
    """Find the separator under which the header has both names; failing that, the most frequent one."""
    header = text.lstrip("\r\n").partition("\n")[0]
    for delimiter in DELIMITERS:
        cells = [cell.strip(' "\r') for cell in header.split(delimiter)]
        if all(name in cells for name in names):
            return delimiter
    return max(DELIMITERS, key=header.count)


def _records(text: str, delimiter: str, columns: _Columns) -> Iterator[tuple[int, list[str]]]:
    """Each record that is not blank, with the line it starts on; a quote out of place ends the reading."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for row in reader:
            if row:
                yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        columns.fault(line, "well-formed quoted fields", str(error), "write a quote inside a field twice")


def _fields(n: int) -> str:
    return f"{n} field" if n == 1 else f"{n} fields"


def _width_advice(row: list[str], header: list[str], delimiter: str) -> str:
    numbers = all(NUMBER.fullmatch(cell.strip()) for cell in row[-2:])
    if delimiter == "," and len(row) > len(header) and numbers:
        return "if that is a decimal comma, write a decimal point; quote a field that holds a comma"
    return f"quote a field that holds a {DELIMITERS[delimiter]}"


def _read_json_lines(text: str, columns: _Columns) -> None:
    for line, content in enumerate(text.split("\n"), start=1):
        if not content.strip():
            continue
        try:
            row = json.loads(content)
        except json.JSONDecodeError as error:
            columns.fault(line, "one JSON object", f"{error.msg} at column {error.colno}")
            continue
        if not isinstance(row, dict):
            columns.fault(line, "one JSON object", content.strip()[:40])
        elif not columns.missing(line, list(row)):
            columns.add(line, *(row[name] for name in columns.names))


def _read_parquet(content: bytes, columns: _Columns) -> None:
    columns.unit = ", row "
    try:
        found = pl.read_parquet_schema(io.BytesIO(content))
        if columns.missing(0, list(found)):
            return
        frame = pl.read_parquet(io.BytesIO(content), columns=list(columns.names))
    except (pl.exceptions.PolarsError, OSError) as error:
        raise FormatError(Fault(columns.path, "a whole Parquet file", str(error).splitlines()[0])) from error
    values: Iterable[tuple[Any, Any]] = frame.select(columns.names).iter_rows()
    for row, (label, score) in enumerate(values, start=1):
        columns.add(row, label, score)
