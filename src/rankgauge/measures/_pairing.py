"""Two runs side by side: where their common documents stand in each, query by query."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import polars as pl

from rankgauge.errors import Fault, InputError, ParameterError
from rankgauge.judged import FloatArray, IntArray
from rankgauge.measures._rbo import Side
from rankgauge.records import Run
from rankgauge.records.notes import examples

Ties = Literal["docid-desc", "docid-asc", "input", "expected"]
TIES = ("docid-desc", "docid-asc", "input", "expected")
AnyRun = Run | Mapping[Any, Mapping[Any, Any]]


@dataclass(frozen=True, eq=False, repr=False)
class Similarity:
    """How alike two runs are on each query that both have.

    Attributes
    ----------
    measure : name, with its parameters
    queries : String[Q]
    values : float64[Q], NaN where undefined
    low, high : float64[Q], bounds for whatever follows below the ends of the rankings, NaN where none exist
    common, alone : int64[Q], documents in both rankings, and in only one of them
    only_a, only_b : queries of one run that the other lacks
    """

    measure: str
    queries: pl.Series
    values: FloatArray
    low: FloatArray
    high: FloatArray
    common: IntArray
    alone: IntArray
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]

    def __repr__(self) -> str:
        return f"Similarity({self.measure}, mean {self.mean:.4f} of {len(self.queries)} queries)"

    @property
    def mean(self) -> float:
        """Mean over the queries where the value is defined; NaN if there is none."""
        defined = self.values[~np.isnan(self.values)]
        return math.fsum(defined) / len(defined) if len(defined) else math.nan

    @property
    def residual(self) -> FloatArray:
        """Width of what is not known, high - low, float64[Q]."""
        return self.high - self.low

    def to_polars(self) -> pl.DataFrame:
        """Return one row per query: query, value, low, high (null where undefined), common, alone."""
        numbers = {"value": self.values, "low": self.low, "high": self.high}
        frame = pl.DataFrame({"query": self.queries, **numbers, "common": self.common, "alone": self.alone})
        return frame.with_columns(pl.col(*numbers).fill_nan(None))


@dataclass(frozen=True, eq=False)
class Both:
    """One query: its common documents in either ranking, and their scores there, float64[C]."""

    a: Side
    b: Side
    score_a: FloatArray
    score_b: FloatArray


@dataclass(frozen=True, eq=False)
class Pairing:
    """Two runs on their common queries; iterates over one `Both` per query.

    `documents` has a row per common document, sorted by the number of its query, int64[C];
    `size_a` and `size_b` int64[Q] say how many documents were compared.
    """

    queries: pl.Series
    documents: dict[str, Any]
    size_a: IntArray
    size_b: IntArray
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]

    def __iter__(self) -> Iterator[Both]:
        for number, (low, high) in enumerate(zip(self._borders[:-1], self._borders[1:], strict=True)):
            first_a, last_a, score_a, first_b, last_b, score_b = (
                self.documents[name][low:high] for name in (*_COLUMNS, *(f"{c}_b" for c in _COLUMNS))
            )
            a = Side(first_a, last_a, int(self.size_a[number]))
            yield Both(a, Side(first_b, last_b, int(self.size_b[number])), score_a, score_b)

    @property
    def _borders(self) -> IntArray:
        return np.searchsorted(self.documents["number"], np.arange(len(self.queries) + 1))

    def result(
        self, measure: str, values: FloatArray, low: FloatArray | None = None, high: FloatArray | None = None
    ) -> Similarity:
        """Put the queries' values together with what was compared."""
        nothing = np.full(len(self.queries), np.nan)
        common = np.diff(self._borders)
        return Similarity(
            measure,
            self.queries,
            values,
            nothing if low is None else low,
            nothing if high is None else high,
            common,
            self.size_a + self.size_b - 2 * common,
            self.only_a,
            self.only_b,
        )


_COLUMNS = ("first", "last", "score")


def pairing(a: AnyRun, b: AnyRun, ties: Ties, depth: int | None) -> Pairing:
    """Match the documents of two runs within the first `depth` of each.

    Raises InputError for runs without a common query.
    """
    if depth is not None and (isinstance(depth, bool) or depth != int(depth) or depth < 1):
        raise ParameterError(f"expected a depth of 1 or more, got {depth!r}")
    if ties not in TIES:
        raise ParameterError(f"expected ties to be one of {', '.join(map(repr, TIES))}, got {ties!r}")
    left, right = (run if isinstance(run, Run) else Run.from_dict(run) for run in (a, b))
    queries = left.queries.filter(left.queries.is_in(right.queries.implode()))
    if not len(queries):
        got = f"none ({examples(left.queries)}; {examples(right.queries)})"
        raise InputError(Fault(f"runs {left.name!r} and {right.name!r}", "a query in common", got))
    numbers = pl.DataFrame({"query": queries}).with_row_index("number")
    both = numbers.join(_ranks(left, ties, depth), on="query")
    both = both.join(_ranks(right, ties, depth), on=["query", "doc"], suffix="_b").sort("number", "rank")
    known = set(queries)
    return Pairing(
        queries,
        {name: both[name].to_numpy() for name in both.columns if name not in ("query", "doc")},
        _sizes(left, queries, depth),
        _sizes(right, queries, depth),
        tuple(query for query in left.queries if query not in known),
        tuple(query for query in right.queries if query not in known),
    )


def _sizes(run: Run, queries: pl.Series, depth: int | None) -> IntArray:
    size_of = dict(zip(run.queries, np.diff(run.offsets).tolist(), strict=True))
    sizes = np.array([size_of[query] for query in queries], dtype=np.int64)
    return sizes if depth is None else np.minimum(sizes, depth)


def _ranks(run: Run, ties: Ties, depth: int | None) -> pl.DataFrame:
    """Columns query, doc, rank, first, last, score; ranks given by the input count as scores."""
    run = run.ranked(ties="docid-desc" if ties == "expected" else ties)
    score = run.scores if run.ranks is None else -run.ranks.astype(np.float64)
    query, rank = run.row_query, run.row_place
    first = last = rank
    if ties == "expected":
        new = np.append(True, (query[1:] != query[:-1]) | (score[1:] != score[:-1]))
        heads = np.append(np.flatnonzero(new), len(new))
        tie = np.cumsum(new) - 1
        first, last = rank[heads[tie]], rank[heads[tie + 1] - 1]
    rows = {"query": run.queries.gather(query), "doc": run.docs, "rank": rank, "first": first, "last": last}
    table = pl.DataFrame({**rows, "score": score})
    return table if depth is None else table.filter(pl.col("first") <= depth)
