"""One file of a dataset: its reader, the columns that it lacks, and one look through it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

import polars as pl

from rankgauge.errors import Fault, FormatError, InputError
from rankgauge.formats._dataset_columns import NUMBERS, Casting, Chunk, Roles
from rankgauge.formats._dataset_csv import Table
from rankgauge.formats._dataset_frames import Frames, FramesOnHDFS
from rankgauge.formats._dataset_json import Lines
from rankgauge.formats._dataset_remote import Found, on_hdfs
from rankgauge.formats._rows import MOST_FAULTS, Faults

LOOK_ROWS = 1_000_000


class Reader(Protocol):
    """What every kind of file offers."""

    def names(self) -> list[str]:
        """Names of the columns; none in an empty file of text."""
        ...

    def chunks(
        self, wanted: Mapping[str, str], *, start: int, rows: int, faults: Faults | None = None
    ) -> Iterator[Chunk]:
        """Stretches of at most `rows` rows from row `start` on, with the columns {name: column}."""
        ...


@dataclass(frozen=True)
class Looked:
    """Rows of one file, and what was found in them."""

    rows: int
    casting: Casting


def reader_of(file: Found, kind: str) -> Reader:
    """Make the reader of a file."""
    if kind in ("parquet", "arrow"):
        return FramesOnHDFS(file, kind) if on_hdfs(file.path) else Frames(file, kind)
    return Lines(file, kind) if kind == "jsonl" else Table(file, kind)


def batches(file: Found, kind: str, roles: Roles, *, start: int, rows: int) -> Iterator[pl.DataFrame]:
    """Rows of a file, cast and checked."""
    reader, casting = reader_of(file, kind), Casting(roles, file.path)
    _refuse_lacking(reader, file, kind, roles)
    for chunk in reader.chunks(roles.wanted, start=start, rows=rows):
        frame = casting.cast(chunk)
        casting.check()
        yield frame


def look(file: Found, kind: str, roles: Roles, tell: Callable[[float], None]) -> Looked:
    """Look through a file once; what is wrong is collected, `tell` hears how much was seen, in [0, 1]."""
    reader, casting = reader_of(file, kind), Casting(roles, file.path)
    rows = 0
    try:
        _refuse_lacking(reader, file, kind, roles)
        wanted = _checked_ahead(reader, casting) if isinstance(reader, Frames) else roles.wanted
        for chunk in reader.chunks(wanted, start=0, rows=LOOK_ROWS, faults=casting.faults):
            casting.cast(chunk)
            rows += len(chunk.frame)
            tell(chunk.share)
    except InputError as error:
        casting.faults.take(error.faults, error.total)
    return Looked(rows, casting)


def _refuse_lacking(reader: Reader, file: Found, kind: str, roles: Roles) -> None:
    """Refuse a file without columns that others have; in JSON lines a field that is nowhere is null everywhere."""
    if kind == "jsonl":
        return
    found = reader.names()
    lacking = [column for column in roles.wanted.values() if column not in found]
    if lacking and found:
        wanted, got = (", ".join(map(repr, names)) for names in (lacking, found))
        raise FormatError(
            Fault(file.path, f"the columns {wanted}, as in the first file", f"{got}", "is it another table?")
        )


def _checked_ahead(reader: Frames, casting: Casting) -> Mapping[str, str]:
    """Check types and ids without reading the ids; what is left to look through are the numbers."""
    schema = reader.schema()
    wanted = casting.roles.wanted
    casting.cast(Chunk(pl.DataFrame(schema={name: schema[column] for name, column in wanted.items()}), lambda rows: []))
    numbers = {name: column for name, column in wanted.items() if name in NUMBERS}
    ids = {name: column for name, column in wanted.items() if name not in NUMBERS}
    rows = reader.empty_ids(ids, most=MOST_FAULTS)
    for row in rows:
        got = "none" if len(rows) < MOST_FAULTS else f"none, as in {MOST_FAULTS} rows or more"
        casting.faults.add(reader.at(row), f"an id in {' and '.join(map(repr, ids.values()))}", got, "remove the row")
    return numbers
