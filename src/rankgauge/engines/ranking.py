"""From a run and the judgments to ranks: only judged documents are placed, and nothing is sorted in full."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from rankgauge.conventions import Convention
from rankgauge.judged import IntArray
from rankgauge.records import Qrels, Run
from rankgauge.records._columns import pair_keys

Scores = npt.NDArray[np.floating]
BITS_PER_JUDGMENT = 32


@dataclass(frozen=True)
class Matches:
    """Judged documents found in a run: `row` of the run and `judgment` of the qrels, int64[H] each."""

    row: IntArray
    judgment: IntArray


@dataclass(frozen=True)
class Places:
    """Where rows stand in their rankings: `rank`, and `first` to `last` of their tie, int64[H] each."""

    rank: IntArray
    first: IntArray
    last: IntArray


def query_numbers(qrels: Qrels, run: Run) -> IntArray:
    """Number in the qrels of each of the run's queries, int64[run's Q], -1 for a query without judgments."""
    number = dict(zip(qrels.queries, range(len(qrels.queries)), strict=True))
    return np.array([number.get(query, -1) for query in run.queries], dtype=np.int64)


def match(qrels: Qrels, run: Run, numbers: IntArray) -> Matches:
    """Find the judged documents in the run.

    A bitmap over hashes lets almost no unjudged row through; what is left is joined by the ids themselves.
    """
    judged_keys = pair_keys(qrels.docs.hash().to_numpy(), qrels.offsets, np.arange(len(qrels.queries)))
    shift = np.uint64(64 - max(16, int(len(judged_keys) * BITS_PER_JUDGMENT - 1).bit_length()))
    bitmap = np.zeros(1 << (64 - int(shift)), dtype=np.bool_)
    bitmap[judged_keys >> shift] = True
    rows = np.flatnonzero(bitmap[pair_keys(run.doc_hash, run.offsets, numbers) >> shift])
    query = numbers[np.searchsorted(run.offsets, rows, side="right") - 1]
    found = pl.DataFrame({"query": query, "doc": run.docs.gather(rows), "row": rows}).join(
        pl.DataFrame({"query": qrels.row_query, "doc": qrels.docs}).with_row_index("judgment"),
        on=["query", "doc"],
    )
    return Matches(found["row"].to_numpy().astype(np.int64), found["judgment"].to_numpy().astype(np.int64))


def place(run: Run, rows: IntArray, convention: Convention) -> Places:
    """Find the rank of each of these rows under the convention's order and its rule for ties."""
    if run.ranks is not None and convention.order != "input":
        return _as_given(run.ranks[rows])
    segment = np.searchsorted(run.offsets, rows, side="right") - 1
    start = run.offsets[segment]
    if convention.order == "input":
        return _as_given(rows - start + 1)
    with np.errstate(over="ignore"):  # beyond float32 a score is infinite, as in trec_eval 9
        scores = run.scores.astype(convention.score_type, copy=False)
    scores, position, order = _sorted_where_needed(scores, run.offsets, np.unique(segment), rows)
    low, high = _tie_borders(scores, run.offsets, position)
    rank = position - start + 1
    if convention.ties != "input" and (high - low > 1).any():
        rank = rank + _shift_by_id(run.docs, order, position, low, high, descending=convention.ties != "docid-asc")
    return Places(rank, low - start + 1, high - start)


def sizes(run: Run) -> IntArray:
    """Number of documents retrieved for each of the run's queries, int64; the last rank where ranks were given."""
    if run.ranks is None or not len(run):
        return np.diff(run.offsets)
    return np.maximum.reduceat(run.ranks, run.offsets[:-1])


def depths(run: Run, numbers: IntArray, Q: int) -> IntArray:
    """Number of documents retrieved for each judged query, int64[Q]; see `sizes`."""
    depth = np.zeros(Q, dtype=np.int64)
    depth[numbers[numbers >= 0]] = sizes(run)[numbers >= 0]
    return depth


def _as_given(rank: IntArray) -> Places:
    return Places(rank, rank, rank)


def _sorted_where_needed(
    scores: Scores, offsets: IntArray, segments: IntArray, rows: IntArray
) -> tuple[Scores, IntArray, IntArray | None]:
    """Sort by falling score those of these segments that are not; say where the rows went.

    Returns the scores in that order, the position of each row, and the order itself (None: unchanged).
    """
    rises = np.flatnonzero(scores[1:] > scores[:-1]) + 1
    unsorted = np.unique(np.searchsorted(offsets, rises[~np.isin(rises, offsets)], side="right") - 1)
    unsorted = unsorted[np.isin(unsorted, segments)]
    if not len(unsorted):
        return scores, rows, None
    order = np.arange(len(scores))
    for segment in unsorted:
        low, high = offsets[segment], offsets[segment + 1]
        order[low:high] = low + np.argsort(-scores[low:high], kind="stable")
    position = np.empty_like(order)
    position[order] = np.arange(len(order))
    return scores[order], position[rows], order


def _tie_borders(scores: Scores, offsets: IntArray, position: IntArray) -> tuple[IntArray, IntArray]:
    """Positions at which the tie of each position begins and ends (exclusive)."""
    inside = np.ones(len(scores) + 1, dtype=np.bool_)
    inside[offsets] = False
    equal = np.zeros(len(scores) + 1, dtype=np.bool_)
    equal[1:-1] = scores[1:] == scores[:-1]
    equal &= inside
    tied = equal[position] | equal[position + 1]
    low, high = position.copy(), position + 1
    if tied.any():
        starts = np.flatnonzero(~equal)
        at = np.searchsorted(starts, position[tied], side="right")
        low[tied], high[tied] = starts[at - 1], starts[at]
    return low, high


def _shift_by_id(
    docs: pl.Series, order: IntArray | None, position: IntArray, low: IntArray, high: IntArray, *, descending: bool
) -> IntArray:
    """How far each row moves when the documents of its tie are put in order of their ids (by bytes)."""
    tied = high - low > 1
    lows, one = np.unique(low[tied], return_index=True)
    sizes = high[tied][one] - lows
    tie = np.repeat(lows, sizes)
    slots = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes) + tie
    ids = docs.gather(slots if order is None else order[slots])
    by_id = pl.DataFrame({"tie": tie, "doc": ids}).with_row_index("slot")
    by_id = by_id.sort(["tie", "doc"], descending=[False, descending])
    target = np.empty_like(slots)
    target[by_id["slot"].to_numpy()] = slots
    shift = np.zeros(len(position), dtype=np.int64)
    shift[tied] = target[np.searchsorted(slots, position[tied])] - position[tied]
    return shift
