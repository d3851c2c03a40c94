"""Several ranked lists per query as columns: what fusion formulas are written in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from rankgauge.judged import FloatArray, IntArray, Numbers
from rankgauge.records import Note, Run
from rankgauge.records._columns import frozen


@dataclass(frozen=True, eq=False)
class Lists:
    """The rows of M runs, list by list and in order of rank, each pointing to its candidate.

    A candidate is a document that some run returned for a query. One row per document and run:
    `run` `query` `doc` int64[n] (numbers of run, query and candidate), `rank` int64[n] from 1 (0 for a
    candidate that the run did not return, see `completed`), `score` float64[n]. Per candidate:
    `docs` String[C], grouped by query with borders `offsets` int64[Q+1]. `sizes` int64[M, Q] counts
    what each run returned, or holds the last rank where a run came with ranks.

    A formula uses these words: `run query doc rank score size` (per row), `hits pool` (per candidate),
    `sum(x) least(x) greatest(x) middle(x)` (from rows to candidates).
    """

    names: tuple[str, ...]
    queries: pl.Series
    offsets: IntArray
    docs: pl.Series
    run: IntArray
    query: IntArray
    doc: IntArray
    rank: IntArray
    score: FloatArray
    sizes: IntArray
    notes: tuple[Note, ...] = field(default=(), repr=False)

    @property
    def M(self) -> int:
        """Number of runs."""
        return len(self.names)

    @property
    def Q(self) -> int:
        """Number of queries."""
        return len(self.queries)

    @property
    def C(self) -> int:
        """Number of candidates, over all queries."""
        return len(self.docs)

    @cached_property
    def size(self) -> IntArray:
        """Length of each row's list, int64[n]; no rank is larger."""
        return self.sizes[self.run, self.query]

    @cached_property
    def hits(self) -> IntArray:
        """How many lists hold each candidate, int64[C]."""
        return np.bincount(self.doc, minlength=self.C).astype(np.int64)

    @cached_property
    def doc_query(self) -> IntArray:
        """Number of each candidate's query, int64[C]."""
        return np.repeat(np.arange(self.Q), np.diff(self.offsets))

    @cached_property
    def pool(self) -> IntArray:
        """How many candidates each query has, int64[Q]."""
        return np.diff(self.offsets)

    @cached_property
    def starts(self) -> IntArray:
        """First row of each list that is not empty, int64[L]."""
        return np.flatnonzero(np.append(True, np.diff(self.run * self.Q + self.query) != 0))

    def over_list(self, reduce: np.ufunc, values: Numbers) -> Numbers:
        """Reduce the values of each list, as np.add or np.maximum do, and repeat the outcome on its rows."""
        found: Numbers = reduce.reduceat(values, self.starts)
        repeated: Numbers = found[self._list]
        return repeated

    @cached_property
    def _list(self) -> IntArray:
        """Number of each row's list among those that are not empty, int64[n]."""
        return np.repeat(np.arange(len(self.starts)), np.diff(np.append(self.starts, len(self.run))))

    def sum(self, values: Numbers) -> FloatArray:
        """Add up each candidate's rows, float64[C].

        They are added from the smallest to the largest, so that the order of the runs cannot change the
        last bit and with it the order of documents.
        """
        if self.M > 2:
            values = self._ascending(values)
            return np.bincount(self._grouped_doc, weights=values, minlength=self.C).astype(np.float64, copy=False)
        return np.bincount(self.doc, weights=values, minlength=self.C).astype(np.float64, copy=False)

    def least(self, values: Numbers) -> Numbers:
        """Smallest value of each candidate's rows."""
        found: Numbers = np.minimum.reduceat(values[self._grouped], self._first)
        return found

    def greatest(self, values: Numbers) -> Numbers:
        """Largest value of each candidate's rows."""
        found: Numbers = np.maximum.reduceat(values[self._grouped], self._first)
        return found

    def middle(self, values: Numbers) -> FloatArray:
        """Median of each candidate's rows."""
        ordered = self._ascending(values)
        low, high = self._first + (self.hits - 1) // 2, self._first + self.hits // 2
        median: FloatArray = ordered[low] / 2 + ordered[high] / 2
        return median

    @cached_property
    def _grouped(self) -> IntArray:
        """Order that brings the rows of each candidate together."""
        rows = len(self.doc)
        return np.sort(self.doc * rows + np.arange(rows)) % rows  # much faster than a stable argsort

    @cached_property
    def _grouped_doc(self) -> IntArray:
        return self.doc[self._grouped]

    @cached_property
    def _first(self) -> IntArray:
        """Where each candidate's rows begin in that order."""
        return np.cumsum(self.hits) - self.hits

    def _ascending(self, values: Numbers) -> Numbers:
        """Group values by candidate, ascending within each; of two, the order is all the same and is left."""
        grouped = values[self._grouped]
        part = grouped[self._several]
        grouped[self._several] = part[np.lexsort((part, self._grouped_doc[self._several]))]
        return grouped

    @cached_property
    def _several(self) -> IntArray:
        """Grouped rows of candidates that more than two lists hold."""
        return np.flatnonzero(np.repeat(self.hits, self.hits) > 2)

    def completed(self) -> Lists:
        """Return lists that all hold every candidate of their query; one not returned has rank 0 and score 0."""
        at = self.run * self.C + self.doc
        rank, score = np.zeros(self.M * self.C, dtype=np.int64), np.zeros(self.M * self.C)
        rank[at], score[at] = self.rank, self.score
        run = np.repeat(np.arange(self.M), self.C)
        doc, query = np.tile(np.arange(self.C), self.M), np.tile(self.doc_query, self.M)
        return replace(self, run=run, query=query, doc=doc, rank=rank, score=score)

    def to_run(self, scores: FloatArray, name: str, notes: Sequence[Note] = ()) -> Run:
        """Give the candidates these scores, as a run whose documents stand in no order."""
        return Run(self.queries, self.offsets, self.docs, frozen(scores), name, tuple(notes), None, self.doc_hash)

    @cached_property
    def doc_hash(self) -> Any:
        """One 64-bit hash per candidate, uint64[C], the same as in the runs."""
        return self.docs.hash().to_numpy()
