"""Qrels: which documents were judged for each query, and how."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import polars as pl

from rankgauge.errors import DuplicateError, EmptyInputError, Fault, InputError
from rankgauge.records._columns import (
    FloatArray,
    IntArray,
    UnicodeForm,
    as_frame,
    flatten,
    frozen,
    grouped,
    id_column,
    in_form,
    number_column,
    query_names,
)
from rankgauge.records.notes import Note, of_normal_form
from rankgauge.records.run import column_of

OnConflict = Literal["error", "first", "last", "max"]


@dataclass(frozen=True, eq=False, repr=False)
class Qrels:
    """Relevance judgments, grouped by query; a document that is absent is unjudged.

    Attributes
    ----------
    queries : String[Q], each once
    offsets : int64[Q+1], where each query's rows begin and end
    docs : String[J]
    grades : float64[J]; below 0 means at most "no gain" (-1: pooled, not judged; -2: junk)
    subtopics : String[J] or None; with subtopics a document may stand once per subtopic
    name : where they come from
    notes : what was noticed or dropped on the way in
    """

    queries: pl.Series
    offsets: IntArray
    docs: pl.Series
    grades: FloatArray
    subtopics: pl.Series | None = None
    name: str = "qrels"
    notes: tuple[Note, ...] = ()

    def __len__(self) -> int:
        return len(self.docs)

    def __repr__(self) -> str:
        return f"Qrels({self.name!r}, {len(self.queries)} queries, {len(self)} judgments)"

    @cached_property
    def top_grade(self) -> float:
        """The highest grade of the whole collection, at least 1: the scale of graded measures."""
        return float(self.grades.max(initial=1.0))

    @cached_property
    def row_query(self) -> IntArray:
        """Number of each row's query, int64[J]."""
        return np.repeat(np.arange(len(self.queries)), np.diff(self.offsets))

    @classmethod
    def from_columns(
        cls,
        query: pl.Series,
        doc: pl.Series,
        grade: pl.Series,
        *,
        subtopic: pl.Series | None = None,
        name: str = "qrels",
        on_duplicate: OnConflict = "error",
        notes: Sequence[Note] = (),
    ) -> Qrels:
        """Build qrels from columns of equal length.

        Raises
        ------
        InputError
            For missing ids, ids that are floats, grades that are text, missing, NaN or infinite.
        DuplicateError
            For a pair judged twice, unless `on_duplicate` says which judgment holds
            ("first", "last" or "max"); what is dropped is counted in `notes`.
        EmptyInputError
            For no judgments at all.
        """
        where = f"qrels {name!r}"
        query = id_column(query, f"{where}, queries")
        doc = id_column(doc, f"{where}, documents")
        grades = number_column(grade, f"{where}, grades")
        if not len(doc):
            raise EmptyInputError(Fault(where, "at least one judgment", "none"))
        groups = grouped(query)
        topics = None if subtopic is None else id_column(subtopic, f"{where}, subtopics")
        if groups.order is not None:
            doc, grades = doc.gather(groups.order), grades[groups.order]
            topics = None if topics is None else topics.gather(groups.order)
        built = cls(groups.ids, groups.offsets, doc, frozen(grades), topics, name, tuple(notes))
        built._check_grades()
        return built._without_duplicates(on_duplicate)

    @classmethod
    def from_dict(cls, nested: Mapping[Any, Mapping[Any, Any]], *, name: str = "qrels") -> Qrels:
        """Build qrels from {query: {doc: grade}}; integer ids become their digits.

        >>> Qrels.from_dict({"q1": {"d1": 3, "d2": 0}})
        Qrels('qrels', 1 queries, 2 judgments)
        """
        flat = flatten(nested, f"qrels {name!r}", "grade")
        rows = np.repeat(np.arange(len(flat.queries)), np.diff(flat.offsets))
        query = pl.Series(flat.queries, dtype=pl.String).gather(rows)
        return cls.from_columns(query, pl.Series(flat.docs, dtype=pl.String), pl.Series(flat.values), name=name)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        query: str = "query",
        doc: str = "doc",
        grade: str = "grade",
        subtopic: str | None = None,
        name: str = "qrels",
        on_duplicate: OnConflict = "error",
    ) -> Qrels:
        """Build qrels from a polars, pandas or pyarrow table with named columns."""
        where = f"qrels {name!r}"
        table = as_frame(frame, where)
        columns = [column_of(table, wanted, where) for wanted in (query, doc, grade)]
        topics = None if subtopic is None else column_of(table, subtopic, where)
        return cls.from_columns(*columns, subtopic=topics, name=name, on_duplicate=on_duplicate)

    from_polars = from_pandas = from_arrow = from_frame

    @property
    def flat(self) -> Qrels:
        """One row per document: its highest grade over the subtopics."""
        # Never kept on the qrels themselves: what refers to itself stays in memory until the collector comes by.
        return self if self.subtopics is None else self._best

    @cached_property
    def _best(self) -> Qrels:
        best = self.to_polars().group_by("query", "doc", maintain_order=True).agg(pl.col("grade").max())
        flat = Qrels.from_columns(best["query"], best["doc"], best["grade"], name=self.name)
        return replace(flat, notes=self.notes)

    def normalized(self, form: UnicodeForm) -> Qrels:
        """Return the qrels with all ids in one Unicode normal form; do the same to every run.

        Raises DuplicateError where two judged documents of a query become one.
        """
        queries, turned = in_form(self.queries, form)
        docs, changed = in_form(self.docs, form)
        notes = [*self.notes, *of_normal_form(turned + changed, form)]
        query, grade = queries.gather(self.row_query), pl.Series(self.grades)
        return Qrels.from_columns(query, docs, grade, subtopic=self.subtopics, name=self.name, notes=notes)

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Return {query: {doc: grade}}, the highest grade where a document has subtopics."""
        q = self.flat
        return {
            query: dict(zip(q.docs[low:high], q.grades[low:high].tolist(), strict=True))
            for query, low, high in zip(q.queries, q.offsets[:-1], q.offsets[1:], strict=True)
        }

    def to_polars(self) -> pl.DataFrame:
        """Return a frame with the columns query, doc, grade, and subtopic where there are any."""
        frame = pl.DataFrame({"query": self.queries.gather(self.row_query), "doc": self.docs, "grade": self.grades})
        return frame if self.subtopics is None else frame.with_columns(subtopic=self.subtopics)

    def _check_grades(self) -> None:
        bad = np.flatnonzero(~np.isfinite(self.grades))
        if len(bad):
            faults = [
                Fault(
                    f"qrels {self.name!r}, query {q!r}, document {self.docs[int(row)]!r}",
                    "a finite grade",
                    str(self.grades[row]),
                    "remove the row",
                )
                for q, row in zip(query_names(self.queries, self.offsets, bad[:100]), bad, strict=False)
            ]
            raise InputError(faults, total=len(bad))

    def _without_duplicates(self, policy: OnConflict) -> Qrels:
        table = self.to_polars().with_row_index("row")
        key = ["query", "doc"] if self.subtopics is None else ["query", "doc", "subtopic"]
        if table.n_unique(key) == len(table):
            return self
        if policy == "error":
            twice = table.group_by(key, maintain_order=True).agg(pl.col("grade")).filter(pl.col("grade").list.len() > 1)
            raise DuplicateError(_conflicts(twice, self.name), total=len(twice))
        ordered = table.sort("grade", descending=True, maintain_order=True) if policy == "max" else table
        keep: Literal["first", "last"] = "last" if policy == "last" else "first"
        kept = ordered.unique(key, keep=keep, maintain_order=True).sort("row")
        dropped = len(table) - len(kept)
        note = Note("duplicates", dropped, f"{dropped} repeated judgments were dropped, the {policy} of each kept")
        notes = (*self.notes, note, *_conflict_note(table, key))
        subtopic = None if self.subtopics is None else kept["subtopic"]
        return Qrels.from_columns(
            kept["query"], kept["doc"], kept["grade"], subtopic=subtopic, name=self.name, notes=notes
        )


def _conflict_note(table: pl.DataFrame, key: list[str]) -> list[Note]:
    """Say how many of the repeated judgments contradict each other."""
    pairs = table.group_by(key, maintain_order=True).agg(pl.col("grade"))
    clashing = pairs.filter(pl.col("grade").list.n_unique() > 1)
    if not len(clashing):
        return []
    first = clashing.row(0, named=True)
    grades = ", ".join(f"{grade:g}" for grade in first["grade"])
    example = f"query {first['query']!r}, document {first['doc']!r}: grades {grades}"
    said = f"{len(clashing)} documents were judged more than once with different grades, as {example}"
    return [Note("conflicting judgments", len(clashing), said)]


def _conflicts(twice: pl.DataFrame, name: str) -> list[Fault]:
    advice = 'decide which grade holds, or pass on_duplicate="first", "last" or "max"'
    return [
        Fault(
            f"qrels {name!r}, query {row['query']!r}, document {row['doc']!r}",
            "one judgment",
            f"grades {', '.join(f'{g:g}' for g in row['grade'])}",
            advice,
        )
        for row in twice.head(100).iter_rows(named=True)
    ]
