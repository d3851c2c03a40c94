"""What a learned reranker learns from: features and grades of candidates, query by query; also as LETOR files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from rankgauge.engines.parts import whole
from rankgauge.errors import Fault, FormatError, InputError
from rankgauge.formats.letor import comment_of, doc_of
from rankgauge.records import Note, Qrels
from rankgauge.records._columns import FloatArray, IntArray
from rankgauge.retrieval.features import Features
from rankgauge.retrieval.protocols import Hits
from rankgauge.retrieval.rerank import candidates_of

ROW = re.compile(r"(?P<grade>\S+)\s+qid:(?P<query>\S+)(?P<features>(?:\s+\d+:\S+)*)\s*(?:#(?P<comment>.*))?", re.ASCII)
NAMES = "# features:"
MOST_FAULTS = 100


@dataclass(frozen=True, eq=False)
class Table:
    """Candidates of judged queries.

    Attributes
    ----------
    queries : in order
    offsets : int64[Q+1], where each query's rows begin
    docs : of each row
    grades : int64[n], 0 and above; candidates that nobody judged are 0
    values : float64[n, F]
    names : of the columns
    notes : what was dropped or taken for something
    made_by : what the columns depend on, as `Features.made_by` has it; nothing where nobody knows
    """

    queries: tuple[str, ...]
    offsets: IntArray
    docs: tuple[str, ...]
    grades: IntArray
    values: FloatArray
    names: tuple[str, ...]
    notes: tuple[Note, ...] = ()
    made_by: Mapping[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.docs)

    def rows(self, query: int) -> slice:
        """Rows of a query, by its number."""
        return slice(int(self.offsets[query]), int(self.offsets[query + 1]))

    def only(self, chosen: Sequence[int]) -> Table:
        """Return the table of these queries, by their numbers."""
        rows = np.concatenate([np.arange(self.offsets[q], self.offsets[q + 1]) for q in chosen]).astype(np.int64)
        sizes = [int(self.offsets[q + 1] - self.offsets[q]) for q in chosen]
        return replace(
            self, queries=tuple(self.queries[q] for q in chosen), offsets=np.append(0, np.cumsum(sizes)),
            docs=tuple(self.docs[row] for row in rows.tolist()), grades=self.grades[rows], values=self.values[rows],
        )  # fmt: skip

    def write_letor(self, path: str | Path) -> None:
        """Write grade, qid, features by number, and the document as a comment; names of features in the head."""
        lines = [f"{NAMES} {' '.join(self.names)}", *self._lines()]
        whole(Path(path), lambda place: place.write_text("\n".join(lines) + "\n", "utf-8"))

    def _lines(self) -> Iterator[str]:
        for number, query in enumerate(self.queries):
            if any(blank.isspace() for blank in query):
                fault = Fault(f"query {query!r}", "an id without blanks", "one with blanks", "LETOR cannot hold it")
                raise InputError(fault)
            rows = self.rows(number)
            for doc, grade, values in zip(self.docs[rows], self.grades[rows], self.values[rows], strict=True):
                numbers = " ".join(f"{place}:{value!r}" for place, value in enumerate(values.tolist(), 1))
                yield f"{grade} qid:{query} {numbers} # {comment_of(doc)}"


def table_of(
    features: Features, queries: Mapping[str, str], first: Mapping[str, Hits], qrels: Qrels, *, depth: int = 100
) -> Table:
    """Compute the features of the head of each judged query's hits.

    Grades below 0 count as 0. Raises InputError where no query of the run is judged, and for grades that are no
    whole numbers.
    """
    judged = qrels.to_dict()
    asked = [query for query in first if query in judged and query in queries and len(first[query])]
    if not asked:
        raise InputError(Fault("training", "judged queries with hits", "none", "check the ids"))
    heads = {query: candidates_of(queries[query], first[query].top(depth), features.index.texts) for query in asked}
    grades = [judged[query].get(doc) for query in asked for doc in heads[query].hits.docs]
    numbers = np.array([0.0 if grade is None else max(0.0, grade) for grade in grades])
    if (numbers != np.floor(numbers)).any():
        bad = numbers[numbers != np.floor(numbers)][0]
        raise InputError(Fault("training", "whole grades", f"{bad:g}", "map them to levels first"))
    offsets = np.append(0, np.cumsum([len(heads[query]) for query in asked])).astype(np.int64)
    docs = tuple(doc for query in asked for doc in heads[query].hits.docs)
    values = np.concatenate([features.of(heads[query]) for query in asked])
    notes = _notes(first, asked, grades)
    return Table(tuple(asked), offsets, docs, numbers.astype(np.int64), values, features.names, notes, features.made_by)


def _notes(first: Mapping[str, Hits], asked: Sequence[str], grades: Sequence[float | None]) -> tuple[Note, ...]:
    notes = []
    if left := len(first) - len(asked):
        notes.append(Note("queries left out", left, f"{left} of {len(first)} queries have no judgment, text or hit"))
    if unjudged := sum(grade is None for grade in grades):
        text = f"{unjudged:,} of {len(grades):,} candidates are unjudged and count as grade 0 in training"
        notes.append(Note("unjudged as 0", unjudged, text))
    return tuple(notes)


def read_letor_table(path: str | Path) -> Table:
    """Read a file of grades, qids and numbered features (LETOR, SVMlight with qid); a feature that is not said is 0.

    Rows of a query must stand together. Raises FormatError with the lines that cannot be read.
    """
    faults: list[Fault] = []
    names: tuple[str, ...] = ()
    rows: list[tuple[str, int, str, dict[int, float]]] = []
    for number, line in enumerate(Path(path).read_text("utf-8").splitlines(), 1):
        if line.startswith(NAMES):
            names = tuple(line.removeprefix(NAMES).split())
        elif line.strip() and not line.startswith("#"):
            try:
                rows.append(_read_row(line))
            except ValueError as error:
                faults.append(
                    Fault(f"{path}:{number}", "grade qid:ID 1:value ... # document", f"{line[:60]!r} ({error})")
                )
    if faults or not rows:
        raise FormatError(faults[:MOST_FAULTS] or Fault(str(path), "rows of features", "none"), total=len(faults) or 1)
    return _joined(rows, names, str(path))


def _read_row(line: str) -> tuple[str, int, str, dict[int, float]]:
    found = ROW.fullmatch(line.strip())
    if found is None:
        raise ValueError("no such row")
    grade = float(found["grade"])
    if grade < 0 or grade != int(grade):
        raise ValueError("the grade is no whole number of 0 or more")
    pairs = (pair.split(":", 1) for pair in found["features"].split())
    features = {int(place): float(value) for place, value in pairs}
    if 0 in features or not all(np.isfinite(list(features.values()))):
        raise ValueError("features count from 1 and are finite")
    return found["query"], int(grade), doc_of(found["comment"] or ""), features


def _joined(rows: Sequence[tuple[str, int, str, dict[int, float]]], names: tuple[str, ...], where: str) -> Table:
    most = max(max(features, default=0) for *_, features in rows)
    names = names or tuple(str(place) for place in range(1, most + 1))
    values = np.zeros((len(rows), len(names)))
    starts, queries = [], list[str]()
    for row, (query, _, _, features) in enumerate(rows):
        if not queries or queries[-1] != query:
            starts.append(row)
            queries.append(query)
        for place, value in features.items():
            if place > len(names):
                raise FormatError(Fault(where, f"the {len(names)} features of the head", f"feature {place}"))
            values[row, place - 1] = value
    if len(set(queries)) < len(queries):
        again = next(query for number, query in enumerate(queries) if query in queries[:number])
        raise FormatError(Fault(where, "rows of a query together", f"query {again!r} twice", "sort the file by qid"))
    offsets = np.array([*starts, len(rows)], dtype=np.int64)
    docs = tuple(doc or str(row) for row, (_, _, doc, _) in enumerate(rows))
    grades = np.array([grade for _, grade, _, _ in rows], dtype=np.int64)
    return Table(tuple(queries), offsets, docs, grades, values, names)
