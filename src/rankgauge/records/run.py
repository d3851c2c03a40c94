"""Run: what a system returned for each query, with its scores."""

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
    Groups,
    HashArray,
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
    query_numbers,
    regrouped,
    repeated_rows,
)
from rankgauge.records.notes import Note, of_normal_form

OnDuplicate = Literal["error", "first", "max"]
TieOrder = Literal["docid-desc", "docid-asc", "input"]


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """The documents that a system returned, grouped by query, in the order in which they were given.

    Attributes
    ----------
    queries : String[Q], each once
    offsets : int64[Q+1], where each query's rows begin and end
    docs : String[n]
    scores : float64[n], higher is better, never NaN
    ranks : int64[n] from 1, where the input gave ranks that hold instead of the order by score; else None
    name : what the run is called in results
    notes : what was noticed or dropped on the way in

    The order of a ranking is settled by the convention at evaluation, from scores and ids.
    """

    queries: pl.Series
    offsets: IntArray
    docs: pl.Series
    scores: FloatArray
    name: str = "run"
    notes: tuple[Note, ...] = ()
    ranks: IntArray | None = None
    known_hash: HashArray | None = None

    def __len__(self) -> int:
        return len(self.docs)

    def __repr__(self) -> str:
        return f"Run({self.name!r}, {len(self.queries)} queries, {len(self)} documents)"

    @cached_property
    def doc_hash(self) -> HashArray:
        """One 64-bit hash per document id, uint64[n], the same in every run of this process."""
        return self.docs.hash().to_numpy() if self.known_hash is None else self.known_hash

    @property
    def row_query(self) -> IntArray:
        """Number of each row's query, int64[n]."""
        return np.repeat(np.arange(len(self.queries)), np.diff(self.offsets))

    @property
    def row_place(self) -> IntArray:
        """Place of each row among those of its query, in the order given, int64[n] from 1."""
        return np.arange(1, len(self) + 1) - np.repeat(self.offsets[:-1], np.diff(self.offsets))

    @classmethod
    def from_columns(
        cls,
        query: pl.Series,
        doc: pl.Series,
        score: pl.Series,
        *,
        name: str = "run",
        on_duplicate: OnDuplicate = "error",
        notes: Sequence[Note] = (),
    ) -> Run:
        """Build a run from three columns of equal length.

        Raises
        ------
        InputError
            For missing ids, ids that are floats, scores that are text, missing or NaN.
        DuplicateError
            For a document twice under one query, unless `on_duplicate` is "first" (of the input)
            or "max" (the best score); what is dropped is counted in `notes`.
        EmptyInputError
            For no rows at all.
        """
        where = f"run {name!r}"
        query = id_column(query, f"{where}, queries")
        doc = id_column(doc, f"{where}, documents")
        said = [*notes, *_precision_note(score)]
        scores = number_column(score, f"{where}, scores")
        return cls.from_groups(grouped(query), doc, scores, name=name, on_duplicate=on_duplicate, notes=said)

    @classmethod
    def from_groups(
        cls,
        groups: Groups,
        docs: pl.Series,
        scores: FloatArray,
        *,
        name: str,
        on_duplicate: OnDuplicate = "error",
        notes: Sequence[Note] = (),
        ranks: IntArray | None = None,
        known_hash: HashArray | None = None,
        distinct: bool = False,
    ) -> Run:
        """Build a run from rows whose queries are known; the one place where runs are checked.

        `distinct` tells that the reader has found no document twice under one query.
        """
        if not len(docs):
            fault = Fault(f"run {name!r}", "at least one retrieved document", "none", "check that the system ran")
            raise EmptyInputError(fault)
        if groups.order is not None:
            docs, scores = docs.gather(groups.order), scores[groups.order]
            ranks = None if ranks is None else ranks[groups.order]
            known_hash = None if known_hash is None else known_hash[groups.order]
        run = cls(groups.ids, groups.offsets, docs, frozen(scores), name, tuple(notes), ranks, known_hash)
        run._check_scores()
        return run if distinct else run._without_duplicates(on_duplicate)

    @classmethod
    def from_dict(
        cls, nested: Mapping[Any, Mapping[Any, Any]], *, name: str = "run", on_duplicate: OnDuplicate = "error"
    ) -> Run:
        """Build a run from {query: {doc: score}}; integer ids become their digits.

        >>> Run.from_dict({"q1": {"d1": 2.0, "d2": 1.0}})
        Run('run', 1 queries, 2 documents)
        """
        flat = flatten(nested, f"run {name!r}", "score")
        ids, offsets = pl.Series(flat.queries, dtype=pl.String), flat.offsets
        if ids.n_unique() != len(ids):
            twice = ids.filter(ids.is_duplicated())[0]
            raise InputError(Fault(f"run {name!r}", "each query once", f"{twice!r} as text and as number"))
        filled = ids.filter(pl.Series(np.diff(offsets) > 0)), offsets[np.append(True, np.diff(offsets) > 0)]
        docs = id_column(pl.Series(flat.docs, dtype=pl.String), f"run {name!r}, documents")
        groups = Groups(*filled, None)
        return cls.from_groups(groups, docs, flat.values, name=name, on_duplicate=on_duplicate, distinct=flat.distinct)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        query: str = "query",
        doc: str = "doc",
        score: str = "score",
        name: str = "run",
        on_duplicate: OnDuplicate = "error",
    ) -> Run:
        """Build a run from a polars, pandas or pyarrow table with named columns."""
        table = as_frame(frame, f"run {name!r}")
        columns = [column_of(table, wanted, f"run {name!r}") for wanted in (query, doc, score)]
        return cls.from_columns(*columns, name=name, on_duplicate=on_duplicate)

    from_polars = from_pandas = from_arrow = from_frame

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Return {query: {doc: score}}."""
        return {
            query: dict(zip(self.docs[low:high], self.scores[low:high].tolist(), strict=True))
            for query, low, high in zip(self.queries, self.offsets[:-1], self.offsets[1:], strict=True)
        }

    def to_polars(self) -> pl.DataFrame:
        """Return a frame with the columns query, doc, score."""
        query = self.queries.gather(self.row_query)
        return pl.DataFrame({"query": query, "doc": self.docs, "score": self.scores})

    def named(self, name: str) -> Run:
        """Return the same run under another name."""
        return replace(self, name=name)

    def ranked(self, *, ties: TieOrder = "docid-desc") -> Run:
        """Return the run with each query's documents in order: by falling score, or by the ranks it was given.

        Documents with equal scores stand by falling id (its bytes), as in trec_eval, unless `ties` says otherwise.

        >>> list(Run.from_dict({"q": {"a": 1.0, "b": 2.0, "c": 1.0}}).ranked().docs)
        ['b', 'c', 'a']
        """
        query = self.row_query
        if self.ranks is None and ties != "input":
            order = _by_score(self.scores, query)
            order = _by_id_within_ties(order, self.scores, query, self.docs, descending=ties == "docid-desc")
        else:
            order = np.lexsort((-self.scores if self.ranks is None else self.ranks, query))
        return replace(
            self,
            docs=self.docs.gather(order),
            scores=frozen(self.scores[order]),
            ranks=None if self.ranks is None else frozen(self.ranks[order]),
            known_hash=None if self.known_hash is None else self.known_hash[order],
        )

    def normalized(self, form: UnicodeForm) -> Run:
        """Return the run with all ids in one Unicode normal form; do the same to the qrels.

        Raises DuplicateError where two documents of a query become one.
        """
        queries, turned = in_form(self.queries, form)
        docs, changed = in_form(self.docs, form)
        groups = regrouped(queries, self.offsets)
        notes = [*self.notes, *of_normal_form(turned + changed, form)]
        return Run.from_groups(groups, docs, self.scores, name=self.name, notes=notes, ranks=self.ranks)

    def only(self, rows: IntArray, note: Note) -> Run:
        """Return a run of these rows (ascending); `note` says what was left out and why."""
        counts = np.diff(np.searchsorted(rows, self.offsets))
        kept = counts > 0
        offsets = np.concatenate([[0], np.cumsum(counts[kept])]).astype(np.int64)
        hashes = None if self.known_hash is None else self.known_hash[rows]
        ranks = None if self.ranks is None else self.ranks[rows]
        docs, scores = self.docs.gather(rows), frozen(self.scores[rows])
        queries = self.queries.filter(pl.Series(kept))
        return Run(queries, frozen(offsets), docs, scores, self.name, (*self.notes, note), ranks, hashes)

    def _check_scores(self) -> None:
        bad = np.flatnonzero(np.isnan(self.scores))
        if len(bad):
            names = query_names(self.queries, self.offsets, bad[:100])
            faults = [
                Fault(
                    f"run {self.name!r}, query {q!r}, document {self.docs[int(row)]!r}",
                    "a finite score",
                    "NaN",
                    "NaN has no place in an order: remove the row or mend the model",
                )
                for q, row in zip(names, bad, strict=False)
            ]
            raise InputError(faults, total=len(bad))

    def _without_duplicates(self, policy: OnDuplicate) -> Run:
        rows = repeated_rows(self.docs, self.offsets, self.doc_hash)
        if not len(rows):
            return self
        number = query_numbers(self.offsets, rows)
        table = pl.DataFrame({"row": rows, "query": number, "doc": self.docs.gather(rows), "score": self.scores[rows]})
        if policy == "error":
            table = table.with_columns(query=query_names(self.queries, self.offsets, rows))
            raise DuplicateError(_duplicate_faults(table, self.name), total=table.n_unique(["query", "doc"]))
        best = table.sort("score", descending=True, maintain_order=True) if policy == "max" else table
        kept = best.unique(["query", "doc"], keep="first", maintain_order=True)["row"]
        left = np.ones(len(self), dtype=np.bool_)
        left[rows] = False
        left[kept.to_numpy()] = True
        dropped = len(rows) - len(kept)
        which = "the best score of each was kept" if policy == "max" else "the first of each was kept"
        note = Note("duplicates", dropped, f"{dropped} repeated documents were dropped, {which}")
        return self.only(np.flatnonzero(left), note)


def column_of(table: pl.DataFrame, wanted: str, where: str) -> pl.Series:
    """Take a named column; a missing one is an error that lists the columns found."""
    if wanted not in table.columns:
        found = ", ".join(table.columns) or "none"
        raise InputError(Fault(where, f"a column {wanted!r}", f"columns {found}", f"name it: {wanted}=..."))
    return table[wanted]


def _by_score(scores: FloatArray, query: IntArray) -> IntArray:
    """Order by query and falling score, ties in any order; two plain sorts are much faster than np.lexsort."""
    falling = np.argsort(-scores)
    rows = max(1, len(scores))
    order: IntArray = falling[np.sort(query[falling] * rows + np.arange(len(scores))) % rows]
    return order


def _by_id_within_ties(
    order: IntArray, scores: FloatArray, query: IntArray, docs: pl.Series, *, descending: bool
) -> IntArray:
    """Put the rows of `order`, which is by query and score, in order of their ids where scores are equal."""
    scores, query = scores[order], query[order]
    same = (scores[1:] == scores[:-1]) & (query[1:] == query[:-1])
    tied = np.append(False, same) | np.append(same, False)
    if not tied.any():
        return order
    tie = np.append(0, np.cumsum(~same))[tied]
    rows = pl.DataFrame({"tie": tie, "doc": docs.gather(order[tied]), "row": order[tied]})
    order = order.copy()
    order[tied] = rows.sort("tie", "doc", descending=[False, descending])["row"].to_numpy()
    return order


def _duplicate_faults(table: pl.DataFrame, name: str) -> list[Fault]:
    pairs = table.group_by("query", "doc", maintain_order=True).agg(pl.col("score"))
    advice = 'remove one, or pass on_duplicate="first" or "max"'
    return [
        Fault(
            f"run {name!r}, query {query!r}, document {doc!r}",
            "each document once",
            f"{len(scores)} times (scores {', '.join(f'{s:g}' for s in scores)})",
            advice,
        )
        for query, doc, scores in pairs.head(100).iter_rows()
    ]


def _precision_note(score: pl.Series) -> list[Note]:
    if score.dtype not in (pl.Float32, pl.Float16):
        return []
    lost = f"scores came as {score.dtype}: what differs beyond that precision is tied"
    return [Note("score precision", len(score), lost)]
