"""JSON lines files of a dataset, a stretch of lines at a time; a field that a line lacks is as good as null.

Stretches whose ids are all text, or all whole numbers, go through polars; the others through Python's json. polars
would turn 1e5 into "100000" where it is told to expect text, and half of a surrogate pair into a NUL.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import polars as pl

from rankgauge.errors import FormatError
from rankgauge.formats._dataset_columns import NUMBERS, Chunk
from rankgauge.formats._dataset_remote import Found
from rankgauge.formats._dataset_text import Text, count
from rankgauge.formats._rows import Faults, Locate, blocks
from rankgauge.formats.nested import ID_ADVICE, as_float, id_of, is_number, kind_of, unique_keys

_LOOKED_AT = 1000
_SLOW_ROWS = 1 << 17
Wanted = Mapping[str, str]


class Lines:
    """One file of JSON objects, one a line."""

    def __init__(self, file: Found, kind: str) -> None:
        self.file, self.kind = file, kind

    def names(self) -> list[str]:
        """Names of the fields in the first thousand lines, in order; none in an empty file."""
        faults = Faults()
        with Text(self.file) as text:
            objects = (one for data in _stretches(text) for one in _objects(text, data, faults))
            found = list(dict.fromkeys(name for _, one in islice(objects, _LOOKED_AT) for name in one))
        if not found:
            faults.check()
        return found

    def chunks(self, wanted: Wanted, *, start: int, rows: int, faults: Faults | None = None) -> Iterator[Chunk]:
        """Stretches of at most `rows` rows from row `start` on, with the columns {name: field}.

        Lines that are no rows are raised, or collected where there is something to collect them in.
        """
        bad = Faults() if faults is None else faults
        with Text(self.file) as text:
            for data in _stretches(text):
                frame = _at_once(data, wanted)
                regular = None if frame is None else [_of_regular(text, data, frame)]
                for chunk in regular or _one_by_one(text, data, wanted, bad):
                    for first in range(start, len(chunk.frame), rows):
                        yield chunk.cut(first, rows)
                    start = max(0, start - len(chunk.frame))
                if faults is None:
                    bad.check()


def _stretches(text: Text) -> Iterator[bytes]:
    """Whole lines, many at a time; `text.line` is the number of the first."""
    while data := text.chunk(lambda data: data.rfind(b"\n") + 1):
        yield data
        text.line += count(data, b"\n")


def _of_regular(text: Text, data: bytes, frame: pl.DataFrame) -> Chunk:
    first = text.line

    def locate(rows: Sequence[int]) -> list[str]:
        lines = [line for line, content in enumerate(io.BytesIO(data), first) if content.strip()] if rows else []
        return [text.at(lines[row]) for row in rows]

    return Chunk(frame, locate, share=text.share)


def _at_once(data: bytes, wanted: Wanted) -> pl.DataFrame | None:
    """Columns of lines that polars reads as they stand, or None."""
    if b"\\ud" in data or b"\\uD" in data or not all(map(str.isascii, wanted.values())):
        return None
    keys = {name: json.dumps(field).encode() for name, field in wanted.items()}
    schema: dict[str, Any] = {}
    for name, field in wanted.items():
        other = name not in NUMBERS and re.search(re.escape(keys[name]) + rb'\s*:\s*[^"\s]', data) is not None
        schema[field] = pl.Float64 if name in NUMBERS else pl.Int64 if other else pl.String
    try:
        frame = pl.read_ndjson(data, schema=schema)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        return None
    if any(data.count(key) > len(frame) for key in keys.values()):
        return None  # Perhaps a key stands twice in one object.
    return frame.select(pl.col(field).alias(name) for name, field in wanted.items())


def _objects(text: Text, data: bytes, faults: Faults) -> Iterator[tuple[int, dict[str, Any]]]:
    """Number and object of each line that is not blank; other lines become faults."""
    for number, line in enumerate(map(bytes.rstrip, io.BytesIO(data)), text.line):
        if not line:
            continue
        where = text.at(number)
        try:
            found = json.loads(line.decode(), object_pairs_hook=unique_keys(where))
        except UnicodeDecodeError:
            faults.add(where, "UTF-8 text", repr(line[:60]), "save the file as UTF-8")
        except RecursionError:
            faults.add(where, "a JSON object", "hundreds of levels", "mend or remove the line")
        except json.JSONDecodeError as error:
            got = f"{error.msg} at column {error.colno} of {line[:60].decode(errors='replace')!r}"
            faults.add(where, "a JSON object", got, "mend or remove the line")
        except FormatError as error:
            faults.add(where, error.faults[0].expected, error.faults[0].got, error.faults[0].advice)
        else:
            if isinstance(found, dict):
                yield number, found
            else:
                faults.add(where, "a JSON object", kind_of(found), "mend or remove the line")


def _one_by_one(text: Text, data: bytes, wanted: Wanted, faults: Faults) -> Iterator[Chunk]:
    schema: dict[str, Any] = {name: pl.Float64 if name in NUMBERS else pl.String for name in wanted}
    cells = ((line, _cells(text.at(line), found, wanted, faults)) for line, found in _objects(text, data, faults))
    for block in blocks(cells, _SLOW_ROWS):
        frame = pl.DataFrame([row for _, row in block], schema=schema, orient="row", strict=True)
        yield Chunk(frame, _at_lines(text, [line for line, _ in block]), share=text.share)


def _at_lines(text: Text, lines: Sequence[int]) -> Locate:
    return lambda rows: [text.at(lines[row]) for row in rows]


def _cells(where: str, found: Mapping[str, Any], wanted: Wanted, faults: Faults) -> list[str | float | None]:
    """The wanted cells, None where nothing stands; what is neither id nor number where one should be is a fault."""
    cells: list[str | float | None] = []
    for name, field in wanted.items():
        cell = found.get(field)
        if name in NUMBERS:
            cells.append(as_float(cell) if is_number(cell) else None)
            expected, advice = f"a number as {name} in {field!r}", "write it without quotes"
        else:
            cells.append(_encodable(id_of(cell)))
            expected, advice = f"a {name} id in {field!r}", ID_ADVICE
        if cells[-1] is None and cell is not None and cell != "":
            faults.add(where, expected, repr(cell)[:80], advice)
    return cells


def _encodable(text: str | None) -> str | None:
    """Half of a surrogate pair is no text."""
    return None if text is None or any("\ud800" <= letter <= "\udfff" for letter in text) else text
