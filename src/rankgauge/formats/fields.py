"""JSON objects with named fields: one a line, or in one list."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

import numpy as np
import polars as pl

from rankgauge.errors import Fault, FormatError
from rankgauge.formats._bytes import Source
from rankgauge.formats._lines import not_utf8
from rankgauge.formats._names import assigned
from rankgauge.formats._rows import HIGHEST_RANK, Faults, Locate, Rows, blocks, line_place
from rankgauge.formats.nested import ID_ADVICE, as_float, id_of, is_number, kind_of, nested_rows, unique_keys
from rankgauge.formats.tables import Columns, frame_of
from rankgauge.records import Note, Qrels, Run

_IDS = ("query", "doc", "subtopic")


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
    roles = assigned(list(first[1]), columns, holds=holds, where=source.at(first[0]))
    gathered = _Gathered(roles, faults, source.at)
    gathered.take(chain([first], objects))
    return gathered.rows(line_place(source, lambda: gathered.places))


def _line_objects(source: Source, faults: Faults) -> Iterator[tuple[int, dict[str, Any]]]:
    for line, text in source.lines():
        if not text.strip():
            continue
        try:
            found = _parsed_line(text, source, line)
        except UnicodeDecodeError:
            not_utf8(source, line, text, faults)
        except RecursionError:
            faults.add(source.at(line), "a JSON object", "hundreds of levels", "mend or remove the line")
        except json.JSONDecodeError as error:
            got = f"{error.msg} at column {error.colno} of {text[:60].decode(errors='replace')!r}"
            faults.add(source.at(line), "a JSON object", got, "mend or remove the line")
        else:
            if isinstance(found, dict):
                yield line, found
            else:
                faults.add(source.at(line), "a JSON object", kind_of(found), "mend or remove the line")


def _parsed_line(text: bytes, source: Source, line: int) -> Any:
    found = json.loads(text.decode())
    # As many names as keys: no key stands twice, and the slow check is not needed.
    if isinstance(found, dict) and len(found) == text.count(b'":'):
        return found
    return json.loads(text.decode(), object_pairs_hook=unique_keys(source.at(line)))


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
    objects = [(i, item) for i, item in enumerate(items, 1) if isinstance(item, dict)]
    if len(objects) < len(items):
        raise FormatError(Fault(source.label, "a list of objects with named fields", kind_of(items)))
    roles = assigned(list(objects[0][1]), columns, holds=holds, where=f"{source.label}, item 1")
    gathered = _Gathered(roles, Faults(), lambda item: f"{source.label}, item {item}")
    gathered.take(objects)
    return gathered.rows(lambda rows: [gathered.name(gathered.places[row]) for row in rows])


class _Gathered:
    """The cells of the fields that are needed, a block of objects at a time."""

    def __init__(self, roles: Mapping[str, str], faults: Faults, name: Callable[[int], str]) -> None:
        self.roles, self.faults, self.name = roles, faults, name
        self.places: list[int] = []
        self.unjudged = 0
        self._parts: dict[str, list[pl.Series]] = {role: [] for role in roles}

    def take(self, objects: Iterable[tuple[int, dict[str, Any]]]) -> None:
        """Take numbered objects; a grade of null means unjudged."""
        for block in blocks(objects):
            cells = self._regular(block)
            if cells is None:
                cells = self._one_by_one(block)
            else:
                self.places += [place for place, _ in block]
            for role, column in cells.items():
                self._parts[role].append(pl.Series(column, dtype=pl.String) if role in _IDS else _numbers(column))

    def _regular(self, block: list[tuple[int, dict[str, Any]]]) -> dict[str, list[Any]] | None:
        """Columns of objects whose ids are all text and whose numbers are all numbers, or None."""
        try:
            cells = {role: [found[name] for _, found in block] for role, name in self.roles.items()}
        except KeyError:
            return None
        for role, column in cells.items():
            types = set(map(type, column))
            fits = types <= {str} and all(column) if role in _IDS else types <= {int, float} and role != "rank"
            if not fits:
                return None
        return cells

    def _one_by_one(self, block: list[tuple[int, dict[str, Any]]]) -> dict[str, list[Any]]:
        grade = self.roles.get("grade")
        cells: dict[str, list[Any]] = {role: [] for role in self.roles}
        for place, found in block:
            if grade is not None and grade in found and found[grade] is None:
                self.unjudged += 1
            elif (row := _row(found, self.roles, self.name(place), self.faults)) is not None:
                self.places.append(place)
                for role, cell in row.items():
                    cells[role].append(cell)
        return cells

    def rows(self, locate: Locate) -> Rows:
        """Return the rows, once nothing is wrong."""
        self.faults.check()
        whole = {role: pl.concat(column) for role, column in self._parts.items()}
        value = next((whole[role].to_numpy() for role in ("score", "grade") if role in whole), None)
        said = f"{self.unjudged} null grades were read as unjudged"
        return Rows(
            whole["query"],
            whole["doc"],
            value,
            locate,
            rank=whole["rank"].cast(pl.Int64).to_numpy() if "rank" in whole else None,
            second=whole.get("subtopic"),
            subtopics="subtopic" in whole,
            notes=(Note("empty grades", self.unjudged, said),) if self.unjudged else (),
        )


def _numbers(values: list[int | float]) -> pl.Series:
    return pl.Series(np.fromiter(map(as_float, values), dtype=np.float64, count=len(values)))


def _row(found: dict[str, Any], roles: Mapping[str, str], where: str, faults: Faults) -> dict[str, Any] | None:
    row: dict[str, Any] = {}
    for role, name in roles.items():
        cell = found.get(name)
        if role in _IDS:
            row[role] = id_of(cell)
            expected, advice = f"a {role} id in {name!r}", ID_ADVICE
        else:
            read = as_float(cell) if is_number(cell) else None
            usable = read is not None and (role != "rank" or (read.is_integer() and abs(read) < HIGHEST_RANK))
            row[role] = read if usable else None
            expected, advice = f"a {'whole ' if role == 'rank' else ''}number as {role} in {name!r}", "mend the value"
        if row[role] is None:
            got = repr(cell)[:80] if name in found else "no such field"
            faults.add(where, expected, got, advice)
            return None
    return row


def line_bytes(data: Qrels | Run) -> Iterator[bytes]:
    """Lines of a JSON lines file with the fields query, doc, and grade or score."""
    frame = frame_of(data)
    for row in frame.iter_rows(named=True):
        yield (json.dumps(row, ensure_ascii=False) + "\n").encode()
