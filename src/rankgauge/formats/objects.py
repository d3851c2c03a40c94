"""JSON: {query: {document: number}}, {query: [documents in order]}, and objects with named fields."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import polars as pl

from rankgauge.errors import Fault, FormatError, InputError
from rankgauge.formats._bytes import Source
from rankgauge.formats._lines import not_utf8
from rankgauge.formats._names import assigned
from rankgauge.formats._rows import Faults, Rows, blocks, line_place, pair_place
from rankgauge.formats.tables import Columns, frame_of
from rankgauge.records import Note, Qrels, Run
from rankgauge.records.notes import examples

ID_ADVICE = "write ids as text, in quotes"


def parsed(source: Source) -> Any:
    """Parse a JSON file; a key that stands twice in one object is an error, not the last value."""
    try:
        return json.loads(source.data.decode(), object_pairs_hook=_unique(source.label))
    except UnicodeDecodeError:
        faults = Faults()
        for line, content in source.lines():
            not_utf8(source, line, content, faults)
        raise FormatError(faults.kept, total=faults.total) from None
    except json.JSONDecodeError as error:
        got = f"{error.msg} at column {error.colno}"
        raise FormatError(Fault(source.at(error.lineno), "well-formed JSON", got, "mend the file")) from None


def _unique(where: str) -> Any:
    def hook(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise FormatError(Fault(where, "each key once in an object", f"{twice!r} twice", "decide which holds"))
        return found

    return hook


def id_of(value: object) -> str | None:
    """Return an id as text, or None for what is no id: floats, booleans, null, empty text, nested values."""
    if isinstance(value, str):
        return value or None
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def is_number(value: object) -> bool:
    """Whether a JSON value is a number."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


class Collector:
    """Gathers rows one by one, with what is wrong about them."""

    def __init__(self, source: Source, what: str) -> None:
        self.source, self.what, self.faults = source, what, Faults()
        self.query: list[str] = []
        self.doc: list[str] = []
        self.value: list[float] = []
        self.unjudged = 0

    def add(self, query: str, doc: object, value: object, where: str | None = None) -> None:
        """Take one row; a value of null among judgments means unjudged."""
        where = where or f"{self.source.label}, query {query!r}, document {doc!r}"
        doc_id = id_of(doc)
        if doc_id is None:
            self.faults.add(where, "a document id", repr(doc)[:80], ID_ADVICE)
        elif value is None and self.what == "grade":
            self.unjudged += 1
        elif not is_number(value):
            self.faults.add(where, f"a number as {self.what}", repr(value)[:80], "write it as a number")
        else:
            self.query.append(query)
            self.doc.append(doc_id)
            self.value.append(float(value))  # type: ignore[arg-type]

    def rows(self, notes: Iterable[Note] = (), *, ranks: bool = False) -> Rows:
        """Return the rows, once nothing is wrong; `ranks`: the values are ranks."""
        self.faults.check()
        said = list(notes)
        if self.unjudged:
            said.append(Note("empty grades", self.unjudged, f"{self.unjudged} null grades were read as unjudged"))
        query, doc = (pl.Series(ids, dtype=pl.String) for ids in (self.query, self.doc))
        values = np.array(self.value, dtype=np.float64)
        rank = values.astype(np.int64) if ranks else None
        place = pair_place(self.source, self.query, self.doc)
        return Rows(query, doc, None if ranks else values, place, rank, notes=tuple(said))


def nested_rows(source: Source, nested: Mapping[str, Any], *, holds: str) -> Rows:
    """Read {query: {document: number}}; for runs also {query: [documents, the best first]}."""
    what = "grade" if holds == "qrels" else "score"
    if holds == "run" and nested and all(_is_ranking(found) for found in nested.values()):
        return _listed(source, nested)
    if not any(isinstance(found, Mapping) for found in nested.values()):
        keys = examples(nested)
        raise FormatError(Fault(source.label, f"{{query: {{document: {what}}}}}", f"an object with the keys {keys}"))
    collector = Collector(source, what)
    for query, found in nested.items():
        where = f"{source.label}, query {query!r}"
        if not query:
            collector.faults.add(where, "a query id", "an empty one", "name the query")
        elif not isinstance(found, Mapping):
            collector.faults.add(where, f"an object of document to {collector.what}", _kind(found))
        else:
            for doc, value in found.items():
                collector.add(query, doc, value)
    return collector.rows()


def _is_ranking(found: object) -> bool:
    return isinstance(found, list) and all(id_of(doc) is not None for doc in found)


def _listed(source: Source, nested: Mapping[str, list[Any]]) -> Rows:
    collector = Collector(source, "score")
    for query, docs in nested.items():
        for rank, doc in enumerate(docs, 1):
            collector.add(query, doc, rank)
    return collector.rows(ranks=True)


def _kind(value: object) -> str:
    return f"{type(value).__name__} {json.dumps(value)[:60]}"


def read_lines(source: Source, columns: Columns, *, holds: str) -> Rows:
    """Read one JSON object a line: named fields, or {query: {document: number}}."""
    faults = Faults()
    objects = _line_objects(source, faults)
    first = next(objects, None)
    if first is None:
        faults.check()
        raise FormatError(Fault(source.label, "JSON objects, one a line", "none"))
    if columns is None and first[1] and all(isinstance(value, dict) for value in first[1].values()):
        return _nested_lines(source, [first, *objects], faults, holds)
    numbered = ((source.at(line), line, found) for line, found in _chained(first, objects))
    return _field_rows(
        source, numbered, assigned(list(first[1]), columns, holds=holds, where=first_place(source)), faults
    )


def first_place(source: Source) -> str:
    """Name the first line that holds anything."""
    return source.at(next((line for line, text in source.lines() if text.strip()), 1))


def _chained(first: Any, rest: Iterator[Any]) -> Iterator[Any]:
    yield first
    yield from rest


def _line_objects(source: Source, faults: Faults) -> Iterator[tuple[int, dict[str, Any]]]:
    for line, text in source.lines():
        if not text.strip():
            continue
        try:
            found = json.loads(text.decode(), object_pairs_hook=_unique(source.at(line)))
        except UnicodeDecodeError:
            not_utf8(source, line, text, faults)
        except json.JSONDecodeError as error:
            got = f"{error.msg} at column {error.colno} of {text[:60].decode(errors='replace')!r}"
            faults.add(source.at(line), "a JSON object", got, "mend or remove the line")
        else:
            if isinstance(found, dict):
                yield line, found
            else:
                faults.add(source.at(line), "a JSON object", _kind(found), "mend or remove the line")


def _nested_lines(source: Source, objects: list[tuple[int, dict[str, Any]]], faults: Faults, holds: str) -> Rows:
    whole: dict[str, Any] = {}
    for line, found in objects:
        for query in found.keys() & whole.keys():
            faults.add(source.at(line), "each query on one line", f"query {query!r} again", "join the lines")
        whole.update(found)
    faults.check()
    return nested_rows(source, whole, holds=holds)


def read_records(source: Source, items: list[Any], columns: Columns, *, holds: str) -> Rows:
    """Read a JSON list of objects with named fields."""
    faults = Faults()
    objects = [(i, item) for i, item in enumerate(items, 1) if isinstance(item, dict)]
    if len(objects) < len(items) or not objects:
        raise FormatError(Fault(source.label, "a list of objects with named fields", _kind(items)))
    roles = assigned(list(objects[0][1]), columns, holds=holds, where=f"{source.label}, item 1")
    placed = ((f"{source.label}, item {i}", i, item) for i, item in objects)
    return _field_rows(source, placed, roles, faults, lines=False)


def _field_rows(
    source: Source,
    objects: Iterable[tuple[str, int, dict[str, Any]]],
    roles: Mapping[str, str],
    faults: Faults,
    *,
    lines: bool = True,
) -> Rows:
    value = next((role for role in ("score", "grade") if role in roles), None)
    parts: dict[str, list[pl.Series]] = {role: [] for role in roles}
    places: list[int] = []
    unjudged = 0
    for block in blocks(objects):
        cells: dict[str, list[Any]] = {role: [] for role in roles}
        for where, at, found in block:
            if value == "grade" and found.get(roles[value]) is None:
                unjudged += roles[value] in found
                if roles[value] in found:
                    continue
            row = _row(found, roles, where, faults)
            if row is not None:
                places.append(at)
                for role, cell in row.items():
                    cells[role].append(cell)
        for role, column in cells.items():
            parts[role].append(pl.Series(column, dtype=pl.String if role in _IDS else pl.Float64))
    faults.check()
    whole = {role: pl.concat(column) for role, column in parts.items()}
    notes = [Note("empty grades", unjudged, f"{unjudged} null grades were read as unjudged")] if unjudged else []
    by_line = line_place(source, lambda: places)
    return Rows(
        whole["query"],
        whole["doc"],
        None if value is None else whole[value].to_numpy(),
        by_line if lines else lambda rows: [f"{source.label}, item {places[row]}" for row in rows],
        rank=whole["rank"].cast(pl.Int64).to_numpy() if "rank" in whole else None,
        second=whole.get("subtopic"),
        subtopics="subtopic" in whole,
        notes=tuple(notes),
    )


_IDS = ("query", "doc", "subtopic")


def _row(found: dict[str, Any], roles: Mapping[str, str], where: str, faults: Faults) -> dict[str, Any] | None:
    row: dict[str, Any] = {}
    for role, name in roles.items():
        cell = found.get(name)
        if role in _IDS:
            row[role] = id_of(cell)
            expected, advice = f"a {role} id in {name!r}", ID_ADVICE
        else:
            whole = role != "rank" or (is_number(cell) and float(cell) == int(cell))  # type: ignore[arg-type]
            row[role] = float(cell) if is_number(cell) and whole else None  # type: ignore[arg-type]
            expected, advice = f"a {'whole ' if role == 'rank' else ''}number as {role} in {name!r}", "mend the value"
        if row[role] is None:
            got = repr(cell)[:80] if name in found else "no such field"
            faults.add(where, expected, got, advice)
            return None
    return row


def nested_bytes(data: Qrels | Run) -> Iterator[bytes]:
    """Content of a JSON file {query: {document: number}}."""
    if isinstance(data, Qrels) and data.subtopics is not None:
        raise InputError(Fault("JSON", "qrels without subtopics", "subtopics", "write TREC, .jsonl, .csv or .parquet"))
    if isinstance(data, Run) and data.ranks is not None:
        raise InputError(Fault("JSON", "a run with scores", "ranks with gaps", "write .jsonl, .csv or .parquet"))
    separator = "{\n"
    for query, found in data.to_dict().items():
        yield f"{separator}{json.dumps(query, ensure_ascii=False)}: {json.dumps(found, ensure_ascii=False)}".encode()
        separator = ",\n"
    yield b"\n}\n"


def line_bytes(data: Qrels | Run) -> Iterator[bytes]:
    """Lines of a JSON lines file with the fields query, doc, and grade or score."""
    frame = frame_of(data)
    for row in frame.iter_rows(named=True):
        yield (json.dumps(row, ensure_ascii=False) + "\n").encode()
