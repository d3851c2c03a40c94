"""Lines of blank-separated fields: read in one go when they are regular, line by line to name what is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from rankgauge.formats._bytes import Source
from rankgauge.formats._rows import Faults
from rankgauge.records import Note

_BLANKS = b" \t\v\f\r"
_TO_BLANK = bytes.maketrans(_BLANKS, b" " * len(_BLANKS))
_COMMENT = re.compile(rb"^#[^\n]*\n?", re.MULTILINE)

CheckLine = Callable[[list[str], str, Faults], None]


@dataclass(frozen=True)
class Fields:
    """Columns of text, and how many comment lines stood between them."""

    columns: list[pl.Series]
    comments: int

    def notes(self) -> list[Note]:
        """Say how many lines were skipped as comments."""
        if not self.comments:
            return []
        return [Note("comments", self.comments, f"{self.comments} lines that start with # were read as comments")]


def read_fields(source: Source, width: int, wanted: Sequence[int], check: CheckLine) -> Fields:
    """Read the wanted columns of lines that must have `width` fields.

    Where anything is irregular, `check` is called for each line with its fields and its place; what it
    adds to the faults is raised together.
    """
    data, comments = plain(source.data)
    columns = _parsed(data, width, wanted)
    if columns is None:
        check_lines(source, check)
        rows = [line.split() for _, line in data_lines(source)]
        columns = [pl.Series([row[i].decode() for row in rows], dtype=pl.String) for i in wanted]
    return Fields(columns, comments)


def plain(data: bytes) -> tuple[bytes, int]:
    """Bring lines to one form: fields one blank apart, no comments, no empty lines.

    >>> plain(b"1  0\\td 1 \\r\\n\\r\\n# note\\n2 0 d 1")
    (b'1 0 d 1\\n2 0 d 1\\n', 1)
    """
    if b"\r" in data and b"\n" not in data:
        data = data.replace(b"\r", b"\n")
    data = data.translate(_TO_BLANK)
    comments = 0
    if data.startswith(b"#") or b"\n#" in data:
        data, comments = _COMMENT.subn(b"", data)
    if not data.endswith(b"\n"):
        data += b"\n"
    for twice, once in ((b"  ", b" "), (b" \n", b"\n"), (b"\n ", b"\n"), (b"\n\n", b"\n")):
        while twice in data:
            data = data.replace(twice, once)
    return data.lstrip(b" \n"), comments


def _parsed(data: bytes, width: int, wanted: Sequence[int]) -> list[pl.Series] | None:
    """Columns of regular lines, or None when a line is irregular."""
    if not data:
        return [pl.Series([], dtype=pl.String) for _ in wanted]
    # The first line decides how many columns polars expects.
    if data[: data.index(b"\n")].count(b" ") != width - 1:
        return None
    schema = {f"column_{i + 1}": pl.String for i in range(width)}
    columns = sorted({*wanted, width - 1})
    try:
        frame = pl.read_csv(data, separator=" ", quote_char=None, has_header=False, schema=schema, columns=columns)
    except (pl.exceptions.PolarsError, OSError):  # OSError: a first id that begins as a compressed file does
        return None
    # A line that is too short lacks its last field; with none too short, the total shows one that is too long.
    if frame.to_series(-1).null_count() or data.count(b" ") != (width - 1) * data.count(b"\n"):
        return None
    return [frame.to_series(columns.index(i)) for i in wanted]


def data_lines(source: Source) -> Iterator[tuple[int, bytes]]:
    """Number and content of each line that is neither blank nor a comment."""
    for number, line in source.lines():
        if not line.startswith(b"#") and line.strip():
            yield number, line


def check_lines(source: Source, check: CheckLine) -> None:
    """Go through all lines and raise all faults at once."""
    faults = Faults()
    for number, line in data_lines(source):
        try:
            fields = [field.decode() for field in line.split()]
        except UnicodeDecodeError:
            not_utf8(source, number, line, faults)
            continue
        check(fields, source.at(number), faults)
    faults.check()


def not_utf8(source: Source, number: int, line: bytes, faults: Faults) -> None:
    """Add a fault that shows the bytes which are not UTF-8."""
    try:
        line.decode()
    except UnicodeDecodeError as error:
        got = f"the byte {line[error.start : error.start + 1]!r} in {line[:80]!r}"
        faults.add(source.at(number), "UTF-8 text", got, f"convert it: iconv -f latin1 -t utf-8 {source.path.name}")
