"""What trained fusion methods learn from: the lists of judged queries with their relevant documents marked."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from rankgauge.errors import Fault, InputError
from rankgauge.fusion._lists import Lists
from rankgauge.judged import BoolArray, FloatArray, IntArray, Numbers
from rankgauge.records import Qrels


@dataclass(frozen=True, eq=False)
class Training:
    """Lists whose relevant documents are known.

    Attributes
    ----------
    lists : the runs' lists
    relevant : bool[n], whether each row's document is judged relevant
    R : int64[Q], relevant documents in the judgments of each query
    used : bool[Q], the queries to learn from
    """

    lists: Lists
    relevant: BoolArray
    R: IntArray
    used: BoolArray

    @classmethod
    def of(cls, lists: Lists, qrels: Qrels, *, level: float = 1.0) -> Training:
        """Mark the documents whose grade reaches the level; every judged query is used.

        Raises InputError where no query is judged.
        """
        flat = qrels.flat
        number = pl.DataFrame({"query": lists.queries}).with_row_index("number")
        judged = flat.to_polars().join(number, on="query").filter(pl.col("grade") >= level)
        asked = pl.DataFrame({"number": lists.doc_query, "doc": lists.docs})
        kinds = {"number": pl.Int64, "doc": pl.String}
        found = asked.cast(kinds).join(  # type: ignore[arg-type]
            judged.select("number", "doc", hit=pl.lit(True)).cast(kinds),  # type: ignore[arg-type]
            on=["number", "doc"], how="left", maintain_order="left",
        )  # fmt: skip
        hit = found["hit"].fill_null(False).to_numpy()
        used = lists.queries.is_in(flat.queries.implode()).to_numpy()
        if not used.any():
            fault = Fault(
                f"training qrels {qrels.name!r}", "judgments of the runs' queries", "none of them", "compare the ids"
            )
            raise InputError(fault)
        R = np.bincount(judged["number"].to_numpy().astype(np.int64), minlength=lists.Q).astype(np.int64)
        return cls(lists, hit[lists.doc], R, used)

    def on(self, queries: BoolArray) -> Training:
        """Learn from these queries only, bool[Q]."""
        return replace(self, used=self.used & queries)

    @property
    def count(self) -> int:
        """Number of queries to learn from."""
        return int(self.used.sum())

    @property
    def rows(self) -> BoolArray:
        """The rows of these queries, bool[n]."""
        found: BoolArray = self.used[self.lists.query]
        return found

    def table(self, column: IntArray, columns: int, values: Numbers) -> FloatArray:
        """Add up the values of the used rows by run and column, float64[M, columns]; a column of -1 is left out."""
        kept = self.rows & (column >= 0)
        cell = self.lists.run[kept] * columns + column[kept]
        total = np.bincount(cell, weights=values[kept], minlength=self.lists.M * columns)
        return total.reshape(self.lists.M, columns).astype(np.float64, copy=False)


def average_precision(training: Training) -> FloatArray:
    """Mean over the queries of each run's average precision, float64[M, 1]; a query without relevant counts 0."""
    lists, hit = training.lists, training.relevant
    counted = np.cumsum(hit)
    found = counted - lists.over_list(np.minimum, counted - hit)
    values = hit * found / lists.rank / np.maximum(training.R[lists.query], 1)
    return training.table(np.zeros(len(hit), dtype=np.int64), 1, values) / training.count


def relevance_by_rank(training: Training) -> FloatArray:
    """Share of relevant documents at each rank, over the lists that reach it, float64[M, deepest]."""
    at = training.lists.rank - 1
    deepest = int(at.max()) + 1
    relevant = training.table(at, deepest, training.relevant)
    reaching = training.table(at, deepest, np.ones(len(at)))
    return relevant / np.maximum(reaching, 1)


def relevance_by_share(training: Training, *, segments: int) -> FloatArray:
    """Mean over the queries of the share of relevant documents in each segment of a list, float64[M, segments]."""
    lists = training.lists
    length = -(-lists.size // segments)
    segment = (lists.rank - 1) // length
    held = np.minimum(length, lists.size - segment * length)
    return training.table(segment, segments, training.relevant / held) / training.count


def relevance_by_depth(training: Training, ends: IntArray) -> FloatArray:
    """Mean over the queries of the share of relevant documents between fixed ranks, float64[M, len(ends)].

    `ends` are the last ranks of the segments; a list too short to fill one counts as if it were filled with
    documents that are not relevant.
    """
    segment = segment_of(training.lists.rank, ends)
    lengths = np.diff(ends, prepend=0)
    return training.table(segment, len(ends), training.relevant) / lengths / training.count


def segment_of(rank: IntArray, ends: IntArray) -> IntArray:
    """Number of the segment that holds each rank, -1 below the last."""
    segment = np.searchsorted(ends, rank, side="left")
    return np.where(segment < len(ends), segment, -1)
