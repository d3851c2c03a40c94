"""From subtopic qrels to pairs of documents and subtopics, and where a run puts them."""

from __future__ import annotations

import numpy as np
import polars as pl

from rankgauge.judged import IntArray, Subtopics
from rankgauge.records import Qrels


def of_qrels(qrels: Qrels) -> Subtopics:
    """Take the judged pairs from qrels with subtopics, in no ranking yet.

    Numbers follow the bytes of ids and labels, so that they compare alike in any selection of queries.
    """
    flat = qrels.flat
    rows = pl.DataFrame({"query": qrels.row_query, "doc": qrels.docs, "label": qrels.subtopics, "grade": qrels.grades})
    docs = _numbered(pl.DataFrame({"query": flat.row_query, "doc": flat.docs}).with_row_index("judgment"), "doc")
    labels = _numbered(rows.select("query", "label").unique(), "label")
    pairs = rows.join(docs, on=["query", "doc"]).join(labels, on=["query", "label"])
    pairs = pairs.sort("query", "doc_number", "label_number")
    return Subtopics(
        query=_int64(pairs["query"]),
        doc=_int64(pairs["doc_number"]),
        subtopic=_int64(pairs["label_number"]),
        grade=pairs["grade"].to_numpy(),
        judgment=_int64(pairs["judgment"]),
        rank=np.zeros(len(pairs), dtype=np.int64),
    )


def placed(subtopics: Subtopics, J: int, judgment: IntArray, rank: IntArray) -> Subtopics:
    """Return the pairs at the ranks that a run gives their documents, named by their rows of J flat judgments."""
    ranks = np.zeros(J, dtype=np.int64)
    ranks[judgment] = rank
    return subtopics.placed(ranks)


def repeated(known: Subtopics, query: IntArray) -> Subtopics:
    """Return pairs in which each of these queries, int64[E] ascending, is a query of its own, ideals and all."""
    number, row = stretches(np.searchsorted(known.query, query), np.searchsorted(known.query, query + 1))
    return Subtopics(
        query=number,
        doc=_apart(known.doc[row], number),
        subtopic=_apart(known.subtopic[row], number),
        grade=known.grade[row],
        judgment=known.judgment[row],
        rank=known.rank[row],
        ideals={key: ranks[row] for key, ranks in known.ideals.items()},
    )


def stretches(low: IntArray, high: IntArray) -> tuple[IntArray, IntArray]:
    """Number of the stretch, and row, for all rows from `low` up to `high` of each."""
    sizes = high - low
    number = np.repeat(np.arange(len(sizes)), sizes)
    return number, np.arange(sizes.sum()) + np.repeat(low - (np.cumsum(sizes) - sizes), sizes)


def _apart(numbers: IntArray, query: IntArray) -> IntArray:
    """Number again, in the same order, what belongs to different queries."""
    Q = int(query.max(initial=-1)) + 1
    low, high = np.full(Q, np.iinfo(np.int64).max), np.zeros(Q, dtype=np.int64)
    np.minimum.at(low, query, numbers)
    np.maximum.at(high, query, numbers + 1)
    span = np.where(high > 0, high - low, 0)
    apart: IntArray = numbers - low[query] + (np.cumsum(span) - span)[query]
    return apart


def _numbered(table: pl.DataFrame, column: str) -> pl.DataFrame:
    return table.sort("query", column).with_row_index(f"{column}_number")


def _int64(column: pl.Series) -> IntArray:
    return column.to_numpy().astype(np.int64)
