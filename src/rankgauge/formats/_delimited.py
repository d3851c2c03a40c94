"""Tables as text, one line a row, with a header line: CSV and TSV, all columns read as text."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from rankgauge.errors import FormatError
from rankgauge.formats._bytes import Source
from rankgauge.formats._lines import not_utf8
from rankgauge.formats._rows import Faults, Locate, blocks, line_place

_QUOTED = r'^"(?:[^"]|"")*"$'


@dataclass(frozen=True)
class Table:
    """The columns that were asked for, as text, null where a cell is empty; and the place of each row."""

    columns: dict[str, pl.Series]
    locate: Locate


@dataclass(frozen=True)
class Header:
    """A table's first line: the names of its columns, without blanks around them."""

    names: list[str]
    separator: str


def separator_of(line: str) -> str:
    """The character that separates a header's names: the most frequent of tab, comma and semicolon."""
    return max("\t,;|", key=line.count)


def header_of(source: Source, separator: str | None = None) -> Header:
    """Read the names in the first line that is not blank."""
    line = next((line for _, line in source.lines() if line.strip()), b"").decode(errors="replace")
    separator = separator or separator_of(line)
    return Header([name.strip() for name in next(csv.reader([line], delimiter=separator), [])], separator)


def read_columns(source: Source, header: Header, wanted: Sequence[str]) -> Table:
    """Read the named columns; where rows are irregular, all faults are raised at once."""
    at = [header.names.index(name) for name in wanted]
    found = _at_once(source.data, header, at)
    if found is None:
        return _row_by_row(source, header, wanted, at)
    lines = line_place(source, lambda: _row_lines(source))
    return Table(dict(zip(wanted, found, strict=True)), lines)


def _at_once(data: bytes, header: Header, at: Sequence[int]) -> list[pl.Series] | None:
    """Columns of a table without gaps and without separators or quotes inside quoted cells, or None."""
    data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n").lstrip(b"\n")
    while b"\n\n" in data:
        data = data.replace(b"\n\n", b"\n")
    start = data.find(b"\n") + 1
    if not start or start == len(data):
        return [pl.Series([], dtype=pl.String) for _ in at]
    schema = {f"column_{i + 1}": pl.String for i in range(len(header.names))}
    columns = sorted({*at, len(schema) - 1})
    try:
        frame = pl.read_csv(
            data[start:], separator=header.separator, quote_char=None, has_header=False, schema=schema, columns=columns
        )
    except (pl.exceptions.PolarsError, OSError):  # OSError: a first id that begins as a compressed file does
        return None
    # An empty last cell may be a row that is too short; with none too short, the total shows one too long.
    separators = data.count(header.separator.encode(), start)
    if any(column.null_count() for column in frame) or separators != (len(schema) - 1) * len(frame):
        return None
    found = [unquoted(frame.to_series(columns.index(i))) for i in at]
    if header.separator != "\t" and any(column.str.contains('"', literal=True).any() for column in found):
        return None
    return found


def unquoted(column: pl.Series) -> pl.Series:
    """Take the quotes off cells that are quoted whole; others keep theirs, as ids may start with one."""
    if not column.str.starts_with('"').any():
        return column
    inner = column.str.replace('(?s)^"(.*)"$', "${1}").str.replace_all('""', '"', literal=True)
    return inner.zip_with(column.str.contains(_QUOTED), column)


def _row_lines(source: Source) -> Iterator[int]:
    numbers = (number for number, line in source.lines() if line)
    next(numbers, None)
    return numbers


def _row_by_row(source: Source, header: Header, wanted: Sequence[str], at: Sequence[int]) -> Table:
    text = _decoded(source)
    if header.separator != "\t":
        return _collected(source, header, wanted, at, lambda: _csv_rows(source, text, header.separator))
    try:
        return _collected(source, header, wanted, at, lambda: _tab_rows(text))
    except FormatError as plain_faults:
        # A spreadsheet may have quoted cells that hold line ends.
        try:
            return _collected(source, header, wanted, at, lambda: _csv_rows(source, text, "\t"))
        except FormatError:
            raise plain_faults from None


def _decoded(source: Source) -> str:
    try:
        return source.data.decode()
    except UnicodeDecodeError:
        faults = Faults()
        for number, line in source.lines():
            not_utf8(source, number, line, faults)
        raise FormatError(faults.kept, total=faults.total) from None


def _csv_rows(source: Source, text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    before = 0
    try:
        for row in reader:
            yield before + 1, row
            before = reader.line_num
    except csv.Error as error:
        faults = Faults()
        faults.add(source.at(reader.line_num), "well-formed quotes", str(error), "double the quotes inside a cell")
        faults.check()


def _tab_rows(text: str) -> Iterator[tuple[int, list[str]]]:
    for number, line in enumerate(re.split(r"\r\n|\n|\r", text), 1):
        cells = line.split("\t") if line else []
        yield number, [c[1:-1].replace('""', '"') if re.fullmatch(_QUOTED, c) else c for c in cells]


def _collected(
    source: Source,
    header: Header,
    wanted: Sequence[str],
    at: Sequence[int],
    rows: Callable[[], Iterator[tuple[int, list[str]]]],
) -> Table:
    faults = Faults()
    width = len(header.names)

    def regular() -> Iterator[tuple[int, list[str | None]]]:
        data = ((line, row) for line, row in rows() if row)
        next(data, None)
        for line, row in data:
            if len(row) == width:
                yield line, [row[i] or None for i in at]
            elif any(cell.strip() for cell in row):
                advice = "complete the row, or quote cells that hold the separator"
                faults.add(source.at(line), f"{width} cells, as in the header", f"{len(row)} in {row!r}"[:200], advice)

    columns: list[list[pl.Series]] = [[] for _ in at]
    lines: list[int] = []
    for block in blocks(regular()):
        lines += [line for line, _ in block]
        for i, parts in enumerate(columns):
            parts.append(pl.Series([cells[i] for _, cells in block], dtype=pl.String))
    faults.check()
    whole = [pl.concat(parts) if parts else pl.Series([], dtype=pl.String) for parts in columns]
    return Table(dict(zip(wanted, whole, strict=True)), line_place(source, lambda: lines))
