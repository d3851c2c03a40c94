"""Tables with named columns: CSV and TSV with a header line, Parquet and Arrow files."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np
import polars as pl

from rankgauge.errors import Fault, FormatError, InputError
from rankgauge.formats._bytes import Source
from rankgauge.formats._delimited import Table, header_of, read_columns
from rankgauge.formats._names import assigned
from rankgauge.formats._rows import HIGHEST_RANK, Faults, Locate, Rows, not_a_number, number, number_advice, numbers
from rankgauge.formats._writing import refuse_subtopics
from rankgauge.records import Note, Qrels, Run
from rankgauge.records._columns import FloatArray, IntArray, id_column, number_column
from rankgauge.records.notes import examples

Columns = Mapping[str, str] | None
QUEPID_NAMES = {"doc": "docid", "grade": "rating"}
Said = tuple[str, str, str]


def read_delimited(source: Source, columns: Columns, *, holds: str, separator: str | None = None) -> Rows:
    """Read CSV or TSV with a header line."""
    header = header_of(source, separator)
    roles = assigned(header.names, columns, holds=holds, where=source.at(1))
    twice = [name for name in roles.values() if header.names.count(name) > 1]
    if twice:
        fault = Fault(
            source.at(1), f"one column {twice[0]!r}", f"{header.names.count(twice[0])} of that name", "rename one"
        )
        raise FormatError(fault)
    table = read_columns(source, header, list(dict.fromkeys(roles.values())))
    return text_rows(table, roles)


def text_rows(table: Table, roles: Mapping[str, str]) -> Rows:
    """Turn columns of text into rows; blanks around cells are taken off, and that is said."""
    trimmed = {name: column.str.strip_chars(" \t") for name, column in table.columns.items()}
    ids = [roles[role] for role in ("query", "doc", "subtopic") if role in roles]
    blanks = sum(int((trimmed[name] != table.columns[name]).sum()) for name in ids)
    notes = [Note("blanks", blanks, f"blanks around {blanks} ids were taken off")] if blanks else []
    cells = {role: trimmed[column] for role, column in roles.items()}
    cells = {role: column.set(column == "", None) for role, column in cells.items()}
    grade = cells.get("grade")
    if grade is not None and grade.null_count():
        return _judged_only(cells, table.locate, notes)
    return _checked_rows(cells, table.locate, notes)


def _judged_only(cells: dict[str, pl.Series], locate: Locate, notes: list[Note]) -> Rows:
    kept = cells["grade"].is_not_null()
    at = np.flatnonzero(kept.to_numpy())
    empty = len(kept) - len(at)
    notes = [*notes, Note("empty grades", empty, f"{empty} rows without a grade were read as unjudged")]
    some = {role: column.filter(kept) for role, column in cells.items()}
    return _checked_rows(some, lambda rows: locate(at[list(rows)].tolist()), notes)


def _checked_rows(cells: dict[str, pl.Series], locate: Locate, notes: list[Note]) -> Rows:
    faults = Faults()
    for role in ("query", "doc", "subtopic"):
        if role in cells and cells[role].null_count():
            bad = np.flatnonzero(cells[role].is_null().to_numpy())
            _add(faults, locate, bad, partial(_empty_id, role))
    value = next((role for role in ("score", "grade") if role in cells), None)
    values = None if value is None else _numbers(cells[value], value, locate, faults)
    ranks = None if "rank" not in cells else _numbers(cells["rank"], "rank", locate, faults)
    faults.check()
    return Rows(
        cells["query"],
        cells["doc"],
        values,
        locate,
        rank=None if ranks is None else _whole(ranks, locate),
        second=cells.get("subtopic"),
        subtopics="subtopic" in cells,
        notes=tuple(notes),
    )


def _empty_id(role: str, row: int) -> Said:
    return f"a {role} id", "an empty cell", "fill it or remove the row"


def _numbers(column: pl.Series, what: str, locate: Locate, faults: Faults) -> FloatArray | None:
    values = numbers(column)
    if values is not None:
        return values
    read = [None if text is None else number(text) for text in column]
    bad = np.flatnonzero(np.array([value is None for value in read]))

    def said(row: int) -> Said:
        text = column[row]
        if text is None:
            return f"a number as {what}", "an empty cell", "fill it or remove the row"
        return f"a number as {what}", not_a_number(text), number_advice(text)

    _add(faults, locate, bad, said)
    return None if len(bad) else np.array(read, dtype=np.float64)


def _add(faults: Faults, locate: Locate, bad: IntArray, said: Callable[[int], Said]) -> None:
    shown = bad[:100].tolist()
    for row, where in zip(shown, locate(shown), strict=True):
        faults.add(where, *said(row))
    faults.total += len(bad) - len(shown)


def _whole(ranks: FloatArray, locate: Locate) -> IntArray:
    bad = np.flatnonzero(~((ranks == np.floor(ranks)) & (np.abs(ranks) < HIGHEST_RANK)))
    if len(bad):
        faults = Faults()
        _add(faults, locate, bad, lambda row: ("a whole number as rank", f"{ranks[row]:g}", "is it a score?"))
        faults.check()
    return ranks.astype(np.int64)


def read_frame(source: Source, columns: Columns, *, holds: str, kind: str) -> Rows:
    """Read a Parquet or Arrow file; only the columns that are needed are decoded."""
    try:
        names = list(_schema(source.data, kind))
        roles = assigned(names, columns, holds=holds, where=source.label)
        frame = _decode(source.data, kind, list(dict.fromkeys(roles.values())))
    except (pl.exceptions.PolarsError, OSError, EOFError) as error:
        said = str(error).splitlines()[0][:120]
        raise FormatError(Fault(source.label, f"a whole {kind} file", f"broken content ({said})")) from None
    return frame_rows(frame, roles, source)


def _schema(data: bytes, kind: str) -> Mapping[str, object]:
    if kind == "parquet":
        return pl.read_parquet_schema(io.BytesIO(data))
    return pl.read_ipc(io.BytesIO(data)).schema if data.startswith(b"ARROW1") else _stream(data).schema


def _stream(data: bytes) -> pl.DataFrame:
    return pl.read_ipc_stream(io.BytesIO(data))


def _decode(data: bytes, kind: str, wanted: list[str]) -> pl.DataFrame:
    if kind == "parquet":
        return pl.read_parquet(io.BytesIO(data), columns=wanted)
    frame = pl.read_ipc(io.BytesIO(data)) if data.startswith(b"ARROW1") else _stream(data)
    return frame.select(wanted)


def frame_rows(frame: pl.DataFrame, roles: Mapping[str, str], source: Source) -> Rows:
    """Turn typed columns into rows; rows without a grade are unjudged."""
    notes = []
    if "grade" in roles and (empty := frame[roles["grade"]].null_count()):
        frame = frame.drop_nulls(roles["grade"])
        notes.append(Note("empty grades", empty, f"{empty} rows without a grade were read as unjudged"))
    where = {role: f"{source.label}, column {name!r}" for role, name in roles.items()}
    query, doc = (id_column(frame[roles[role]], where[role]) for role in ("query", "doc"))
    value = next((role for role in ("score", "grade") if role in roles), None)
    values = None if value is None else number_column(frame[roles[value]], where[value])
    if value == "score" and frame[roles[value]].dtype in (pl.Float32, pl.Float16):
        lost = f"scores came as {frame[roles[value]].dtype}: what differs beyond that precision is tied"
        notes.append(Note("score precision", len(frame), lost))
    locate: Locate = lambda rows: [f"{source.label}, row {row + 1}" for row in rows]  # noqa: E731
    ranks = None if "rank" not in roles else _whole(number_column(frame[roles["rank"]], where["rank"]), locate)
    second = id_column(frame[roles["subtopic"]], where["subtopic"]) if "subtopic" in roles else None
    return Rows(query, doc, values, locate, ranks, second, second is not None, tuple(notes))


def frame_of(data: Qrels | Run) -> pl.DataFrame:
    """Columns query, doc and grade (and subtopic) or score; rank instead of score where ranks leave gaps."""
    frame = data.to_polars()
    if isinstance(data, Run) and data.ranks is not None:
        return frame.drop("score").with_columns(rank=data.ranks)
    return frame


def frame_bytes(data: Qrels | Run, kind: str) -> Iterator[bytes]:
    """Content of a Parquet or an Arrow file."""
    buffer = io.BytesIO()
    if kind == "parquet":
        frame_of(data).write_parquet(buffer)
    else:
        frame_of(data).write_ipc(buffer)
    yield buffer.getvalue()


def csv_lines(data: Qrels | Run, names: Mapping[str, str] | None = None) -> Iterator[bytes]:
    """Lines of a CSV file with a header, cells quoted where they have to be."""
    frame = frame_of(data)
    _check_cells(frame, "^[ \\t\ufeff]|[ \\t]$", "blanks at the ends")
    yield (",".join((names or {}).get(name, name) for name in frame.columns) + "\n").encode()
    yield from _lines(frame, ",", '[",\\r\\n]')


def quepid_lines(qrels: Qrels) -> Iterator[bytes]:
    """Lines of Quepid's CSV of judgments."""
    refuse_subtopics(qrels, "quepid")
    yield from csv_lines(qrels, QUEPID_NAMES)


def tsv_lines(data: Qrels | Run, names: Mapping[str, str] | None = None) -> Iterator[bytes]:
    """Lines of a TSV file with a header; ids cannot hold tabs or line ends."""
    frame = frame_of(data)
    _check_cells(frame, "^[ \ufeff]|[\\t\\n\\r]| $", "tabs, line ends or blanks at the ends")
    yield ("\t".join((names or {}).get(name, name) for name in frame.columns) + "\n").encode()
    yield from _lines(frame, "\t", '^"')


def _lines(frame: pl.DataFrame, separator: str, to_quote: str) -> Iterator[bytes]:
    text = pl.col(pl.String)
    quoted = '"' + text.str.replace_all('"', '""', literal=True) + '"'
    cells = frame.with_columns(pl.when(text.str.contains(to_quote)).then(quoted).otherwise(text).name.keep())
    for row in cells.iter_rows():
        yield (separator.join(cell if isinstance(cell, str) else _plain(cell) for cell in row) + "\n").encode()


def _plain(value: float) -> str:
    return str(int(value)) if value == value // 1 and abs(value) < 1e15 else repr(value)


def _check_cells(frame: pl.DataFrame, pattern: str, what: str) -> None:
    for name in (name for name in frame.columns if frame[name].dtype == pl.String):
        bad = frame[name].filter(frame[name].str.contains(pattern)).unique(maintain_order=True)
        if len(bad):
            got = f"{len(bad)} with {what}: {examples(bad)}"
            advice = "write .jsonl, .json or .parquet, which hold any id"
            raise InputError(Fault(f"{name} ids", f"ids without {what} for a text table", got, advice))
