"""Nested JSON: {query: {document: number}}, and for runs {query: [documents, the best first]}."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeGuard

import numpy as np
import polars as pl

from rankgauge.errors import Fault, FormatError
from rankgauge.formats._bytes import Source
from rankgauge.formats._lines import not_utf8
from rankgauge.formats._rows import Faults, Rows, pair_place
from rankgauge.formats._writing import refuse_gaps, refuse_subtopics
from rankgauge.records import Note, Qrels, Run
from rankgauge.records.notes import examples

ID_ADVICE = "write ids as text, in quotes"


def parsed(source: Source) -> Any:
    """Parse a JSON file; a key that stands twice in one object is an error, not the last value."""
    try:
        return json.loads(source.data.decode(), object_pairs_hook=unique_keys(source.label))
    except UnicodeDecodeError:
        faults = Faults()
        for line, content in source.lines():
            not_utf8(source, line, content, faults)
        raise FormatError(faults.kept, total=faults.total) from None
    except RecursionError:
        raise FormatError(Fault(source.label, "JSON of a few levels", "hundreds of levels", "is it JSON?")) from None
    except json.JSONDecodeError as error:
        got = f"{error.msg} at column {error.colno}"
        raise FormatError(Fault(source.at(error.lineno), "well-formed JSON", got, "mend the file")) from None


def unique_keys(where: str) -> Callable[[list[tuple[str, Any]]], dict[str, Any]]:
    """Make a hook for json that refuses a key that stands twice in one object."""

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


def is_number(value: object) -> TypeGuard[int | float]:
    """Whether a JSON value is a number."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def as_float(value: int | float) -> float:
    """Read a JSON number as float64; a whole number beyond its range is infinite, as 1e999 is."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


class Collector:
    """Gathers rows one by one, with what is wrong about them.

    `once`: a row that repeats another, number and all, is counted and not taken again.
    """

    def __init__(self, source: Source, what: str, *, once: bool = False) -> None:
        self.source, self.what, self.faults = source, what, Faults()
        self.query: list[str] = []
        self.doc: list[str] = []
        self.value: list[float] = []
        self.unjudged = 0
        self.repeated = 0
        self._seen: dict[tuple[str, str], float] | None = {} if once else None

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
        elif self._is_new(query, doc_id, as_float(value)):
            self.query.append(query)
            self.doc.append(doc_id)
            self.value.append(as_float(value))

    def _is_new(self, query: str, doc: str, value: float) -> bool:
        if self._seen is None:
            return True
        if self._seen.get((query, doc)) == value:
            self.repeated += 1
            return False
        self._seen[query, doc] = value
        return True

    def rows(self, notes: Iterable[Note] = (), *, ranks: bool = False) -> Rows:
        """Return the rows, once nothing is wrong; `ranks`: the values are ranks."""
        self.faults.check()
        said = list(notes)
        if self.unjudged:
            said.append(Note("empty grades", self.unjudged, f"{self.unjudged} null grades were read as unjudged"))
        if self.repeated:
            told = f"{self.repeated} judgments are repeated with the same grade and were taken once"
            said.append(Note("repeated judgments", self.repeated, told))
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
    if nested and not any(isinstance(found, Mapping) for found in nested.values()):
        keys = examples(nested)
        raise FormatError(Fault(source.label, f"{{query: {{document: {what}}}}}", f"an object with the keys {keys}"))
    collector = Collector(source, what)
    for query, found in nested.items():
        where = f"{source.label}, query {query!r}"
        if not query:
            collector.faults.add(where, "a query id", "an empty one", "name the query")
        elif not isinstance(found, Mapping):
            collector.faults.add(where, f"an object of document to {collector.what}", kind_of(found))
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


def kind_of(value: object) -> str:
    """Show what a JSON value is, cut short."""
    return f"{type(value).__name__} {json.dumps(value)[:60]}"


def nested_bytes(data: Qrels | Run) -> Iterator[bytes]:
    """Content of a JSON file {query: {document: number}}."""
    if isinstance(data, Qrels):
        refuse_subtopics(data, "JSON")
    else:
        refuse_gaps(data, "JSON")
    separator = "{\n"
    for query, found in data.to_dict().items():
        yield f"{separator}{json.dumps(query, ensure_ascii=False)}: {json.dumps(found, ensure_ascii=False)}".encode()
        separator = ",\n"
    yield b"\n}\n"
