"""CSV and TSV files of a dataset, a stretch of whole rows at a time; all cells are read as text.

Stretches without irregular rows and without quotes inside cells go through polars; the others through Python's csv,
which knows the line of each row. Both take a quote for one only at the start of a cell.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from rankgauge.errors import Fault, FormatError
from rankgauge.formats._dataset_columns import Chunk
from rankgauge.formats._dataset_remote import Found
from rankgauge.formats._dataset_text import Text, count
from rankgauge.formats._delimited import separator_of, unquoted
from rankgauge.formats._rows import Faults, Locate, blocks

_SLOW_ROWS = 1 << 17
_QUOTED = re.compile(r'"(?:[^"]|"")*"')


@dataclass(frozen=True)
class _Shape:
    """What the header says: names of all columns, the separator, and places of the wanted columns by role."""

    names: Sequence[str]
    separator: str
    at: Mapping[str, int]

    @property
    def quoted(self) -> bool:
        """Whether quotes make cells that hold anything. In TSV lines are lines, and only quotes around go."""
        return self.separator != "\t"


class Table:
    """One CSV or TSV file with a header line."""

    def __init__(self, file: Found, kind: str) -> None:
        self.file, self.kind = file, kind

    def names(self) -> list[str]:
        """Names of the columns; none in an empty file."""
        with Text(self.file) as text:
            return self._header(text)[0]

    def chunks(
        self, wanted: Mapping[str, str], *, start: int, rows: int, faults: Faults | None = None
    ) -> Iterator[Chunk]:
        """Stretches of at most `rows` rows from row `start` on, with the columns {name: column}.

        Irregular rows are raised, or collected where there is something to collect them in.
        """
        with Text(self.file) as text:
            names, separator = self._header(text)
            if not names:
                return
            shape = _Shape(names, separator, {role: names.index(column) for role, column in wanted.items()})
            for chunk in _chunks(text, shape, faults):
                if start >= len(chunk.frame):
                    start -= len(chunk.frame)
                    continue
                for first in range(start, len(chunk.frame), rows):
                    yield chunk.cut(first, rows)
                start = 0

    def _header(self, text: Text) -> tuple[list[str], str]:
        line = text.head().decode(errors="replace").rstrip("\r\n")
        separator = "\t" if self.kind == "tsv" else separator_of(line)
        names = [name.strip() for name in next(csv.reader([line], delimiter=separator), [])]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            where = text.at(text.line - 1)
            raise FormatError(Fault(where, f"one column {twice[0]!r}", f"{names.count(twice[0])} of it", "rename one"))
        return names, separator


def _chunks(text: Text, shape: _Shape, faults: Faults | None) -> Iterator[Chunk]:
    bad = Faults() if faults is None else faults
    cut = _row_end if shape.quoted else lambda data: data.rfind(b"\n") + 1
    while data := text.chunk(cut):
        if (frame := _at_once(data, shape)) is not None:
            first = text.line
            text.line += count(data, b"\n")
            yield Chunk(frame, _lines_of(text, data, first, shape), text=True, share=text.share)
        else:
            yield from _row_by_row(text, data, shape, bad)
        if faults is None:
            bad.check()


def _row_end(data: bytes) -> int:
    """Where the last row ends: after a line end that an even number of quotes comes before; 0 for nowhere."""
    end = data.rfind(b"\n") + 1
    odd = data.count(b'"', 0, end) % 2
    while end and odd:
        quote = data.rfind(b'"', 0, end)
        before = data.rfind(b"\n", 0, quote) + 1
        odd = (odd + data.count(b'"', before, end)) % 2
        end = before
    return end


def _at_once(data: bytes, shape: _Shape) -> pl.DataFrame | None:
    """The wanted columns of regular rows, or None."""
    has_quotes = b'"' in data
    last = len(shape.names) - 1
    everything, some = list(range(last + 1)), sorted({*shape.at.values(), last})
    found = None if has_quotes and shape.quoted else _read(data, shape, some)
    if some != everything and (found is None or found.to_series(-1).null_count()):
        found = None
    found = _read(data, shape, everything) if found is None else found  # finds rows that are too long, too
    if found is None:
        return None
    separators = count(data, shape.separator.encode())
    if has_quotes and shape.quoted:
        cells = found.select(pl.all().str.contains('"', literal=True).any())
        if any(cells.row(0)):
            return None
        separators -= sum(found.select(pl.all().str.count_matches(shape.separator, literal=True).sum()).row(0))
    if separators != last * len(found):
        return None
    wanted = {role: found[f"column_{place + 1}"].rename(role) for role, place in shape.at.items()}
    return pl.DataFrame(wanted if shape.quoted else {role: unquoted(cells) for role, cells in wanted.items()})


def _read(data: bytes, shape: _Shape, columns: list[int]) -> pl.DataFrame | None:
    quote = '"' if shape.quoted else None
    schema = {f"column_{place + 1}": pl.String for place in range(len(shape.names))}
    try:
        found = pl.read_csv(
            data, separator=shape.separator, quote_char=quote, has_header=False, schema=schema, columns=columns
        )
    except (pl.exceptions.PolarsError, OSError):  # OSError: a first id that begins as a compressed file does
        return None
    blank = found.select(pl.all_horizontal(pl.all().is_null())).to_series().any()
    return None if blank else found


def _lines_of(text: Text, data: bytes, first: int, shape: _Shape) -> Locate:
    """Name rows by their line: counted when they are needed, as cells may hold line ends."""

    def locate(rows: Sequence[int]) -> list[str]:
        if not rows or not shape.quoted or b'"' not in data:
            return [text.at(first + row) for row in rows]
        reader = csv.reader((line.decode().replace("\r", " ") for line in io.BytesIO(data)), delimiter=shape.separator)
        starts = [first, *(first + reader.line_num for _ in reader)]
        return [text.at(starts[row]) for row in rows]

    return locate


def _row_by_row(text: Text, data: bytes, shape: _Shape, faults: Faults) -> Iterator[Chunk]:
    """The rows that begin in this stretch; the last may reach beyond it."""
    rows = _csv_rows(text, data, shape, faults)
    if not shape.quoted and (plain := list(_tab_rows(text, data, faults))):
        if all(len(cells) == len(shape.names) or not any(cells) for _, cells in plain):
            text.line += data.count(b"\n")
            rows = iter(plain)
    for block in blocks(_regular(text, rows, shape, faults), _SLOW_ROWS):
        lines = [line for line, _ in block]
        frame = pl.DataFrame(
            [cells for _, cells in block], schema=dict.fromkeys(shape.at, pl.String), orient="row", strict=True
        )
        yield Chunk(frame, _at_lines(text, lines), text=True, share=text.share)


def _at_lines(text: Text, lines: Sequence[int]) -> Locate:
    return lambda rows: [text.at(lines[row]) for row in rows]


def _regular(
    text: Text, rows: Iterator[tuple[int, list[str]]], shape: _Shape, faults: Faults
) -> Iterator[tuple[int, list[str | None]]]:
    """Line and wanted cells of rows with as many cells as the header; others are faults, blank lines nothing."""
    width = len(shape.names)
    for line, cells in rows:
        if len(cells) == width:
            yield line, [cells[place] or None for place in shape.at.values()]
        elif any(cell.strip() for cell in cells):
            advice = "complete the row, or quote cells that hold the separator"
            faults.add(text.at(line), f"{width} cells, as in the header", f"{len(cells)} in {cells!r}"[:200], advice)


def _csv_rows(text: Text, data: bytes, shape: _Shape, faults: Faults) -> Iterator[tuple[int, list[str]]]:
    taken = 0

    def lines() -> Iterator[str]:
        nonlocal taken
        for number, line in enumerate(text.lines(data), text.line):
            taken += len(line)
            yield _decoded(text, number, line, faults)

    reader = csv.reader(lines(), delimiter=shape.separator, strict=True)
    before = 0
    try:
        while taken < len(data) and (cells := next(reader, None)) is not None:
            yield text.line + before, cells
            before = reader.line_num
    except csv.Error as error:
        advice = "double the quotes inside a cell"
        faults.add(text.at(text.line + reader.line_num - 1), "well-formed CSV", str(error), advice)
        faults.check()
    text.line += before


def _tab_rows(text: Text, data: bytes, faults: Faults) -> Iterator[tuple[int, list[str]]]:
    for number, raw in enumerate(io.BytesIO(data), text.line):
        line = _decoded(text, number, raw, faults).rstrip("\r\n")
        cells = line.split("\t") if line else []
        yield number, [c[1:-1].replace('""', '"') if _QUOTED.fullmatch(c) else c for c in cells]


def _decoded(text: Text, number: int, line: bytes, faults: Faults) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        faults.add(text.at(number), "UTF-8 text", repr(line[:60]), "save the file as UTF-8")
        return line.decode(errors="replace")
